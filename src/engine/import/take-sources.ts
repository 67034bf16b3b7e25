import { sha256, wellFormed } from '../../core/canonical.ts'
import { ADOPTED, type Checkpoint, noChange } from '../../core/checkpoint.ts'
import { adoptedId } from '../../core/id.ts'
import { instant } from '../../core/ports.ts'
import { ReasonError } from '../../core/reason.ts'
import { type Decision, emptyWork, newItems, type WorkState } from '../../core/work.ts'
import { carryForward, overlayItem } from '../../policy/carry.ts'
import { redactAll } from '../../policy/redact.ts'
import { capWork } from '../../policy/save.ts'
import type { DocumentCommit, WorkRow } from '../../store/acts.ts'
import type { Context } from '../context/context.ts'
import { type RecordedCommit, recordAct } from '../documents/act-record.ts'
import { documentPoint, joinCommits, type NewPoint, workPoint } from '../documents/checkpoint-of.ts'
import { findRow, type Survey } from '../documents/survey.ts'
import { beginningOf } from '../documents/take-in.ts'
import type { Lane, PlacedSource } from './place-sources.ts'
import { type ReadSource, readCandidate } from './read-source.ts'

/** So much goes into one transaction: a kill costs at most as much, and others who save wait only for one. */
const BATCH = 100
const BATCH_CHARACTERS = 4_000_000

/** Where a lane stands: what its next source comes behind. */
interface Tail {
  id: string | null
  sequence: number
  work: WorkState
  /** What was known before the import began: no cap cuts it. */
  own: ReadonlySet<string>
  room: number
}

export interface ImportProgress {
  /** False where somebody moved a head meanwhile: what is not taken yet has to be placed again. */
  done: boolean
  taken: Set<PlacedSource>
  changed: Set<PlacedSource>
}

/** Makes checkpoints of the sources, a batch in each commit. Each is read again: thousands do not fit into memory. */
export async function takeSources(
  context: Context,
  survey: Survey,
  lanes: readonly Lane[],
  step: (taken: number) => void,
): Promise<ImportProgress> {
  const answer: ImportProgress = { done: true, taken: new Set(), changed: new Set() }
  let parts: Array<Partial<DocumentCommit>> = []
  let batch: PlacedSource[] = []
  let characters = 0
  const whole: Required<Pick<RecordedCommit, 'begins' | 'appends'>> = { begins: [], appends: [] }
  const flush = async () => {
    if (parts.length === 0) return true
    const { begins = [], appends = [], ...rest } = joinCommits(context.identity.workspace, ...parts)
    whole.begins = [...whole.begins, ...begins]
    whole.appends = [...whole.appends, ...appends.map(lightAppend)]
    // Batch after batch it stays one act.
    const recorded = await recordAct(context, survey, whole, context.act?.id)
    const act = recorded && { act: recorded.act }
    const { done } = await context.store.acts.commit({ begins, appends, ...rest, ...act })
    if (done) {
      context.act = recorded?.act ?? null
      for (const source of batch) answer.taken.add(source)
    }
    parts = []
    batch = []
    characters = 0
    step(answer.taken.size)
    return done
  }
  for (const lane of lanes) {
    const row = findRow(survey, lane.name)
    const { begins, ...begun } = beginningOf(context, survey, lane.name)
    const stream = row?.stream ?? begun.stream
    let tail = await tailOf(context, row, begun.after, roomFor(lane.sources.length))
    for (const placed of lane.sources) {
      const verdict = readCandidate(context, { path: placed.path, how: 'named' })
      if (verdict.is !== 'source' || verdict.source.hash !== placed.hash) {
        answer.changed.add(placed)
        continue
      }
      const { source } = verdict
      const made = await pointOf(context, stream.id, tail, placed, source)
      parts.push({ begins: tail.id === null ? begins : [] }, made.commit)
      tail = made.tail
      batch.push(placed)
      characters += source.text.length
      if ((batch.length < BATCH && characters < BATCH_CHARACTERS) || (await flush())) continue
      return { ...answer, done: false }
    }
  }
  return { ...answer, done: await flush() }
}

/** What is recorded of thousands of checkpoints must not keep them in memory. */
const lightAppend = ({ checkpoint: { id, stream } }: { checkpoint: Pick<Checkpoint, 'id' | 'stream'> }) => ({
  checkpoint: { id, stream, change: noChange(), triggers: [] },
})

