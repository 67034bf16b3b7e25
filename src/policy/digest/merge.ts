import {
  type Artifact,
  type Decision,
  newItems,
  OVERHEARD,
  type OverheardField,
  type WorkState,
} from '../../core/work.ts'
import { withoutCorrected } from '../correct.ts'
import type { DigestWork } from './work.ts'

/**
 * What was known, with what a session's talk adds. A field that somebody saved stays until somebody saves another: what
 * was said since is told beside it. Doing it again changes nothing.
 */
export function mergeSessionWork(
  known: WorkState,
  { heard: told, times, decisions: chosen, done, artifacts }: DigestWork,
  savedAt: string | null,
): WorkState {
  const heard = {
    ...told,
    next: withoutCorrected(known, 'next', told.next),
    blockers: withoutCorrected(known, 'blockers', told.blockers),
    questions: withoutCorrected(known, 'questions', told.questions),
  }
  const decisions = withoutCorrected(known, 'decisions', chosen)
  const overheard = new Set(known.overheard ?? [])
  const work = { ...known }
  for (const field of OVERHEARD) {
    const at = times[field]
    const isSaved = !overheard.has(field) && !isEmpty(known[field])
    const isNews = at !== null && (savedAt === null || at > savedAt)
    if (isSaved || (isEmpty(heard[field]) && !isNews)) continue
    setField(work, field, heard)
    if (isEmpty(heard[field])) overheard.delete(field)
    else overheard.add(field)
  }
  return {
    ...work,
    decisions: [...withNewestAnswers(known.decisions, decisions), ...newItems(known.decisions, decisions)],
    done: [...known.done, ...newItems(known.done, done)],
    artifacts: mergeArtifacts(known.artifacts, artifacts),
    overheard: OVERHEARD.filter((field) => overheard.has(field)),
  }
}

const isEmpty = (value: string | readonly unknown[]) =>
  typeof value === 'string' ? value.trim() === '' : value.length === 0

function setField<Field extends OverheardField>(
  work: WorkState,
  field: Field,
  heard: Pick<WorkState, OverheardField>,
): void {
  work[field] = heard[field] as WorkState[Field]
}

/** A question that was answered anew has its newest answer, also where another was kept already. */
function withNewestAnswers(known: readonly Decision[], fresh: readonly Decision[]): Decision[] {
  const newest = new Map(
    fresh.filter(({ supersededBy }) => supersededBy === null).map(({ text }) => [questionOf(text), text]),
  )
  return known.map((one) => {
    const answer = newest.get(questionOf(one.text))
    // What somebody struck out, or replaced by something else than another answer, stays as it is.
    const isStruck = one.supersededBy === one.text
    const isByHand =
      isStruck || (one.supersededBy !== null && questionOf(one.supersededBy) !== questionOf(one.text))
    return answer === undefined || isByHand
      ? one
      : { ...one, supersededBy: answer === one.text ? null : answer }
  })
}

const questionOf = (text: string) => text.split(' → ', 1)[0] ?? text

/** The newest last. A known file keeps what was said about it. */
function mergeArtifacts(known: readonly Artifact[], fresh: readonly Artifact[]): Artifact[] {
  const before = new Map(known.map((one) => [one.path, one]))
  const paths = new Set(fresh.map(({ path }) => path))
  const touched = fresh.map((one) => {
    const { action, description } = before.get(one.path) ?? one
    const made = one.action === 'modified' && action === 'created'
    return { ...before.get(one.path), ...one, action: made ? action : one.action, description }
  })
  return [...known.filter(({ path }) => !paths.has(path)), ...touched]
}
