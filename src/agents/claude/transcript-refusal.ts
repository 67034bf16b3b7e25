/** Why a call did not run. */
export interface UserRefusal {
  /** The user said no; else a rule, a hook or the client did. */
  byUser: boolean
  /** What the user said with it; empty where nothing. */
  words: string
  /** Of questions that the user wanted to talk about: those that were answered all the same. */
  answers: Array<{ question: string; answer: string }>
}

const BY_USER = [
  "The user doesn't want to proceed with this tool use",
  "The user doesn't want to take this action right now",
  'The agent proposed a plan that was rejected by the user',
  '[Request interrupted by user',
]
const SAID = /the user said:|the user provided the following reason for the rejection:/i
const CLARIFIES =
  /^(?:The user wants to clarify these questions|The user has indicated they have provided enough answers)/
const ANSWERED = /^- "([^\n]{1,1000})"\n {2}Answer: ([^\n]{1,1000})/gm
/** The client's own advice to the agent, behind the user's words. */
const ADVICE = /\nNote: The user's next message[\s\S]*$/

/** Whether a result's words say that the user kept the call from running. */
export const isRefusedByUser = (text: string) => BY_USER.some((start) => text.startsWith(start))

/** What a result says of a call that was kept from running; `denied` is the client's own word for who did it. */
export function refusalIn(text: string, denied: string): UserRefusal {
  const byUser = isRefusedByUser(text) || denied.startsWith('user')
  const said = byUser ? SAID.exec(text) : null
  const words = said
    ? text
        .slice(said.index + said[0].length)
        .replace(ADVICE, '')
        .trim()
    : ''
  if (!CLARIFIES.test(words)) return { byUser, words, answers: [] }
  const answers = [...words.matchAll(ANSWERED)].map(([, question = '', answer = '']) => ({
    question,
    answer,
  }))
  return { byUser, words: '', answers }
}
