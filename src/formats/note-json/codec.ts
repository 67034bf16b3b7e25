import { wellFormed } from '../../core/canonical.ts'
import { decisionOf, decisionSentence } from '../../core/decision.ts'
import { parseBytesOrUndefined } from '../../core/json.ts'
import { emptyWork, stands, type WorkState } from '../../core/work.ts'

/** No note of anybody's comes near this; what is larger is not parsed. */
export const MAX_NOTE_BYTES = 1024 * 1024

export interface Note {
  timestamp: string
  summary: string
  decisions: string[]
  next_action: string
  blockers: string[]
  context: {
    active_plan: string | null
    active_plan_stage: string | number | null
    active_tdd_phase: string | null
    files_in_progress: string[]
  }
}

const MARK = ' (UNCONFIRMED)'

/**
 * The note's text: the contract's keys in its order. It has room for one next action, the first; the store has
 * them all. Nothing in it can drive a terminal: what JSON would leave bare is escaped too.
 */
export function encodeNote(from: {
  work: WorkState
  at: string
  plan: string | null
  stage: string | number | null
  tddPhase: string | null
  files: readonly string[]
}): string {
  const { work, at, plan, stage, tddPhase, files } = from
  const decisions = work.decisions.filter(stands)
  const note: Note = {
    timestamp: at,
    summary: work.now.trim() || firstLine(work.state),
    decisions: decisions.map((one) => `${decisionSentence(one)}${one.confirmed ? '' : MARK}`),
    next_action: work.next[0]?.text ?? '',
    blockers: work.blockers.map(({ text }) => text),
    context: {
      active_plan: plan,
      active_plan_stage: stage,
      active_tdd_phase: tddPhase,
      files_in_progress: [...new Set(files)],
    },
  }
  const sound = (_key: string, value: unknown) => (typeof value === 'string' ? wellFormed(value) : value)
  const text = JSON.stringify(note, sound, 2)
  return `${text.replace(/[\u007F-\u009F\u2028-\u202E\u2066-\u2069]/g, escapeCharacter)}\n`
}

const escapeCharacter = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

const firstLine = (text: string) =>
  text
    .split(/[\r\n]+/)
    .find((line) => line.trim() !== '')
    ?.trim() ?? ''

/** Reads a note of anybody's. Keys that the contract does not have are passed over; it never throws. */
export function decodeNote(bytes: Uint8Array, path: string): { note: Note } | { problem: string } {
  if (bytes.length > MAX_NOTE_BYTES) return { problem: `${path}: it is larger than ${MAX_NOTE_BYTES} bytes` }
  const value = parseBytesOrUndefined(bytes)
  if (value === undefined) return { problem: `${path}: it is not JSON` }
  if (!isRecord(value)) return { problem: `${path}: it is not a JSON object` }
  const { summary, decisions, next_action, blockers, timestamp } = value
  if ([summary, decisions, next_action, blockers].every((one) => one === undefined))
    return { problem: `${path}: it has no summary, no decisions, no next action and no blockers` }
  const context = isRecord(value.context) ? value.context : {}
  return {
    note: {
      timestamp: textOf(timestamp) ?? '',
      summary: textOf(summary) ?? '',
      decisions: listOf(decisions),
      next_action: listOf(next_action).join('; '),
      blockers: listOf(blockers),
      context: {
        active_plan: nonEmpty(context.active_plan),
        active_plan_stage: stageOf(context.active_plan_stage),
        active_tdd_phase: nonEmpty(context.active_tdd_phase),
        files_in_progress: listOf(context.files_in_progress),
      },
    },
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return wellFormed(value).trim()
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null
}

const nonEmpty = (value: unknown) => textOf(value) || null
const stageOf = (value: unknown) => (typeof value === 'number' ? value : nonEmpty(value))

/** A list of texts; people also write one text, or an object for each decision. */
function listOf(value: unknown): string[] {
  const items = Array.isArray(value) ? value : [value]
  return items.map((item) => textOf(item) ?? sentenceOf(item)).filter((text) => text !== '')
}

function sentenceOf(value: unknown): string {
  if (!isRecord(value)) return ''
  const { decision, text, path, rationale, why, reason } = value
  const said = [decision, text, path].map(textOf).find((one) => one) ?? ''
  return decisionSentence({ text: said, why: [rationale, why, reason].map(textOf).find((one) => one) ?? '' })
}

/** What a note tells about the work; what it is silent about is not in the answer. */
export function noteToWork(note: Note): Partial<WorkState> {
  const { active_plan_stage: stage, active_tdd_phase: tddPhase, files_in_progress: files } = note.context
  return {
    ...(note.summary === '' ? {} : { now: note.summary }),
    decisions: note.decisions.map((sentence) => ({
      ...decisionOf(sentence.endsWith(MARK) ? sentence.slice(0, -MARK.length) : sentence),
      origin: 'file',
      confirmed: !/\bUNCONFIRMED\b/.test(sentence),
      supersededBy: null,
    })),
    ...(note.next_action === '' ? {} : { next: [{ text: note.next_action }] }),
    blockers: note.blockers.map((text) => ({ text })),
    artifacts: files.map((path) => ({ path, action: '', description: '' })),
    ...(stage === null && tddPhase === null
      ? {}
      : { position: { ...emptyWork().position, stage: String(stage ?? ''), tddPhase: tddPhase ?? '' } }),
  }
}
