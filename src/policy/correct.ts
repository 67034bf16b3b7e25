import { decisionOf } from '../core/decision.ts'
import { ReasonError, usageError } from '../core/reason.ts'
import { collapseSpaces, comparableText, quoteShort } from '../core/text.ts'
import {
  addItems,
  CHOICES,
  type Claim,
  CORRECTABLE,
  type CorrectableField,
  type CorrectedItem,
  type Decision,
  rejectionsIn,
  stands,
  type WorkState,
} from '../core/work.ts'
import { ITEM_NOUNS, matchItem, namesOf } from './match-item.ts'
import { isUsersClaim, type WordSource, whoseWord } from './whose-word.ts'

export type CorrectionAct =
  | { act: 'confirm' | 'remove' }
  | { act: 'reject'; why: string }
  | { act: 'reword'; to: string }

/** Second thoughts about one item of the work: the only one that the text means, in all fields or in one. */
export type Correction = { text: string; field: CorrectableField | null } & CorrectionAct

/** So many of what was taken back are remembered; the oldest goes first. */
const MOST_CORRECTED = 100

interface LocatedItem {
  field: CorrectableField
  text: string
  why?: string
  item: WorkState[CorrectableField][number]
}

/** An item that was corrected, in its words and the new ones. */
export const sayCorrected = ({ text, to }: Pick<CorrectedItem, 'text'> & { to?: string | undefined }) =>
  to === undefined ? text : `${text} → ${to}`

export function correctWork(
  before: WorkState,
  corrections: readonly Correction[],
  source: WordSource,
): { work: WorkState; items: CorrectedItem[] } {
  let work = before
  const items: CorrectedItem[] = []
  for (const correction of corrections) {
    const found = locateItem(work, correction)
    const by = whoseCorrection(source, correction, found)
    const { field, text } = found
    if (by === null) throw new ReasonError('users_word', { act: correction.act, item: quoteShort(text) })
    const { work: corrected, ...reworded } = applyCorrection(work, correction, found, by)
    items.push({ field, text, ...reworded })
    work = corrected
  }
  return { work, items }
}

/** Rejected and superseded decisions can be removed; all else is about what stands. */
function locateItem(work: WorkState, { act, text, field }: Correction): LocatedItem {
  const fields = CORRECTABLE.filter((one) => field === null || one === field)
  const all = fields.flatMap((one) => work[one].map((item): LocatedItem => ({ ...item, field: one, item })))
  const isOpen = ({ item }: LocatedItem) => 'confirmed' in item && !item.confirmed
  const items = all.filter(
    (one) => act === 'remove' || (stands(one.item) && (act !== 'confirm' || isOpen(one))),
  )
  const what = field === null ? (act === 'confirm' ? 'claim' : 'item') : ITEM_NOUNS[field]
  return matchItem(act === 'confirm' ? `unconfirmed ${what}` : what, items, text)
}

/**
 * Whose word a correction is; null where it is the user's to give. An agent takes back what is its own: what nobody
 * confirmed, what it saw itself, next steps and blockers. What the user confirmed goes only where a request of theirs
 * says so in a sentence that names it: any other sentence of theirs could be passed off as the reason.
 */
function whoseCorrection(source: WordSource, correction: Correction, { item }: LocatedItem) {
  const { act } = correction
  const tails = act === 'reword' ? [` to ${correction.to}`, ` to "${correction.to}"`] : ['']
  const orderFor = (name: string) =>
    tails.flatMap((tail) => [`${act} ${name}${tail}`, `${act} "${name}"${tail}`])
  const orders = act === 'confirm' ? namesOf(item) : namesOf(item).flatMap(orderFor)
  if (orders.some((order) => whoseWord(source, order) === 'user')) return 'user'
  return act === 'confirm' || ('confirmed' in item && isUsersClaim(item)) ? null : 'agent'
}

