import { nameKey } from '../../core/id.ts'
import { instant } from '../../core/ports.ts'
import { ReasonError } from '../../core/reason.ts'
import { RUNS_FOLDER } from '../../formats/snapshot/layout.ts'
import type { WorkRow } from '../../store/acts.ts'
import type { Context } from '../context/context.ts'
import { MOST_ATTEMPTS } from '../context/most-attempts.ts'
import { NOTICES } from '../context/notices.ts'
import { storeBusy, workspaceLockForSave } from '../context/workspace-lock.ts'
import { bringUpToDate } from '../documents/bring-up-to-date.ts'
import { tellProblems } from '../documents/read-survey.ts'
import { type Survey, standingOf, surveyDocuments } from '../documents/survey.ts'
import { takeInRun } from '../runs/take-in-run.ts'
import type { SkippedFile } from '../surroundings/read-work-file.ts'
import { deliveriesOf } from '../trust/deliveries.ts'
import { type Here, lookHere } from '../trust/here.ts'
import { findSources, type SourceCandidate } from './find-sources.ts'
import {
  mayConcern,
  type PlacedSource,
  type Placement,
  placeSources,
  type StreamHead,
} from './place-sources.ts'
import { readCandidate, type SourceDocument } from './read-source.ts'
import { takeSources } from './take-sources.ts'

export interface ImportReport {
  dryRun: boolean
  trusted: boolean
  imported: number
  known: number
  skipped: SkippedFile[]
  /** Files that come into the store another way. */
  elsewhere: SkippedFile[]
  /** Files below a given folder that are no documents of a known kind. */
  other: number
  /** Runs that came from their folders; `count` is null where it was only asked. */
  runs: Array<{ run: string; began: boolean; count: number | null }>
  streams: Array<{ id: string; began: boolean; count: number; foreign: boolean; first: string; last: string }>
}

/** Finds, reads and places; and takes in what is new, unless it is only asked what that would be. */
export async function importSources(
  context: Context,
  paths: readonly string[],
  isDry: boolean,
): Promise<ImportReport> {
  const here = await lookHere(context)
  const { trusted } = here
  const { candidates, namedRuns, skipped } = findSources(context, paths)
  const report: ImportReport = {
    ...{ dryRun: isDry, trusted, imported: 0, known: 0, skipped, elsewhere: [], other: 0 },
    ...{ runs: [], streams: [] },
  }
  const { sources, runs } = readCandidates(context, candidates, report)
  const placed = await markForeign(context, await newOnes(context, sources, report), here)
  if (isDry) {
    const survey = await surveyDocuments(context, here)
    const { lanes, taken } = await placeHere(context, survey, placed)
    tellTaken(report, taken)
    for (const { name, isNew, sources: mine } of lanes) count(report, name, isNew, mine)
  } else if (placed.length > 0) await takeAll(context, here, placed, report)
  await takeRuns(context, here, runs, namedRuns, report)
  return report
}

/** Documents of other tools that lie in this workspace, and what became of them. */
export interface OfferedImport {
  /** How many the store does not have. */
  found: number
  /** How many of those are the user's own, as far as anybody can tell. */
  own: number
  trusted: boolean
  imported: number
}

/**
 * Finds what other tools left here, and imports it where the user says so. Without a terminal, and where all of it came
 * with the repository, nothing is asked: it is only told.
 */
export async function offerImport(context: Context): Promise<OfferedImport> {
  const { imported: found, streams, trusted } = await importSources(context, [], true)
  const own = streams.filter(({ foreign }) => !foreign).reduce((sum, { count }) => sum + count, 0)
  if (context.ask === null || own === 0) return { found, own, trusted, imported: 0 }
  const [answer = ''] = await context.ask([NOTICES.importQuestion(found)])
  if (!/^y(?:es)?$/i.test(answer)) return { found, own, trusted, imported: 0 }
  const { imported } = await importSources(context, [], false)
  return { found, own, trusted, imported }
}

/** Reads every candidate once, and keeps of each only what says where it belongs; of runs one path each. */
function readCandidates(context: Context, candidates: readonly SourceCandidate[], report: ImportReport) {
  const sources: SourceDocument[] = []
  const runs = new Map<string, string>()
  for (const [at, candidate] of candidates.entries()) {
    const { path } = candidate
    const verdict = readCandidate(context, candidate)
    if (verdict.is === 'source') {
      const { text: _text, said: _said, ...source } = verdict.source
      sources.push(source)
    } else if ('problem' in verdict) report[verdict.is].push({ path, problem: verdict.problem })
    else if (verdict.is === 'other') report.other += 1
    else if (verdict.run !== null) runs.set(verdict.run, path)
    else report.skipped.push({ path, problem: STRAY_SNAPSHOT })
    context.progress(at + 1, candidates.length)
  }
  return { sources, runs }
}

const STRAY_SNAPSHOT = 'a snapshot outside checkpoints/<run>: move its folder there, or use savepoint convert'

