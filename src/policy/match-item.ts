import { decisionSentence } from '../core/decision.ts'
import { usageError } from '../core/reason.ts'
import { quoteShort } from '../core/text.ts'
import { type CorrectableField, stands, type WorkState } from '../core/work.ts'

interface NamedItem {
  text: string
  why?: string
}

/** How an item is written: its text alone, and a decision with its reason as files and briefs show it. */
export function namesOf({ text, why = '' }: NamedItem): string[] {
  const names = why === '' ? [text] : [text, decisionSentence({ text, why }), `${text} (why: ${why})`]
  return names.map((name) => name.toLowerCase())
}

/** A refusal names so many of what is there. */
const MOST_NAMED = 10

/** The one item that a text means: it is the text, or the only one that contains it. */
export function matchItem<Item extends NamedItem>(what: string, items: readonly Item[], text: string): Item {
  const wanted = text.trim().toLowerCase()
  const same = items.filter((item) => namesOf(item).includes(wanted))
  const found = same.length > 0 ? same : items.filter((item) => item.text.toLowerCase().includes(wanted))
  const [only] = found
  if (only !== undefined && found.length === 1) return only
  const close = found.length > 0 ? found : items
  const named = close.slice(0, MOST_NAMED).map((item) => JSON.stringify(item.text.slice(0, 60)))
  const more = close.length - named.length
  const known = `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  const said = quoteShort(text.slice(0, 60))
  throw usageError(
    found.length === 0
      ? `no ${what} matches ${said}${known === '' ? '' : `; known: ${known}`}`
      : `several match ${said}: ${known}. Give more of the text`,
  )
}

/** What a user calls an item of each list that can be corrected: as the options of a save do. */
export const ITEM_FIELD_NAMES = {
  decisions: 'decision',
  constraints: 'constraint',
  rules: 'rule',
  facts: 'fact',
  questions: 'question',
  next: 'next',
  blockers: 'blocker',
} as const satisfies Record<CorrectableField, string>

export const ITEM_NOUNS: Record<CorrectableField, string> = { ...ITEM_FIELD_NAMES, next: 'next step' }

/** An item that can be confirmed, rejected, said in other words or removed. */
export interface ItemToCorrect {
  field: (typeof ITEM_FIELD_NAMES)[CorrectableField]
  text: string
  why: string
  origin: WorkState['rules'][number]['origin'] | null
  confirmed: boolean
}

/** The item at a place of a list; null where there is none, or where it does not hold any more. */
export function itemToCorrect(work: WorkState, field: CorrectableField, index: number): ItemToCorrect | null {
  const item = work[field][index]
  if (item === undefined || !stands(item)) return null
  return {
    ...{ field: ITEM_FIELD_NAMES[field], text: item.text, why: 'why' in item ? item.why : '' },
    ...{ origin: 'origin' in item ? item.origin : null },
    confirmed: 'confirmed' in item ? item.confirmed : true,
  }
}