async function tailOf(
  { store }: Context,
  row: WorkRow | undefined,
  after: NewPoint['after'],
  room: number,
): Promise<Tail> {
  const nothing = { id: null, sequence: 0, work: emptyWork(), own: new Set<string>(), room }
  if (row === undefined) return { ...nothing, ...after }
  const { headId, headSequence } = row.stream
  const stored = await store.log.readCheckpoint(headId)
  if (stored?.state !== 'whole')
    throw new ReasonError('checkpoint_integrity_mismatch', {
      path: `${row.stream.name} in the store`,
      problem: 'its newest checkpoint is damaged',
    })
  const { work } = stored.checkpoint
  return {
    id: headId,
    sequence: headSequence,
    work,
    own: new Set(work.decisions.map(({ text }) => text)),
    room,
  }
}

/** The checkpoint of a source. The same stream and the same bytes give the same id, wherever they are imported. */
async function pointOf(
  context: Context,
  stream: string,
  tail: Tail,
  { foreign, saidMs, atMs }: PlacedSource,
  source: ReadSource,
): Promise<{ commit: Partial<DocumentCommit>; tail: Tail }> {
  const { text, hash, path, branch, commit } = source
  const after = tail.id === null ? null : { id: tail.id, sequence: tail.sequence }
  const point: NewPoint = {
    stream: { id: stream },
    parent: tail.id,
    after,
    triggers: [{ kind: 'adopted', note: `${ADOPTED.imported}from ${wellFormed(path)}` }],
    provenance: { branch, commit, author: null },
    foreign,
  }
  const isDocument = source.kind === 'document'
  const said = mergeImportedWork(source, tail)
  const made = isDocument
    ? await documentPoint(context, { ...point, text })
    : workPoint(context, { ...point, ...said, work: redactAll(said.work, context.mark) })
  const id = adoptedId(saidMs ?? Number.NaN, sha256(`${stream}\n${hash}`))
  const checkpoint = { ...made.checkpoint, id, at: instant(atMs) }
  const known = {
    texts: [{ hash, text }],
    versions: [{ current: false, problem: null, ...made.commit.versions[0], stream, hash, checkpoint: id }],
  }
  // The same bytes were imported before, and a damaged store has lost them since.
  if ((await context.store.log.readCheckpoint(id)) !== null) return { commit: known, tail }
  return {
    commit: { ...known, appends: [{ checkpoint, after: tail.id, foreign }] },
    tail: { ...tail, id, sequence: tail.sequence + 1, work: checkpoint.work },
  }
}

/** What all checkpoints of one stream may carry of imported decisions, in characters, and what each of them. */
const CARRIED = { all: 10_000_000, least: 6_000, most: 60_000 }
/** What a decision costs besides its words. */
const AROUND = 100

/**
 * How much room the imported decisions have in each of so many checkpoints. Each has all that it carries, and
 * thousands of them must not fill the store. What is cut stands in the checkpoint where it came up.
 */
const roomFor = (checkpoints: number) =>
  Math.min(CARRIED.most, Math.max(CARRIED.least, Math.floor(CARRIED.all / checkpoints)))

/**
 * The work as a source of its time tells it, with what was known before. What is known keeps its word: an old note
 * brings back no decision that was superseded since, and makes no claim less sure.
 */
function mergeImportedWork(
  { said }: ReadSource,
  { work: before, own, room }: Tail,
): { work: WorkState; dropped: number } {
  const carried = carryForward(before, {
    ...said,
    decisions: newItems(before.decisions, said.decisions ?? []),
    position: overlayItem(before.position, said.position ?? {}),
  })
  const kept = keepNewestFitting(carried.decisions, own, room)
  const { work, dropped } = capWork({ ...carried, decisions: kept })
  return { work, dropped: dropped + carried.decisions.length - kept.length }
}

/** The newest that fit, and all that were known before. */
function keepNewestFitting(
  decisions: readonly Decision[],
  own: ReadonlySet<string>,
  room: number,
): Decision[] {
  let left = room
  const kept = decisions.toReversed().filter(({ text, why }) => {
    if (own.has(text)) return true
    left -= text.length + why.length + AROUND
    return left >= 0
  })
  return kept.reverse()
}