function applyCorrection(
  work: WorkState,
  correction: Correction,
  { field, text, item }: LocatedItem,
  by: WordSource['by'],
): { work: WorkState; to?: string } {
  switch (correction.act) {
    case 'confirm':
      return { work: replaceItem(work, field, item, { ...item, confirmed: true, origin: by }) }
    case 'remove':
      return { work: noteCorrected(replaceItem(work, field, item, null), { field, text }) }
    case 'reject':
      return { work: rejectItem(work, field, item, { why: correction.why, by }) }
    case 'reword': {
      const said = rewordItem(field, item, correction.to, by)
      if (reasonedText(said) === reasonedText(item))
        throw usageError(`the ${ITEM_NOUNS[field]} already has this text: ${quoteShort(text)}`)
      const twin = work[field].find((one) => one !== item && isSameText(one.text, said.text))
      if (twin)
        throw usageError(`there is already a ${ITEM_NOUNS[field]} like that: ${quoteShort(twin.text)}`)
      const reworded = replaceItem(work, field, item, said)
      // What was superseded by the old words is superseded by the new ones.
      const to = said.text
      const follow = (one: Decision) => (one.supersededBy === text ? { ...one, supersededBy: to } : one)
      const decisions = field === 'decisions' ? reworded.decisions.map(follow) : reworded.decisions
      return { work: noteCorrected({ ...reworded, decisions }, { field, text, to }), to }
    }
  }
}

/** A rejected item leaves its list; a decision against it says why, so that it does not come back. */
function rejectItem(
  work: WorkState,
  field: CorrectableField,
  item: LocatedItem['item'],
  { why, by }: { why: string; by: WordSource['by'] },
): WorkState {
  const { text } = item
  const rejection = { supersededBy: text, rejected: why }
  if (field === 'decisions') return replaceItem(work, field, item, { ...item, ...rejection })
  let without = work
  for (const list of CORRECTABLE.filter((one) => one !== 'decisions'))
    for (const one of work[list].filter((other) => isSameText(other.text, text)))
      without = noteCorrected(replaceItem(without, list, one, null), { field: list, text: one.text })
  const same = without.decisions.find((one) => isSameText(one.text, text))
  if (same)
    return replaceItem(without, 'decisions', same, { ...same, supersededBy: same.text, rejected: why })
  const against = { text, why: '', origin: by, confirmed: true, ...rejection }
  return { ...without, decisions: [...without.decisions, against] }
}

/** The same item in other words, which are the word of who gives them. */
function rewordItem<Item extends LocatedItem['item']>(
  field: CorrectableField,
  item: Item,
  to: string,
  by: WordSource['by'],
): Item {
  const isChoice = CHOICES.some((one) => one === field)
  const claim = 'confirmed' in item ? { origin: by, confirmed: by === 'user' || !isChoice } : {}
  if (!('supersededBy' in item)) return { ...item, text: to, ...claim }
  const { text, why } = decisionOf(to)
  return { ...item, text, ...(why === '' ? {} : { why }), ...claim }
}

/** The work with another item, or none, in the place of one. What somebody corrects is no longer only overheard. */
function replaceItem(work: WorkState, field: CorrectableField, old: object, fresh: object | null): WorkState {
  const list = work[field].flatMap((one): object[] => (one === old ? (fresh ? [fresh] : []) : [one]))
  const overheard = work.overheard?.filter((one) => one !== field)
  // `as`: each field keeps its own kind of item.
  return { ...work, [field]: list, ...(overheard ? { overheard } : {}) } as WorkState
}

const reasonedText = (item: { text: string; why?: string }) =>
  [item.text, item.why ?? ''].map(collapseSpaces).join('\n')

const noteCorrected = (work: WorkState, item: CorrectedItem): WorkState => ({
  ...work,
  corrected: withCorrected(work, [item]),
})

/** What was taken back, each once, with more of it. */
function withCorrected({ corrected = [] }: WorkState, more: readonly CorrectedItem[]): CorrectedItem[] {
  const isAgain = ({ field, text }: CorrectedItem) =>
    more.some((one) => one.field === field && one.text === text)
  return [...corrected.filter((one) => !isAgain(one)), ...more].slice(-MOST_CORRECTED)
}

