import { wellFormed } from '../../core/canonical.ts'
import { describeError } from '../../core/reason.ts'

const MAX_INDEX_CHARACTERS = 1024 * 1024
const KEY = 'last_checkpoint'

export interface StateIndex {
  activePlan: string | null
  /** A name or a number: tools write both. */
  stage: string | number | null
  tddPhase: string | null
  lastCheckpoint: string | null
}

/** What the index says. A value of another type than expected counts as absent; it is never changed. */
export function readIndex(text: string): StateIndex | { problem: string } {
  const read = parseIndex(text)
  if ('problem' in read) return read
  const { active_plan, active_plan_stage: stage, active_tdd_phase, last_checkpoint } = read.value
  return {
    activePlan: nonEmpty(active_plan),
    stage: typeof stage === 'number' ? stage : nonEmpty(stage),
    tddPhase: nonEmpty(active_tdd_phase),
    lastCheckpoint: nonEmpty(last_checkpoint),
  }
}

const nonEmpty = (value: unknown) =>
  typeof value === 'string' && value.trim() !== '' ? wellFormed(value.trim()) : null

/** The value of `last_checkpoint` as it is written there; null where the key, or a readable index, is not there. */
export function lastCheckpointIn(text: string): string | null {
  if ('problem' in parseIndex(text)) return null
  const mine = membersOf(text).members.findLast(({ key }) => key === KEY)
  return mine ? text.slice(mine.valueStart, mine.valueEnd) : null
}

/**
 * The index with another `last_checkpoint`, and every other character as it was: the file belongs to others, and
 * parsing and printing it again would change numbers, spaces and keys that are there twice. The value is given as it is
 * to be written; null takes the key away, as if it had never been put there.
 */
export function putLastCheckpoint(text: string, value: string | null): string | { problem: string } {
  const read = parseIndex(text)
  if ('problem' in read) return read
  const { open, close, members } = membersOf(text)
  // Where a key is there twice, readers take the last.
  const mine = members.findLast(({ key }) => key === KEY)
  if (value === null) return mine ? withoutMember(text, open, members, mine) : text
  if (mine) return spliceText(text, mine.valueStart, mine.valueEnd, value)
  const last = members.at(-1)
  if (!last) {
    const inside = text.slice(open + 1, close)
    const lineBreak = /\r\n|\n|\r/.exec(inside)?.[0]
    const gap = lineBreak === undefined ? inside : `${lineBreak}  `
    return spliceText(text, open + 1, open + 1, `${gap}"${KEY}": ${value}`)
  }
  const before = members.at(-2)
  const comma = before ? text.slice(before.valueEnd, last.start) : `,${text.slice(open + 1, last.start)}`
  const colon = text.slice(last.keyEnd, last.valueStart)
  return spliceText(text, last.valueEnd, last.valueEnd, `${comma}"${KEY}"${colon}${value}`)
}

function withoutMember(text: string, open: number, members: Member[], mine: Member): string {
  const at = members.indexOf(mine)
  const next = members[at + 1]
  if (next) return spliceText(text, mine.start, next.start, '')
  return spliceText(text, members[at - 1]?.valueEnd ?? open + 1, mine.valueEnd, '')
}

const spliceText = (text: string, start: number, end: number, put: string) =>
  text.slice(0, start) + put + text.slice(end)

function parseIndex(text: string): { value: Record<string, unknown> } | { problem: string } {
  if (text.length > MAX_INDEX_CHARACTERS)
    return { problem: `it has more than ${MAX_INDEX_CHARACTERS} characters` }
  if (text.trim() === '') return { problem: 'it is empty' }
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { problem: 'it is not a JSON object' }
    // `as`: every object but null and lists can be read by its keys.
    return { value: value as Record<string, unknown> }
  } catch (error) {
    const why = describeError(error).replace(/\p{Cc}/gu, ' ')
    return { problem: `it is not JSON (${why.slice(0, 120)})` }
  }
}

interface Member {
  key: string
  start: number
  keyEnd: number
  valueStart: number
  valueEnd: number
}

/**
 * Where the members of the outermost object stand. The text has passed the strict parser already, so strings,
 * brackets, commas and colons are all there is to look at; nothing nests on the stack.
 */
function membersOf(text: string): { open: number; close: number; members: Member[] } {
  const open = text.indexOf('{')
  const members: Member[] = []
  let member: Member | null = null
  let depth = 0
  let close = open
  for (let at = open; at < text.length; at += 1) {
    const character = text[at]
    const start = at
    if (character === '"') at = endOfString(text, at) - 1
    else if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') depth -= 1
    if (depth === 0) {
      close = at
      break
    }
    if (depth === 1 && start > open && !/[\s,:]/.test(character ?? '')) {
      if (!member) {
        const key: unknown = JSON.parse(text.slice(start, at + 1))
        member = { key: String(key), start, keyEnd: at + 1, valueStart: -1, valueEnd: -1 }
        members.push(member)
      } else {
        if (member.valueStart < 0) member.valueStart = start
        member.valueEnd = at + 1
      }
    } else if (depth === 2 && member && member.valueStart < 0) member.valueStart = start
    if (depth === 1 && character === ',') member = null
  }
  return { open, close, members }
}

function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '"') return at + 1
  }
  return text.length
}
