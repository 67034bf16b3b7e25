/** What is asked while somebody types: the last word may go on. */
const queryWhileTyping = (typed: string) => (/[\p{L}\p{N}]{2}$/u.test(typed) ? `${typed}*` : typed)

export const searchUrl = (typed: string, kind = '') =>
  `/api/search?q=${encodeURIComponent(queryWhileTyping(typed))}${kind === '' ? '' : `&kind=${kind}`}`
