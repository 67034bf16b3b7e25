import { plainText } from '../core/bullets.ts'
import { canonicalJson } from '../core/canonical.ts'
import { decisionSentence } from '../core/decision.ts'
import { collapseSpaces } from '../core/text.ts'
import type { Decision, WorkState } from '../core/work.ts'

/** A field of which something did not come back, and how much of it. */
export interface LostField {
  field: string
  count: number
}

/** So many items with the same words are compared; a list of thousands of them must not take hours. */
const MOST_ALIKE = 8

/**
 * What of a work is not in another: an item that is missing counts for its list, one that came back with less for the
 * part that it lacks (`done.at`). Blanks and characters that drive a terminal make no difference, nor does the order.
 */
export function lostFields(before: WorkState, after: WorkState): LostField[] {
  const lost = new Map<string, number>()
  const lose = (field: string, count = 1) => lost.set(field, (lost.get(field) ?? 0) + count)
  for (const [field, value] of Object.entries(before)) {
    const back: unknown = Reflect.get(after, field)
    if (field === 'position') {
      for (const [part, said] of Object.entries(before.position))
        if (!isNothing(said) && comparable(said) !== comparable(Reflect.get(after.position, part)))
          lose(`position.${part}`)
    } else if (!Array.isArray(value)) {
      if (!isNothing(value) && comparable(value) !== comparable(back)) lose(field)
    } else {
      const found = new Map<string, unknown[]>()
      for (const item of Array.isArray(back) ? back : []) {
        const alike = found.get(keyOf(item)) ?? []
        if (alike.length < MOST_ALIKE) found.set(keyOf(item), [...alike, item])
      }
      for (const item of value) {
        if (keyOf(item) === '') continue
        // Of several with the same words, the one is meant that has most of its parts.
        const [nearest] = (found.get(keyOf(item)) ?? [])
          .map((same) => missingParts(item, same))
          .sort((one, other) => one.length - other.length)
        if (nearest === undefined) lose(field)
        else for (const part of nearest) lose(`${field}.${part}`)
      }
    }
  }
  return [...lost].map(([field, count]) => ({ field, count }))
}

const isNothing = (value: unknown) => value === undefined || value === null || comparable(value) === '""'

const comparable = (value: unknown): string =>
  canonicalJson(
    JSON.parse(JSON.stringify(value ?? null), (_key, one: unknown) =>
      typeof one === 'string' ? collapseSpaces(plainText(one)) : one,
    ),
  )

const isDecision = (item: object): item is Decision => 'why' in item

/** What makes an item the same one; empty where it says nothing. */
function keyOf(item: unknown): string {
  if (typeof item !== 'object' || item === null) return comparable(item)
  const { path, kind = '', text = '' } = Object(item)
  const said = String(path ?? (isDecision(item) ? decisionSentence(item) : text))
  const words = collapseSpaces(plainText(said))
  return words === '' ? '' : `${kind}\n${words}`
}

function missingParts(item: object, back: unknown): string[] {
  return Object.entries(item)
    .filter(([part]) => !['text', 'why', 'path', 'kind', 'field'].includes(part))
    .filter(([part, said]) => {
      const other: unknown = Reflect.get(Object(back), part)
      if (part === 'supersededBy' && said !== null && other !== null)
        return !isItself(item, said) && comparable(said) !== comparable(other)
      return said !== null ? comparable(said) !== comparable(other) && !isNothing(said) : other !== null
    })
    .map(([part]) => part)
}

/** Without a successor, a decision names itself. */
const isItself = (item: object, by: unknown) =>
  comparable(by) === comparable(Reflect.get(item, 'text')) || isNothing(by)
