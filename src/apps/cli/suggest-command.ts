import { nearestName } from '../../core/text.ts'
import { OTHER_WORDS } from '../../verbs/table.ts'

/** What people type who know other programs, and what it is called here. */
const KNOWN_ELSEWHERE: Readonly<Record<string, string>> = {
  ...{ revert: 'undo', rollback: 'undo', back: 'undo', redo: 'undo --redo' },
  ...{ commit: 'save', add: 'save', store: 'save', brief: 'resume', continue: 'resume', load: 'resume' },
  ...{ ls: 'list', log: 'show --history', history: 'show --history', delete: 'remove', rm: 'remove' },
  ...{ find: 'search', grep: 'search', why: 'search', cat: 'show', view: 'show', mv: 'rename' },
  ...{ setup: 'init', install: 'init', check: 'doctor', repair: 'doctor --fix', fix: 'doctor --fix' },
  ...{ session: 'sessions', settings: 'config explain', done: 'archive' },
  ...{
    close: 'archive',
    finish: 'archive',
    branch: 'fork',
    switch: 'focus',
    checkout: 'focus',
    use: 'focus',
  },
}

/** What is said of a word that is no command: the one that is meant, or where all of them are listed. */
export function sayUnknownCommand(word: string, group: string | null, near: readonly string[]): string {
  const known = group === null && Object.hasOwn(KNOWN_ELSEWHERE, word) ? KNOWN_ELSEWHERE[word] : undefined
  const old = group === null ? nearestName(word, Object.keys(OTHER_WORDS)) : null
  // A slip of the finger seldom is in the first letter: a word that begins otherwise is another word.
  const meant =
    known ??
    [...near, ...(old === null ? [] : [old])].find((name) => name.charAt(0) === word.charAt(0).toLowerCase())
  return meant === undefined
    ? `unknown command '${word}'. See: savepoint ${group === null ? '' : `${group} `}--help`
    : `unknown command '${word}' (Did you mean ${meant}?)`
}
