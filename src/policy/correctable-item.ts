import { type CorrectableField, stands, type WorkState } from '../core/work.ts'

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
