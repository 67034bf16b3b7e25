import { decisionSentence } from '../core/decision.ts'
import { usageError } from '../core/reason.ts'
import { quoteShort } from '../core/text.ts'

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
