import type { WorkState } from './work.ts'

/** One item of one field of the work, as a text that costs tokens. */
export interface Part {
  field: keyof WorkState
  text: string
  /** A finished artifact, or a decision that another one replaced. */
  finished?: boolean
  /** A breadcrumb whose target is gone. */
  stale?: boolean
}

/** What a budget cost a field, as data: the words for it are made where it is told. */
export interface Cut {
  field: keyof WorkState
  count: number
  how: 'summarised' | 'pruned'
  why: 'stale' | 'finished' | 'superseded' | 'older'
}

export interface Fitted {
  /** Parallel to the parts. */
  kept: boolean[]
  cuts: Cut[]
  tokens: number
  fits: boolean
}

/** Words, words in capitals, numbers, spaces, one mark repeated, and any other character alone. */
const RUNS = /[A-Z]?[a-z]+|[A-Z]+|[0-9]+| +|([!-/:-@[-`{-~])\1*|[^ -~]/g

/**
 * An estimate that errs upward, of no tokenizer in particular: four letters of a word make a token, two of one in
 * capitals, a digit one, a mark one (repeated ones share), a line break one, an accented or Cyrillic letter one,
 * a CJK character or a symbol two, an emoji three; a single space goes with the word behind it. No run crosses a
 * line break, so the lines of a text cost together what they cost alone.
 */
export function estimateTokens(text: string): number {
  if (text === '') return 0
  let tokens = 0
  for (const [run] of text.matchAll(RUNS)) tokens += costOf(run)
  return Math.max(1, tokens)
}

function costOf(run: string): number {
  const { length } = run
  const last = run.charCodeAt(length - 1)
  if (last >= 0x800) return last >= 0xdc00 && last <= 0xdfff ? 1 : 2
  if (/[a-z]/.test(run)) return Math.ceil(length / 4)
  if (/[A-Z]/.test(run)) return Math.ceil(length / 2)
  // A space does not go with a number, so a lone digit stands for two tokens.
  if (/[0-9]/.test(run)) return Math.max(2, length)
  if (run.startsWith(' ')) return length === 1 ? 0 : Math.ceil(length / 4)
  return Math.ceil(length / 3)
}