/** What somebody took out of a file by hand is remembered as what a command takes out. */
export function noteVanished(before: WorkState, after: WorkState): WorkState {
  let work = after
  for (const field of CORRECTABLE) {
    if (after[field] === before[field]) continue
    const left = new Set(after[field].map(({ text }) => comparableText(text)))
    for (const { text } of before[field])
      if (!left.has(comparableText(text))) work = noteCorrected(work, { field, text })
  }
  return work
}

const isSameText = (some: string, other: string) => comparableText(some) === comparableText(other)

/** Items that an older session or file brings, without those that were taken back here since. */
export function withoutCorrected<Item extends { text: string }>(
  known: WorkState,
  field: CorrectableField,
  items: readonly Item[],
): Item[] {
  const taken = (known.corrected ?? []).filter((one) => one.field === field)
  const gone = new Set(taken.map(({ text }) => comparableText(text)))
  if (field !== 'decisions') for (const text of rejectionsIn(known).keys()) gone.add(text)
  for (const { text } of known[field]) gone.delete(comparableText(text))
  return items.filter(({ text }) => !gone.has(comparableText(text)))
}

/** The work with what was confirmed and taken back in other work that shares items with it. */
export function followCorrections(unconfirmed: WorkState, origin: WorkState): WorkState {
  const { corrected = [] } = origin
  const rejections = rejectionsIn(origin)
  const known = followConfirmations(unconfirmed, origin)
  if (corrected.length === 0 && rejections.size === 0) return known
  const work = { ...known, corrected: withCorrected(known, corrected) }
  for (const field of CORRECTABLE) {
    const kept = withoutCorrected<{ text: string }>(origin, field, known[field])
    const gone = known[field].filter((item) => !kept.includes(item))
    const said = corrected.flatMap(({ field: where, text, to }) =>
      where === field && to !== undefined && gone.some((item) => isSameText(item.text, text)) ? [to] : [],
    )
    const reworded = origin[field].filter(({ text }) => said.includes(text))
    Object.assign(work, { [field]: addItems<{ text: string }>(kept, reworded) })
  }
  const decisions = work.decisions.map((one) => rejections.get(comparableText(one.text)) ?? one)
  return { ...work, decisions: addItems(decisions, [...rejections.values()]) }
}

/** The work with the claims confirmed that are confirmed in the other one, by whom they were there. */
function followConfirmations(known: WorkState, origin: WorkState): WorkState {
  let work = known
  for (const field of CORRECTABLE) {
    const items: Array<{ text: string } & Partial<Claim>> = origin[field]
    for (const item of known[field]) {
      if (!('confirmed' in item) || item.confirmed) continue
      const same = items.find((one) => one.confirmed && stands(one) && isSameText(one.text, item.text))
      if (same) work = replaceItem(work, field, item, { ...item, confirmed: true, origin: same.origin })
    }
  }
  return work
}

/**
 * Ends what is no longer so: what the user says again stands, and what an agent says again does not where the user
 * rejected it. Nothing else in the lists is like what was rejected, because a rejection takes all of it out.
 */
export function settleRejections(work: WorkState, by: WordSource['by']): WorkState {
  const rejections = rejectionsIn(work)
  const corrected = work.corrected?.filter(
    ({ field, text }) => !work[field].some((one) => collapseSpaces(one.text) === collapseSpaces(text)),
  )
  const revived = new Set<Decision>()
  const lists = CORRECTABLE.filter((field) => field !== 'decisions').map((field) => {
    const items: Array<{ text: string } & Partial<Claim>> = work[field]
    const standing = items.filter(({ text, origin = by }) => {
      const rejection = rejections.get(comparableText(text))
      if (rejection && origin !== 'agent') revived.add(rejection)
      return !rejection || origin !== 'agent'
    })
    return [field, standing]
  })
  const decisions = work.decisions.filter((one) => !revived.has(one))
  return { ...work, ...(corrected ? { corrected } : {}), ...Object.fromEntries(lists), decisions }
}
