import { sha256 } from '../../core/canonical.ts'
import {
  type Change,
  type Checkpoint,
  type Completion,
  type DocumentRef,
  noChange,
  type Pressure,
  type Progress,
  type Provenance,
  type Trigger,
} from '../../core/checkpoint.ts'
import { adoptedId, checkpointId } from '../../core/id.ts'
import { instant } from '../../core/ports.ts'
import { emptyWork, type Position, type WorkState } from '../../core/work.ts'
import { decodeDocument } from '../../formats/checkpoint-md/codec.ts'
import { saysCurrent } from '../../formats/checkpoint-md/read.ts'
import { completionOf, workOf } from '../../formats/checkpoint-md/work.ts'
import { mergeEditedWork } from '../../policy/merge-edited-work.ts'
import { type Redacted, redactAll } from '../../policy/redact.ts'
import { type WordSource, withoutConfirmations } from '../../policy/whose-word.ts'
import type { DocumentCommit } from '../../store/acts.ts'
import type { NewView } from '../../store/local-state.ts'
import type { Stream } from '../../store/log.ts'
import type { Context } from '../context/context.ts'
import { BY_USER } from '../trust/whose-edit.ts'
import { newestWholeOrNull } from './newest-whole-point.ts'

/** Something that is to become a checkpoint of a stream. */
export interface NewPoint {
  stream: Pick<Stream, 'id'>
  /** Where work stands; a document's own text says it where this is absent. */
  work?: Redacted<WorkState>
  /** What is known of the position besides. */
  position?: Partial<Position>
  parent: string | null
  /** The head that was seen, which it goes after; null where the stream begins. */
  after: { id: string; sequence: number } | null
  triggers: ReadonlyArray<Pick<Trigger, 'kind' | 'note'>>
  change?: Change
  provenance: Provenance
  /** It holds text that nobody here has reviewed. */
  foreign: boolean
  /** The document does not say all of the work. */
  isBehind?: boolean
  /** Whose word the text is; the user's, where nobody says. */
  source?: WordSource
  /** It is a text that was found: the same one gives the same id, wherever it is adopted. */
  isFound?: true
  /** Files that its sentences speak of and that are not there. */
  absent?: string[]
  /** When it is taken; now, where nobody says. */
  atMs?: number
  /** How many items its caps cut. */
  dropped?: number
  /** How the work stands, where it is neither going on nor over. */
  progress?: Progress
  /** What the work came to, where it is closed and has no document that says so. */
  completion?: Completion
  pressure?: Pressure
  /** The checkpoint whose work stands again with this. */
  stands?: string
  /** The session of an agent in which it is taken; the one that gives the command, where nobody says. */
  session?: string
}

/** A point ready to be committed. */
export interface Point {
  checkpoint: Checkpoint
  commit: Required<Pick<DocumentCommit, 'appends' | 'texts' | 'versions'>>
}

/** A point with a document: its bytes, and whether they ask for the focus. */
export interface DocumentPoint extends Point {
  hash: string
  current: boolean
}

/** Makes a checkpoint of a stream that has no document. */
export const workPoint = (context: Context, point: NewPoint & { work: Redacted<WorkState> }): Point =>
  pointOf(context, point, null)

/**
 * Makes a checkpoint of a document's text. Where work stands is what the document says, with what was known before
 * it; unless the caller, who wrote it, knows more.
 */
export async function documentPoint(
  context: Context,
  { text, ...point }: NewPoint & { text: string },
): Promise<DocumentPoint> {
  const document = decodeDocument(text)
  const { parent } = point
  const origin = point.work || parent === null ? null : await originOf(context, parent)
  const stated = workOf(document)
  const edited = origin === null ? stated : mergeEditedWork(origin.work, stated, origin.shown)
  const said =
    point.work ?? withoutConfirmations(origin?.work ?? emptyWork(), edited, point.source ?? BY_USER)
  const position = { ...said.position, ...point.position }
  const work = point.work && !point.position ? point.work : redactAll({ ...said, position }, context.mark)
  const fields = document.front?.fields
  const created = fields?.get('created')?.value ?? ''
  const hash = sha256(text)
  const made = pointOf(
    context,
    { absent: origin?.absent ?? [], ...point, work },
    {
      ref: {
        ...{ hash, created, parent: fields?.get('parent')?.value || null },
        // What an agent wrote bears no mark in the text, and is not confirmed by the next edit of somebody else's.
        ...(point.isBehind || origin?.shown || point.source?.by === 'agent' ? { behind: true as const } : {}),
      },
      changed: fields?.get('last_delta')?.value || created,
      completion: completionOf(document),
    },
  )
  const current = document.front !== null && saysCurrent(document.front)
  const version = { stream: point.stream.id, hash, checkpoint: made.checkpoint.id, current, problem: null }
  return { ...made, hash, current, commit: { ...made.commit, texts: [{ hash, text }], versions: [version] } }
}

