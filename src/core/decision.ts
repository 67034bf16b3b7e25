import type { Decision } from './work.ts'

// One blank on each side: a run of blanks must not be tried from each of its places.
const BECAUSE = /\sbecause\s/i

/** A decision as one sentence: its text, and why, where the text does not say it already. */
export function decisionSentence({ text, why }: Pick<Decision, 'text' | 'why'>): string {
  const [said, reason] = [text.trim(), why.trim()]
  if (reason === '' || said === reason || said.includes(` because ${reason}`)) return said
  if (said === '') return reason
  return BECAUSE.test(said) ? `${said}; ${reason}` : `${said.replace(/\.$/, '')} because ${reason}`
}

/** The other way: the first "because" parts a sentence into the choice and its reason. */
export function decisionOf(sentence: string): Pick<Decision, 'text' | 'why'> {
  const found = BECAUSE.exec(sentence)
  const text = found ? sentence.slice(0, found.index).trim() : ''
  const why = found ? sentence.slice(found.index + found[0].length).trim() : ''
  return text === '' || why === '' ? { text: sentence.trim(), why: '' } : { text, why }
}
