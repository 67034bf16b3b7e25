import { decisionOf } from '../core/decision.ts'
import type { Claim, WorkState } from '../core/work.ts'
import { type Passage, passagesOf } from './passages.ts'

/** What a summary does not carry, the most important first. */
export interface Dropped {
  items: DroppedItem[]
}

export interface DroppedItem {
  field: (typeof FIELDS)[number]
  text: string
  /** Of a decision; empty for all else. */
  why: string
  confirmed: boolean
}

const FIELDS = ['decisions', 'rules', 'constraints', 'questions', 'blockers', 'next'] as const

/** How near a summary must come to what was said. */
interface Demand {
  /** Whether the opposite of it is something else: a next step that is not done yet is still that step. */
  denial: boolean
  /** Whether what something was preferred to must be named as well. */
  asides: boolean
}
const DEMANDS: Record<DroppedItem['field'], Demand> = {
  decisions: { denial: true, asides: false },
  rules: { denial: true, asides: true },
  constraints: { denial: true, asides: true },
  questions: { denial: false, asides: true },
  blockers: { denial: false, asides: true },
  next: { denial: false, asides: true },
}

/** The share of the words that must be there, besides those without which it says something else. */
const NEARLY_ALL = 0.85
/** A text of more sentences is looked for in the summary as a whole. */
const LONG = 8

/** What is known of the work and not in the summary that a client made of a conversation. */
export function droppedFrom(work: WorkState, summary: string): Dropped {
  const kept = withoutAnalysis(summary)
  const told = indexed(kept)
  const seen = new Set<string>()
  const items = FIELDS.flatMap((field) => itemsOf(work, field)).filter(({ field, text }) => {
    const said = text.trim()
    const key = said.toLowerCase()
    if (said === '' || seen.has(key)) return false
    seen.add(key)
    // Why it was decided is given back with a decision; that it is missing alone does not make the decision lost.
    const claim = field === 'decisions' ? decisionOf(said).text : said
    return !isCarried(claim, DEMANDS[field], told) && !isQuoted(claim, kept)
  })
  return { items }
}

function itemsOf(work: WorkState, field: DroppedItem['field']): DroppedItem[] {
  if (field === 'decisions')
    return work.decisions
      .filter(({ supersededBy }) => supersededBy === null)
      .map(({ text, why, confirmed }) => ({ field, text, why, confirmed }))
  const items: ReadonlyArray<Pick<Claim, 'text'> & Partial<Claim>> = work[field]
  return items.map(({ text, confirmed = true }) => ({ field, text, why: '', confirmed }))
}

/** The client thinks aloud before its summary, and keeps nothing of that. */
function withoutAnalysis(summary: string): string {
  const start = summary.indexOf('<analysis>')
  const end = start < 0 ? -1 : summary.indexOf('</analysis>', start)
  const rest = end < 0 ? summary : `${summary.slice(0, start)}\n${summary.slice(end + '</analysis>'.length)}`
  return rest.replace(/<\/?summary>/g, '\n')
}

/** Whether a word is said in a place, and whether it is denied there: any of both, as bits. */
const SAID = 1
const DENIED = 2
const bitOf = ({ isNegated }: { isNegated: boolean }) => (isNegated ? DENIED : SAID)

interface Told {
  passages: ReadonlyArray<Passage & { bits: ReadonlyMap<string, number> }>
  /** In which passages a word stands, in order. */
  places: ReadonlyMap<string, number[]>
  whole: ReadonlyMap<string, number>
}

function indexed(summary: string): Told {
  const places = new Map<string, number[]>()
  const passages = passagesOf(summary).map((passage, at) => {
    const bits = bitsOf([passage])
    for (const stem of bits.keys()) {
      const list = places.get(stem)
      if (list) list.push(at)
      else places.set(stem, [at])
    }
    return { ...passage, bits }
  })
  return { passages, places, whole: bitsOf(passages) }
}

function bitsOf(passages: readonly Passage[]): Map<string, number> {
  const bits = new Map<string, number>()
  for (const { words } of passages)
    for (const word of words) bits.set(word.stem, (bits.get(word.stem) ?? 0) | bitOf(word))
  return bits
}

interface Wanted {
  stem: string
  bits: number
  isKey: boolean
  counts: boolean
  /** A verb of choosing, which may stand in a denial that is none: "why not use". */
  isLight: boolean
}

/** For a text without words that bear meaning, an emoji or "do it": whether it stands there as it is. */
function isQuoted(claim: string, summary: string): boolean {
  if (passagesOf(claim).length > 0) return false
  const isFree = (at: number) => !/[\p{L}\p{N}]/u.test(summary.charAt(at))
  for (let at = summary.indexOf(claim); at >= 0; at = summary.indexOf(claim, at + claim.length))
    if (isFree(at - 1) && isFree(at + claim.length)) return true
  return false
}

/** Whether one place of the summary says it: its words near each other, and none of them denied. */
function isCarried(claim: string, demand: Demand, { passages, places, whole }: Told): boolean {
  const said = passagesOf(claim)
  const wanted = wantedOf(said, demand)
  if (wanted.length === 0) return false
  if (said.length > LONG) return isMet(wanted, demand, (stem) => whole.get(stem) ?? 0)
  const starts = new Set(wanted.flatMap(({ stem }) => places.get(stem) ?? []))
  for (const start of starts)
    for (const length of [said.length, said.length + 1]) {
      const near = passages.slice(start, start + length)
      // A sentence more than was said is near only in the same paragraph.
      if (length > said.length && near.at(-1)?.block !== near[0]?.block) continue
      const around = [...near, ...(near[0]?.under ?? []).flatMap((at) => passages[at] ?? [])]
      const bitsAt = (stem: string) => around.reduce((all, { bits }) => all | (bits.get(stem) ?? 0), 0)
      if (isMet(wanted, demand, bitsAt)) return true
    }
  return false
}

/** The words that count: light ones only where there are no others. */
function wantedOf(said: readonly Passage[], { asides, denial }: Demand): Wanted[] {
  const words = said.flatMap((passage) => passage.words)
  const light = new Set(words.filter((word) => word.isLight || (denial && word.isRejecting)))
  const lightStems = new Set([...light].map(({ stem }) => stem))
  const full = words.filter((word) => !light.has(word) && (asides || !word.isAside))
  const counting = new Set((full.length > 0 ? full : words).map(({ stem }) => stem))
  const keys = new Set(full.filter(({ isKey }) => isKey).map(({ stem }) => stem))
  const bits = bitsOf(said)
  return [...bits].map(([stem, own]) => ({
    stem,
    bits: own,
    isKey: keys.has(stem),
    counts: counting.has(stem),
    isLight: lightStems.has(stem),
  }))
}

function isMet(wanted: readonly Wanted[], { denial }: Demand, bitsAt: (stem: string) => number): boolean {
  let [present, all] = [0, 0]
  for (const { stem, bits, isKey, counts, isLight } of wanted) {
    const found = bitsAt(stem)
    if (denial && !isLight && found !== 0 && (found & bits) === 0) return false
    if (found === 0 && isKey) return false
    if (!counts) continue
    all += 1
    present += found === 0 ? 0 : 1
  }
  return present >= all * NEARLY_ALL
}
