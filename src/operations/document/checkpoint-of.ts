import { sha256 } from '../../core/canonical.ts'
import {
  type Change,
  type Checkpoint,
  noChange,
  type Provenance,
  type Trigger,
} from '../../core/checkpoint.ts'
import { adoptedId, checkpointId } from '../../core/id.ts'
import { instant } from '../../core/ports.ts'
import { decodeDocument } from '../../formats/checkpoint-md/codec.ts'
import { saysCurrent } from '../../formats/checkpoint-md/read.ts'
import { completionOf, workOf } from '../../formats/checkpoint-md/work.ts'
import { redactAll } from '../../policy/redact.ts'
import type { DocumentCommit, Stream } from '../../store/store.ts'
import type { Context } from '../context.ts'

/** A version of a document that is to become a checkpoint. */
export interface NewPoint {
  stream: Pick<Stream, 'id'>
  text: string
  parent: string | null
  /** The head that was seen, which it goes after; null where the stream begins. */
  after: { id: string; sequence: number } | null
  trigger: Pick<Trigger, 'kind' | 'note'>
  change?: Change
  provenance: Provenance
  /** It holds text that nobody here has reviewed. */
  foreign: boolean
}

/** A point ready to be committed: the checkpoint, its text, and its version. */
export interface Point {
  checkpoint: Checkpoint
  hash: string
  current: boolean
  commit: Required<Pick<DocumentCommit, 'appends' | 'texts' | 'versions'>>
}

/** Makes a checkpoint of a document's text. What is told of it is redacted; its bytes are kept as they are. */
export function pointOf(context: Context, point: NewPoint): Point {
  const { stream, text, parent, after, trigger, change = noChange(), provenance, foreign } = point
  const nowMs = context.ports.now()
  const document = decodeDocument(text)
  const hash = sha256(text)
  const fields = document.front?.fields
  const created = fields?.get('created')?.value ?? ''
  const completion = completionOf(document)
  const at = instant(nowMs)
  const checkpoint: Checkpoint = {
    id:
      trigger.kind === 'adopted'
        ? adoptedId(Date.parse(fields?.get('last_delta')?.value || created), sha256(`${stream.id}\n${hash}`))
        : checkpointId(nowMs, (after?.sequence ?? 0) + 1, context.ports.random),
    stream: stream.id,
    parent,
    at,
    triggers: [{ ...redactAll(trigger), at }],
    progress: completion === null ? 'in_progress' : 'completed',
    work: redactAll(workOf(document)),
    change: redactAll(change),
    health: { pressure: 'low', protected: [], dropped: 0, profile: context.settings.policy_profile },
    document: { hash, created, parent: fields?.get('parent')?.value || null },
    ...(completion === null ? {} : { completion: redactAll(completion) }),
    provenance,
  }
  const current = document.front !== null && saysCurrent(document.front)
  return {
    checkpoint,
    hash,
    current,
    commit: {
      appends: [{ checkpoint, after: after?.id ?? null, foreign }],
      texts: [{ hash, text }],
      versions: [{ stream: stream.id, hash, checkpoint: checkpoint.id, current, problem: null }],
    },
  }
}

/** A point's document, owed to a path over what stands there: `base`, or nothing at all. */
export const owedDocument = ({ checkpoint, hash, current }: Point, path: string, base: string | null) => ({
  ...{ stream: checkpoint.stream, path, checkpoint: checkpoint.id, hash, current, base },
  stamp: null,
  state: 'pending' as const,
})

/** Several commits as one. */
export function joined(workspace: string, ...parts: Array<Partial<DocumentCommit>>): DocumentCommit {
  const focus = parts.find((part) => part.focus !== undefined)?.focus
  return {
    workspace,
    begins: parts.flatMap(({ begins = [] }) => begins),
    appends: parts.flatMap(({ appends = [] }) => appends),
    texts: parts.flatMap(({ texts = [] }) => texts),
    versions: parts.flatMap(({ versions = [] }) => versions),
    documents: parts.flatMap(({ documents = [] }) => documents),
    leaving: parts.flatMap(({ leaving = [] }) => leaving),
    entries: parts.flatMap(({ entries = [] }) => entries),
    reviews: parts.flatMap(({ reviews = [] }) => reviews),
    ...(focus === undefined ? {} : { focus }),
  }
}
