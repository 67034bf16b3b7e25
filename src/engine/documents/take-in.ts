import { type Change, noChange } from '../../core/checkpoint.ts'
import { nameKey, streamId } from '../../core/id.ts'
import { decodeDocument } from '../../formats/checkpoint-md/codec.ts'
import { isArchived } from '../../formats/checkpoint-md/layout.ts'
import { saysCurrent } from '../../formats/checkpoint-md/read.ts'
import { signatureOf } from '../../formats/checkpoint-md/signature.ts'
import { changeOf } from '../../formats/checkpoint-md/work.ts'
import { decideAdoption } from '../../policy/adopt.ts'
import type { WordSource } from '../../policy/whose-word.ts'
import type { DocumentCommit, WorkRow } from '../../store/acts.ts'
import type { NewStream } from '../../store/log.ts'
import type { Context } from '../context/context.ts'
import { TROUBLES } from '../context/findings.ts'
import { NOTICES } from '../context/notices.ts'
import { type Delivery, deliveriesOf } from '../trust/deliveries.ts'
import { BY_USER, readEditSources } from '../trust/whose-edit.ts'
import { type Arrival, readArrivals, withoutTwins } from './arrivals.ts'
import { documentPoint, joinCommits } from './checkpoint-of.ts'
import { afterHead } from './find-stream.ts'
import { oweLearnings } from './owed-learnings.ts'
import { focusAsDocumentsSay } from './set-focus.ts'
import { findFormer, findWithdrawn, type Survey } from './survey.ts'

/**
 * Reads the files that changed and decides what becomes of each. Nothing is written here. In a workspace that
 * is not trusted files are only named; while git has something under way they are left alone.
 */
export async function takeIn(context: Context, survey: Survey, most?: number) {
  const { arrivals, parts, stamps } = await readArrivals(context, survey, most)
  const byName = new Map(survey.rows.map((row) => [nameKey(row.stream.name), row]))
  const taken = withoutTwins(survey, arrivals, byName)
  const deliveries = await deliveriesOf(context, survey, survey.trusted ? taken : [])
  const sourceOf = taken.length > 0 ? await readEditSources(context) : () => BY_USER
  for (const arrival of taken) {
    const { path, reading } = arrival
    const row = byName.get(nameKey(reading.id)) ?? findFormer(survey, reading.id)
    const delivery = deliveries.get(path)
    if (!survey.trusted) name(survey, arrival, row)
    else if (row && takesOver(row, delivery)) {
      const line = reading.front.fields.get('checkpoint')?.line ?? 1
      const what = `it came from git, and you already have work called ${row.stream.name}`
      const todo = "Change the document's id and file name, or archive your work."
      survey.troubles.push({ kind: 'twin', path, line, what, todo })
    } else {
      const source = delivery?.delivered ? BY_USER : sourceOf(path)
      const adopted = (await adopt(context, survey, arrival, row, delivery, source)) ?? {}
      parts.push(adopted)
      // What git brings from elsewhere brings its learnings along.
      if (!delivery?.delivered) parts.push(await learningsOf(context, arrival, row, adopted))
    }
  }
  if (survey.trusted && survey.operation === null)
    parts.push(await focusAsDocumentsSay(context, survey, joinCommits('', ...parts)))
  const commit = joinCommits(context.identity.workspace, ...parts)
  const isEmpty =
    commit.focus === undefined &&
    Object.values(commit).every((value) => !Array.isArray(value) || value.length === 0)
  return { commit, isEmpty, stamps }
}

/** What a document that came to the archive by hand owes to LEARNINGS.md. */
async function learningsOf(
  context: Context,
  { path, reading }: Arrival,
  row: WorkRow | undefined,
  { views = [], appends = [] }: Partial<DocumentCommit>,
): Promise<Partial<DocumentCommit>> {
  const id = views[0]?.checkpoint
  if (!isArchived(path) || isArchived(row?.view?.path ?? '') || id === undefined) return {}
  const stored = await context.store.log.readCheckpoint(id)
  const known = stored?.state === 'whole' ? stored.checkpoint : null
  const fresh = appends.map(({ checkpoint }) => checkpoint).find((one) => one.id === id)
  const checkpoint = fresh && 'work' in fresh ? fresh : known
  return checkpoint ? oweLearnings(context, row?.stream.name ?? reading.id, checkpoint) : {}
}

/** A document that git brings would displace own work that never had one. */
const takesOver = ({ view, position }: WorkRow, delivery: Delivery | undefined) =>
  delivery?.delivered === true && view === null && !position.foreign && !position.gist.document?.created

