import { LINE_FEED, readCost, startReading } from './token-cost.ts'
import type { WorkField } from './work.ts'

/** One item of one field of the work, as a text that costs tokens. */
export interface BudgetPart {
  field: WorkField
  text: string
  /** A finished artifact, or a decision that another one replaced. */
  finished?: boolean
  /** A breadcrumb whose target is gone. */
  stale?: boolean
  /** The text without its end, where that can go. */
  clip?: string
}

/** What was cut from a field to meet a budget, as data: the caller writes the sentence. */
export interface BudgetCut {
  field: WorkField
  count: number
  how: 'summarised' | 'pruned' | 'shortened'
  why: 'stale' | 'finished' | 'superseded' | 'older' | 'long'
}

export interface BudgetFit {
  /** Parallel to the parts: which stay, and of which only the clip does. */
  kept: boolean[]
  clipped: boolean[]
  cuts: BudgetCut[]
  tokens: number
  fits: boolean
}

/** Less than a whole token, so that the estimate errs upward: a rare word has more tokens than its letters tell. */
const COUNTED_AS_TOKEN = 95

/**
 * An estimate by the rules of o200k, without its vocabulary: on 100 KB of code, prose, JSON or CJK text it is up to a
 * tenth above the real count. It can be below it where most words are rare, as in a list of names or in Polish. Each
 * line is rounded by itself, so the lines of a text cost together what they cost alone; only an empty line costs
 * nothing behind another one.
 */
export function estimateTokens(text: string): number {
  if (text === '') return 0
  const reading = startReading(text)
  let tokens = 0
  let line = 0
  while (reading.at < text.length) {
    line += readCost(reading)
    if (reading.unit !== LINE_FEED) continue
    tokens += Math.round(line / COUNTED_AS_TOKEN)
    line = 0
  }
  return Math.max(1, tokens + Math.round(line / COUNTED_AS_TOKEN))
}
