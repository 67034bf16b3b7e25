import { gunzipSync, gzipSync } from 'node:zlib'
import { canonicalJson, clipText, sha256 } from '../../core/canonical.ts'
import type { Checkpoint, CommandOutcome, Trigger, TriggerKind } from '../../core/checkpoint.ts'
import { parseBytesOrUndefined } from '../../core/json.ts'
import { describeError, ReasonError } from '../../core/reason.ts'
import {
  FORMAT_VERSION,
  type SnapshotDocument,
  type SnapshotSource,
  type SourceDetail,
  type WrittenSnapshot,
} from './document.ts'
import { snapshotSchema } from './schema.ts'

/** No snapshot of ours comes near this; what is larger is not read into memory. */
export const MAX_SNAPSHOT_BYTES = 4 * 1024 * 1024

/** How many violations a document lists, the newest ones; the rest is counted as dropped. */
const SHOWN_VIOLATIONS = 20

/** The contract has four sources; each of our triggers is written as the nearest. */
const NEAREST_SOURCE = {
  phase: 'step_boundary',
  step: 'step_boundary',
  decision: 'step_boundary',
  shift: 'step_boundary',
  'session-end': 'step_boundary',
  error: 'error_boundary',
  risk: 'error_boundary',
  timer: 'timer',
  pressure: 'timer',
  compaction: 'timer',
  manual: 'manual',
  adopted: 'manual',
} as const satisfies Record<TriggerKind, SnapshotSource>

const detailOf = ({ kind, at, note }: Trigger): SourceDetail => ({
  source: NEAREST_SOURCE[kind],
  trigger: kind,
  at,
  ...(note === '' ? {} : { note }),
})

/**
 * The document that shows a run's checkpoint. `later` are the triggers it took in after it was written:
 * they stand in `latest.json` and in what `show` gives, never in the history file.
 */
export function snapshotOf(
  checkpoint: Checkpoint,
  run: string,
  { eligible, reason_code, next_actions }: SnapshotDocument['step_state']['resume_hints'],
  later: Trigger[] = [],
): SnapshotDocument {
  const { position } = checkpoint.work
  const step = position.plan?.steps.find(({ id }) => id === position.step) ?? position.plan?.steps[0]
  const details = [...checkpoint.triggers, ...later].map(detailOf)
  const violations = position.plan?.violations ?? []
  return sealSnapshot({
    snapshot_id: checkpoint.id,
    created_at: checkpoint.at,
    run_id: run,
    source: details[0]?.source ?? 'manual',
    source_details: details,
    status: checkpoint.progress,
    step_state: {
      plan_path: position.plan?.path ?? '',
      step_id: step?.id ?? '',
      step_ordinal: step?.ordinal ?? 0,
      step_status: step?.state ?? 'pending',
      todo_compliance: {
        result: violations.length === 0 ? 'PASS' : 'FAIL',
        violations: violations.slice(-SHOWN_VIOLATIONS).map((violation) => clipText(violation, 400)),
        checked_at: checkpoint.at,
      },
      resume_hints: { eligible, reason_code, next_actions },
    },
    context_digest: {
      window_pressure: checkpoint.health.pressure,
      protected_artifacts: checkpoint.health.protected,
      dropped_items: checkpoint.health.dropped + Math.max(0, violations.length - SHOWN_VIOLATIONS),
      policy_profile: checkpoint.health.profile,
    },
    command_outcomes: checkpoint.change.commands.map(inOrder),
  })
}

/** The contract's order of fields; canonical text has them by the alphabet. */
const inOrder = ({
  kind,
  name,
  result,
  duration_ms,
  reason_code,
  summary,
}: CommandOutcome): CommandOutcome => ({
  ...{ kind, name, result, duration_ms },
  ...(reason_code === undefined ? {} : { reason_code }),
  summary,
})

const sealSnapshot = (body: Omit<SnapshotDocument, 'integrity'>): SnapshotDocument => ({
  ...body,
  integrity: { checksum: `sha256:${sha256(canonicalJson(body))}`, format_version: FORMAT_VERSION },
})

/** The checksum with or without its name; of a text with every other letter escaped too, as some languages write JSON. */
function isSealed({ integrity, ...body }: WrittenSnapshot): boolean {
  const text = canonicalJson(body)
  const digest = integrity.checksum.replace('sha256:', '')
  return digest === sha256(text) || digest === sha256(escapeBeyondAscii(text))
}

const escapeBeyondAscii = (text: string) =>
  text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** What the contract leaves out is filled in: a document of ours is as it was written. */
function inOurWords({ snapshot_id, run_id, source, ...read }: WrittenSnapshot): SnapshotDocument {
  const { created_at: written, source_details: sources = [source], ...rest } = read
  const created_at = utcOf(written)
  const source_details = sources.map((one) =>
    typeof one === 'string'
      ? { source: one, trigger: TRIGGER_OF_SOURCE[one], at: created_at }
      : { ...one, at: utcOf(one.at) },
  )
  return { snapshot_id, created_at, run_id, source, source_details, ...rest }
}

const utcOf = (time: string) => time.replace('+00:00', 'Z')

const TRIGGER_OF_SOURCE = {
  step_boundary: 'step',
  error_boundary: 'error',
  timer: 'timer',
  manual: 'manual',
} as const satisfies Record<SnapshotSource, TriggerKind>

/** The file's bytes: the contract's field order, readable, one newline at the end. */
export const encodeSnapshot = (document: SnapshotDocument): Buffer =>
  Buffer.from(`${JSON.stringify(document, null, 2)}\n`)

export const compressSnapshot = (plain: Uint8Array): Buffer => gzipSync(plain, { level: 6 })

/** Reads a snapshot's bytes, plain or gzip. Throws one of the contract's two reading reasons. */
export function decodeSnapshot(bytes: Uint8Array, path: string): SnapshotDocument {
  const plain = isGzip(bytes) ? inflateHistory(bytes, path) : bytes
  const value = parseBytesOrUndefined(plain)
  if (value === undefined) throw invalid(path, 'it is not JSON')
  const parsed = snapshotSchema.safeParse(value)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const where = issue?.path.join('.') || 'the document'
    throw invalid(path, `${where}: ${issue?.message ?? 'unknown problem'}`)
  }
  if (!isSealed(parsed.data))
    throw new ReasonError('checkpoint_integrity_mismatch', { path, problem: 'the content was changed' })
  return inOurWords(parsed.data)
}

export const isGzip = (bytes: Uint8Array) => bytes[0] === 0x1f && bytes[1] === 0x8b

/** The uncompressed bytes of a history file. A file that inflates past the cap is not one of ours. */
export function inflateHistory(bytes: Uint8Array, path: string): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_SNAPSHOT_BYTES })
  } catch (error) {
    throw invalid(path, `it could not be decompressed (${describeError(error)})`)
  }
}

const invalid = (path: string, problem: string) =>
  new ReasonError('checkpoint_schema_invalid', { path, problem })