/** Runs that are new here. What git delivered is taken only where the user named it; an agent names nothing. */
async function takeRuns(
  context: Context,
  here: Here,
  runs: ReadonlyMap<string, string>,
  namedRuns: ReadonlySet<string>,
  report: ImportReport,
): Promise<void> {
  const found = [...runs].map(([run, path]) => ({ run, path }))
  const deliveries = await deliveriesOf(context, here, here.trusted ? found : [])
  for (const { run, path } of found) {
    const isNamed = namedRuns.has(run) && context.speaker === 'user'
    const isKnown = (await context.store.log.findStream(context.identity.repository, run)) !== null
    const delivery = deliveries.get(path)
    const isOthers = !here.trusted || delivery?.delivered === true || delivery?.foreign === true
    if (isOthers && !isNamed && !isKnown)
      report.skipped.push({
        path,
        problem: `not yours. Its user can import it: savepoint import ${RUNS_FOLDER}/${run}`,
      })
    else if (report.dryRun) {
      if (isKnown) report.known += 1
      else report.runs.push({ run, began: true, count: null })
    } else {
      const taken = await takeInRun(context, run, { isNamed })
      if (taken === null) report.skipped.push({ path, problem: 'it contains no valid snapshot of that run' })
      else if (taken.count === 0) report.known += 1
      else report.runs.push(taken)
    }
  }
}

/** What this repository has not seen yet, each text once. A file of our own that was changed is not taken for new. */
async function newOnes(
  context: Context,
  sources: readonly SourceDocument[],
  report: ImportReport,
): Promise<SourceDocument[]> {
  const { store, identity } = context
  const known = await store.acts.listTextHashes(identity.repository)
  const fresh: SourceDocument[] = []
  for (const source of sources) {
    const { hash, path } = source
    const view = known.has(hash) ? null : await store.local.readFileView(identity.workspace, path)
    if (known.has(hash)) report.known += 1
    else if (view?.kind === 'ledger')
      report.elsewhere.push({ path, problem: "Savepoint's own ledger, edited: the next save imports it" })
    else if (view) report.skipped.push({ path, problem: 'written by Savepoint and edited since' })
    else fresh.push(source)
    known.add(hash)
  }
  return fresh
}

/** Marks sources that somebody else wrote as foreign. Git runs only in a trusted workspace. */
async function markForeign(context: Context, sources: SourceDocument[], here: Here): Promise<PlacedSource[]> {
  const deliveries = await deliveriesOf(context, here, here.trusted ? sources : [])
  return sources.map((source) => ({
    ...source,
    foreign: !here.trusted || deliveries.get(source.path)?.foreign === true,
  }))
}

/** Where each goes, by the heads of now. */
async function placeHere(context: Context, survey: Survey, sources: PlacedSource[]): Promise<Placement> {
  const concerns = mayConcern(sources)
  const heads: StreamHead[] = []
  for (const row of survey.rows) if (concerns(row.stream.name)) heads.push(await headOf(context, row))
  return placeSources(sources, heads)
}

async function headOf({ store }: Context, row: WorkRow): Promise<StreamHead> {
  const { name, headId } = row.stream
  const stored = await store.log.readCheckpoint(headId)
  const checkpoint = stored?.state === 'whole' ? stored.checkpoint : null
  const isDocument = row.view !== null || checkpoint?.document !== undefined
  return {
    name,
    atMs: Date.parse(checkpoint?.at ?? row.position.at),
    foreign: stored?.row.foreign ?? row.position.foreign,
    imported: checkpoint?.triggers.some(({ note }) => note.startsWith('imported from ')) ?? false,
    shut: checkpoint === null || isDocument || standingOf(row) === 'archived',
  }
}

/** Under the workspace's lock. Where another worktree moves a head meanwhile, the rest is placed again. */
async function takeAll(
  context: Context,
  here: Here,
  sources: PlacedSource[],
  report: ImportReport,
): Promise<void> {
  const { store, identity, progress } = context
  using _lock = await workspaceLockForSave(context)
  let open = sources
  for (let attempt = 0; attempt < MOST_ATTEMPTS.documents; attempt += 1) {
    const survey = await bringUpToDate(context, here)
    if (survey.operation !== null) throw new ReasonError('git_in_progress', { operation: survey.operation })
    if (attempt === 0) tellProblems(context, survey)
    // The previous holder of the lock may have imported the same files.
    const known = await store.acts.listTextHashes(identity.repository)
    report.known += open.filter(({ hash }) => known.has(hash)).length
    open = open.filter(({ hash }) => !known.has(hash))
    const { lanes, taken: documents } = await placeHere(context, survey, open)
    const before = report.imported
    const { done, taken, changed } = await takeSources(context, survey, lanes, (number) =>
      progress(before + number, sources.length),
    )
    for (const { name, isNew, sources: mine } of lanes) {
      const isTaken = (source: PlacedSource) => taken.has(source)
      count(report, name, isNew, mine.filter(isTaken))
    }
    open = open.filter((one) => !taken.has(one) && !changed.has(one))
    for (const { path } of changed) report.skipped.push({ path, problem: 'it changed during the import' })
    if (!done) continue
    tellTaken(report, documents)
    progress(sources.length, sources.length)
    return
  }
  throw storeBusy(context)
}

function tellTaken({ elsewhere }: ImportReport, documents: readonly PlacedSource[]): void {
  for (const { path, stream } of documents)
    elsewhere.push({ path, problem: `${stream} already exists and was not changed` })
}

/** A stream may come again, where its head was moved in between. */
function count(report: ImportReport, name: string, began: boolean, sources: readonly PlacedSource[]): void {
  const [first, last] = [sources[0], sources.at(-1)]
  if (!first || !last) return
  report.imported += sources.length
  const known = report.streams.find(({ id }) => nameKey(id) === nameKey(name))
  if (known) {
    known.count += sources.length
    known.last = instant(last.atMs)
  } else
    report.streams.push({
      ...{ id: name, began, count: sources.length, foreign: first.foreign },
      ...{ first: instant(first.atMs), last: instant(last.atMs) },
    })
}