/** What was known before a text; and what its text said then, where that was less. */
async function originOf(
  context: Context,
  id: string,
): Promise<{ work: WorkState; shown: WorkState | null; absent: string[] }> {
  const before = await newestWholeOrNull(context, id)
  const { work = emptyWork(), document, absent = [] } = before ?? {}
  const text = document?.behind ? await context.store.log.readText(document.hash) : null
  return { work, shown: text === null ? null : workOf(decodeDocument(text)), absent }
}

/**
 * What is told of a checkpoint is redacted; the bytes of a document are kept as they are. `changed` is when it says that
 * it was changed.
 */
function pointOf(
  context: Context,
  point: NewPoint & { work: Redacted<WorkState> },
  shown: { ref: DocumentRef; changed: string; completion: Completion | null } | null,
): Point {
  const { stream, work, parent, after, triggers, provenance, foreign } = point
  const { change = noChange(), atMs = context.ports.now() } = point
  const { dropped = 0, progress = 'in_progress', pressure = 'low' } = point
  const session = point.session ?? context.session?.id
  const at = instant(atMs)
  const completion = shown === null ? (point.completion ?? null) : shown.completion
  const { mark } = context
  const checkpoint: Checkpoint = {
    id:
      shown !== null && point.isFound
        ? adoptedId(Date.parse(shown.changed), sha256(`${stream.id}\n${shown.ref.hash}`))
        : checkpointId(atMs, (after?.sequence ?? 0) + 1, context.ports.random),
    stream: stream.id,
    parent,
    ...(session === undefined ? {} : { session }),
    at,
    triggers: triggers.map((trigger) => ({ ...redactAll(trigger, mark), at })),
    progress: completion === null ? progress : 'completed',
    work,
    change: redactAll(change, mark),
    health: { pressure, protected: [], dropped, profile: context.settings.policy_profile },
    ...(shown === null ? {} : { document: shown.ref }),
    ...(completion === null ? {} : { completion: redactAll(completion, mark) }),
    provenance: redactAll(provenance, mark),
    ...(point.absent?.length ? { absent: redactAll(point.absent, mark) } : {}),
    ...(point.stands === undefined ? {} : { stands: point.stands }),
  }
  const appends = [{ checkpoint, after: after?.id ?? null, foreign }]
  return { checkpoint, commit: { appends, texts: [], versions: [] } }
}

/** A point's document, owed to a path over what stands there: `base`, or nothing at all. */
export const owedDocument = (
  { checkpoint, hash, current }: DocumentPoint,
  path: string,
  base: string | null,
) => ({
  ...{ stream: checkpoint.stream, path, checkpoint: checkpoint.id, hash, current, base },
  ...{ kind: 'document' as const, state: 'pending' as const },
})

/** The same where another document may stand: at the path, which it replaces, or elsewhere, from where it goes. */
export function oweDocument(
  point: DocumentPoint,
  path: string,
  standing: { path: string; hash: string } | null,
): NewView[] {
  const isMoved = standing !== null && standing.path !== path
  const document = owedDocument(point, path, isMoved ? null : (standing?.hash ?? null))
  return isMoved ? [document, leavingDocument(document, standing)] : [document]
}

/** A document's old place, from where it goes once the new one is written. */
export const leavingDocument = (
  { stream, checkpoint }: Pick<NewView, 'stream' | 'checkpoint'>,
  { path, hash }: { path: string; hash: string },
): NewView => ({ kind: 'document', path, stream, checkpoint, hash, state: 'leaving' })

/** The documents that stand here after a commit, as far as it says. */
export const documentsIn = ({ views = [] }: Pick<DocumentCommit, 'views'>) =>
  views.filter(({ kind, state }) => kind === 'document' && state !== 'leaving')

/** Several commits as one. */
export function joinCommits(workspace: string, ...parts: Array<Partial<DocumentCommit>>): DocumentCommit {
  const focus = parts.find((part) => part.focus !== undefined)?.focus
  return {
    workspace,
    begins: parts.flatMap(({ begins = [] }) => begins),
    appends: parts.flatMap(({ appends = [] }) => appends),
    texts: parts.flatMap(({ texts = [] }) => texts),
    versions: parts.flatMap(({ versions = [] }) => versions),
    views: parts.flatMap(({ views = [] }) => views),
    ledgers: parts.flatMap(({ ledgers = [] }) => ledgers),
    reviews: parts.flatMap(({ reviews = [] }) => reviews),
    renames: parts.flatMap(({ renames = [] }) => renames),
    ...(focus === undefined ? {} : { focus }),
  }
}