async function adopt(
  context: Context,
  survey: Survey,
  arrival: Arrival,
  row: WorkRow | undefined,
  delivery: Delivery | undefined,
  source: WordSource,
): Promise<Partial<DocumentCommit> | null> {
  const { store } = context
  const { path, hash, stamp, reading } = arrival
  const provenance = delivery?.provenance ?? { branch: null, commit: null, author: null }
  const trigger = { kind: 'adopted' as const, note: delivery?.note ?? '' }
  const arrives = { provenance, triggers: [trigger], source, isFound: true as const }
  const version = row === undefined ? null : await store.log.findVersion(row.stream.id, hash)
  const isKnown = version !== null && version.problem === null
  // What git brings never says what is worked on here: of the focus it says what was said before.
  const isBrought = delivery?.delivered === true && !(isKnown && delivery.replayed)
  const current = isBrought ? (row?.view?.current ?? row?.focused ?? false) : saysCurrent(reading.front)
  const document = { kind: 'document' as const, path, hash, current, stamp, state: 'published' as const }
  if (row === undefined) {
    const { begins, ...begun } = beginningOf(context, survey, reading.id)
    const foreign = delivery?.foreign ?? false
    const { text } = reading
    const point = await documentPoint(context, { ...begun, text, parent: null, foreign, ...arrives })
    const placed = { ...document, stream: begun.stream.id, checkpoint: point.checkpoint.id }
    return { ...point.commit, begins, views: [placed] }
  }
  const { stream, view, position } = row
  const decision = decideAdoption({
    view,
    found: hash,
    isKnown,
    saysTheSame: !isKnown && (await saysTheSame(context, row, reading.text, delivery?.foreign === true)),
  })
  const isVouched = delivery?.vouched === true
  const at = (checkpoint: string) => ({
    views: [{ ...document, stream: stream.id, checkpoint }],
    reviews: isVouched ? [checkpoint] : [],
  })
  switch (decision) {
    case 'in sync':
      return view?.path === path && !isVouched ? null : at(position.checkpoint)
    case 'move':
      if (view?.state === 'pending')
        context.notices.push(NOTICES.otherVersion(path, position.sequence, stream.name))
      if (version === null) return null
      await tellSetBack(context, row, path, version.checkpoint, delivery)
      return at(version.checkpoint)
    case 'remember': {
      const { checkpoint } = position
      const seen = { stream: stream.id, hash, checkpoint, current, problem: null }
      return { ...at(checkpoint), texts: [{ hash, text: reading.text }], versions: [seen] }
    }
    case 'append': {
      const point = await documentPoint(context, {
        ...arrives,
        stream,
        text: reading.text,
        parent: position.checkpoint,
        after: afterHead(row),
        change: await changeSince(context, row, reading),
        foreign: !isVouched && (position.foreign || (delivery?.foreign ?? false)),
      })
      const { texts, versions } = point.commit
      // The same bytes were adopted before, and a damaged store has lost them since.
      if ((await store.log.readCheckpoint(point.checkpoint.id)) !== null)
        return { texts, versions, ...at(point.checkpoint.id) }
      return { ...point.commit, ...at(point.checkpoint.id) }
    }
    default:
      // A write of ours is pending: the publisher meets this file and merges both.
      return null
  }
}

/** A stranger's commit may bring a version back that bears no mark: the text is known, that it stands here is told. */
async function tellSetBack(
  { store, notices }: Context,
  { position }: WorkRow,
  path: string,
  checkpoint: string,
  delivery: Delivery | undefined,
): Promise<void> {
  if (!delivery?.foreign || delivery.replayed) return
  const stored = await store.log.readCheckpoint(checkpoint)
  if (stored === null || stored.row.foreign) return
  const { commit, author } = delivery.provenance
  const { sequence } = stored.row
  notices.push(NOTICES.setToVersion(path, sequence, { isBack: sequence < position.sequence, commit, author }))
}

/** What a delta says that was written by hand; an edit of anything else tells nothing about itself. */
async function changeSince(
  { store }: Context,
  { view }: WorkRow,
  { document }: Arrival['reading'],
): Promise<Change> {
  const before = view ? await store.log.readText(view.hash) : null
  const known = before === null ? 0 : decodeDocument(before).deltas.length
  return document.deltas.length > known ? changeOf(document) : noChange()
}

/** Others have no layout of their own: what differs in more than line ends is marked as theirs. */
async function saysTheSame(
  context: Context,
  { view }: WorkRow,
  text: string,
  foreign: boolean,
): Promise<boolean> {
  const before = view ? await context.store.log.readText(view.hash) : null
  if (before === null) return false
  const said = foreign ? withoutLineEnds : signatureOf
  return said(before) === said(text)
}

const withoutLineEnds = (text: string) =>
  text
    .split(/[ \t]*(?:\r\n|\r|\n)/)
    .join('\n')
    .trimEnd()

/** In a workspace that is not trusted a document is named, and its text goes nowhere. */
function name(survey: Survey, arrival: Arrival, row: WorkRow | undefined): void {
  if (row?.view?.path !== arrival.path) survey.foreign.push({ path: arrival.path, id: arrival.reading.id })
  else if (row.view.state !== 'pending' || arrival.hash !== row.view.base)
    survey.troubles.push({ kind: 'changed', path: arrival.path, line: 1, ...TROUBLES.changedUntrusted })
}

/** What begins a stream. One whose beginning was undone goes on after its head. */
export function beginningOf(context: Context, survey: Pick<Survey, 'rows' | 'withdrawn'>, name: string) {
  const known = findWithdrawn(survey, name)
  if (known) return { stream: known.stream, begins: [], after: afterHead(known) }
  const stream = newStream(context, survey, name)
  return { stream, begins: [stream], after: null }
}

/** Its id is made of its name, unless work that began under that name has another one now. */
function newStream(
  { identity }: Context,
  { rows, withdrawn }: Pick<Survey, 'rows' | 'withdrawn'>,
  name: string,
): NewStream {
  const { repository, workspace } = identity
  const taken = new Set([...rows, ...withdrawn].map(({ stream }) => stream.id))
  let id = streamId(repository, name)
  for (let number = 2; taken.has(id); number += 1) id = streamId(repository, `${name}\n${number}`)
  return { id, repository, workspace, kind: 'work', name }
}
