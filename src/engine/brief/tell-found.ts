import type { Checkpoint } from '../../core/checkpoint.ts'
import { instant } from '../../core/ports.ts'
import { ageOf } from '../../core/text.ts'
import { FOUND_NOTES, MESSAGE_LINES } from '../../policy/agent-words.ts'
import { foundSection, importCommand, showFileCommand } from '../../policy/brief/brief-quoted.ts'
import type { ResumeChoice, StreamCandidate } from '../../policy/resolve.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import { readHandSaveTime } from '../documents/automatic.ts'
import { requireRow } from '../documents/find-stream.ts'
import type { Survey } from '../documents/survey.ts'
import { type FoundFiles, type FoundWork, findWorkInFiles } from '../surroundings/found-work.ts'
import type { World } from '../surroundings/world.ts'
import { learningsFor, renderFittedBrief } from './brief-of.ts'
import type { BriefRequest } from './resume-work.ts'
import { verifyWork } from './verify-work.ts'

/**
 * What files tell that is newer than what somebody saved; an edit of the ledger that is kept here is told with the work
 * that it shows. What cannot be read, and what nobody has reviewed, is named to the user. An agent is told no name that
 * came with a repository.
 */
export async function findNewerFiles(
  context: Context,
  world: World,
  saved: { checkpoint: Checkpoint } | null,
): Promise<FoundFiles> {
  const { store, settings, notices, speaker } = context
  const files = await findWorkInFiles(context, world)
  if (speaker === 'user') {
    for (const { path, problem } of files.broken) notices.push(NOTICES.filePassedOver(path, problem))
    if (files.unreviewed.length > 0) notices.push(NOTICES.filesUnreviewed(files.unreviewed, world.trusted))
  }
  if (saved === null || files.work.length === 0) return files
  const savedAt = await readHandSaveTime(store, saved.checkpoint)
  const isNewer = ({ path, atMs, isVouched }: FoundWork) =>
    !isVouched &&
    !(settings.ledger && path === settings.ledger_path) &&
    (savedAt === null || atMs > Date.parse(savedAt))
  return { ...files, work: files.work.filter(isNewer) }
}

/** What a resume answers where no saved work is meant, with what was learned here before. */
export type UntoldWork = { learnings: string[] } & (
  | /** `foreign`: so many documents came with the repository, and are not told. `unreviewedFiles`: so many other files. */
  { kind: 'nothing'; foreign: number; unreviewedFiles: number }
  | {
      kind: 'choose'
      trusted: boolean
      candidates: Array<StreamCandidate & { updatedAt: string; age: string }>
    }
  | { kind: 'offered'; stream: string; branch: string | null; savedAt: string; age: string }
)

/** What is told where no saved work is meant: what there is to choose from, an offer, or nothing. */
export function untoldWork(
  survey: Survey,
  choice: ResumeChoice,
  { unreviewed, learnings }: Pick<FoundFiles, 'unreviewed' | 'learnings'>,
  nowMs: number,
): UntoldWork {
  if (choice.kind === 'choose') {
    const candidates = choice.candidates.map((one) => ({
      ...{ ...one, updatedAt: instant(one.updatedMs), age: ageOf(nowMs - one.updatedMs) },
    }))
    return { kind: 'choose', learnings, trusted: survey.trusted, candidates }
  }
  if (choice.kind === 'stream') {
    const { at, gist } = requireRow(survey, choice.name).position
    const age = ageOf(nowMs - Date.parse(at))
    const branch = gist.document?.branch ?? null
    return { kind: 'offered', learnings, stream: choice.name, branch, savedAt: at, age }
  }
  const unreviewedFiles = unreviewed.reduce((sum, { count }) => sum + count, 0)
  return { kind: 'nothing', learnings, foreign: survey.foreign.length, unreviewedFiles }
}

/** When work was last saved that could be meant. */
function newestOwnMs(untold: UntoldWork): number {
  if (untold.kind === 'offered') return Date.parse(untold.savedAt)
  const own = untold.kind === 'choose' ? untold.candidates.filter(({ foreign }) => !foreign) : []
  return Math.max(...own.map(({ updatedMs }) => updatedMs), 0)
}

/** The newest work of the files, told as a brief. Null without any, or where work was saved since that could be meant too. */
export async function briefFound(
  context: Context,
  survey: Survey,
  world: World,
  { work: all, learnings }: FoundFiles,
  untold: UntoldWork,
  { budget, notes = [], asksFocus = false }: BriefRequest,
) {
  const ownMs = newestOwnMs(untold)
  const [newest, ...older] = all.filter(({ isVouched, atMs: at }) => at > ownMs && !(isVouched && ownMs > 0))
  if (newest === undefined) return null
  const { kind, path, atMs, work } = newest
  const nowMs = context.ports.now()
  const point = { atMs, branch: null, commit: null, absent: [] }
  const { checks, drift } = await verifyWork(context, work, point, world)
  const command = importCommand(path)
  const rendered = renderFittedBrief(
    {
      ...{ work, stream: path, savedAtMs: atMs, nowMs, checks, drift, asksFocus, shownIn: kind },
      command: showFileCommand(path),
      learnings: await learningsFor(context, survey, { work, written: learnings }),
      merged: older.map((one) => foundSection(one, nowMs)),
      notes: [FOUND_NOTES.keep(command), ...notes.map(({ text }) => text), ...describeUntold(untold)],
      subject: FOUND_NOTES.subject(path, ageOf(nowMs - atMs)),
    },
    budget,
  )
  // `command` takes it into the store.
  const found = { kind: 'found' as const, source: kind, path, writtenAt: instant(atMs), drift, work, command }
  return { ...found, ...rendered }
}

const MOST_NAMED = 5

/** What there is besides a brief, in lines for an agent; of what came with the repository not even the name. */
export function describeUntold(found: UntoldWork): string[] {
  if (found.kind === 'offered') return [MESSAGE_LINES.offered(found.stream, found.age)]
  if (found.kind === 'choose') {
    const own = found.candidates.filter(({ foreign }) => !foreign).slice(0, MOST_NAMED)
    return own.length === 0 ? [] : [MESSAGE_LINES.several(own)]
  }
  const unreviewed = found.foreign + found.unreviewedFiles
  return unreviewed === 0 ? [] : [FOUND_NOTES.unreviewed(unreviewed)]
}
