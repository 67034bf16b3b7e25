import { isArchived } from '../../formats/checkpoint-md/layout.ts'
import { readFrontMatter } from '../../formats/markdown/front-matter.ts'
import type { DocumentCommit, WorkRow } from '../../store/acts.ts'
import type { Context } from '../context/context.ts'
import { FINDINGS, FIXES, type Finding } from '../context/findings.ts'
import { actOnDocuments } from './act-on-documents.ts'
import { namesWithoutLearnings } from './owed-learnings.ts'
import { documentsHere, focusOn } from './set-focus.ts'
import { currentsOf, type Survey, surveyDocuments } from './survey.ts'
import { takeIn } from './take-in.ts'

/** The checkpoint documents of this workspace. Without `fix` nothing is taken in and nothing is written. */
export async function examineDocuments(context: Context, fix: boolean, findings: Finding[]): Promise<void> {
  const survey = await surveyDocuments(context)
  if (survey.rows.length === 0 && survey.files.size === 0) return
  const owed =
    survey.operation === null
      ? (await context.store.local.listOwedViews(context.identity.workspace)).length
      : 0
  // Files that nobody took in yet count as they lie there.
  const { commit } = await takeIn(context, survey)
  tellTroubles(survey, findings)
  const active = activeHere(survey, commit)
  const several = active.filter(({ current }) => current)
  const isWrong = owed > 0 || survey.leftovers.length > 0 || several.length > 1
  const kept = fix && isWrong && survey.operation === null ? await mend(context) : null
  const add = (isFound: boolean, finding: Finding) => isFound && findings.push(finding)
  const left = survey.leftovers.length
  const names = several.map(({ name }) => name)
  add(owed > 0, { level: 'warning', ...FINDINGS.documentsToWrite(owed), fixed: kept && FIXES.written })
  add(left > 0, { level: 'warning', ...FINDINGS.leftovers(left), fixed: kept && FIXES.leftoversKept })
  add(several.length > 1, {
    ...{ level: 'error', ...FINDINGS.severalCurrent(names), fixed: kept && FIXES.focused(kept.newest) },
  })
  if (!survey.trusted) return
  const own = survey.rows.filter(({ position }) => !position.foreign)
  const open = active.filter(({ foreign }) => !foreign).map(({ name }) => name)
  const isNone = several.length === 0 && open.length > 0 && !own.some(({ focused }) => focused)
  add(isNone, { level: 'note', ...FINDINGS.noneCurrent(open), fixed: null })
  const untaught = await namesWithoutLearnings(context, own)
  add(untaught.length > 0, { level: 'note', ...FINDINGS.learningsMissing(untaught), fixed: null })
}

/** The documents in `active/`, as they say of themselves. */
function activeHere(survey: Survey, commit: DocumentCommit) {
  const begun = (commit.begins ?? []).map(({ id, name }) => ({ id, name, foreign: false }))
  const known = survey.rows.map(({ stream: { id, name }, position: { foreign } }) => ({ id, name, foreign }))
  const streams = new Map([...begun, ...known].map((stream) => [stream.id, stream]))
  for (const { checkpoint, foreign } of commit.appends ?? []) {
    const stream = streams.get(checkpoint.stream)
    if (stream) stream.foreign = foreign
  }
  return [...documentsHere(survey, commit)].flatMap(([id, { path, current }]) => {
    const stream = streams.get(id)
    return stream && !isArchived(path) ? [{ ...stream, current }] : []
  })
}

function tellTroubles({ troubles, operation, foreign }: Survey, findings: Finding[]): void {
  for (const trouble of troubles)
    findings.push({ level: 'warning', ...FINDINGS.documentTrouble(trouble), fixed: null })
  if (operation !== null) findings.push({ level: 'note', ...FINDINGS.gitOperation(operation), fixed: null })
  if (foreign.length > 0)
    findings.push({ level: 'note', ...FINDINGS.documentsForeign(foreign.length), fixed: null })
}

/** Whatever is owed is written with any act; where several are current the newest stays. */
async function mend(context: Context): Promise<{ newest: string | null }> {
  // An undo must not bring back what was wrong.
  return actOnDocuments({ ...context, verb: null }, async (survey) => {
    const several = currentsOf(survey)
    const row = several.length > 1 ? await newestOf(context, several) : undefined
    const commit = row ? await focusOn(context, survey, row) : {}
    return { commit, answer: { newest: row?.stream.name ?? null } }
  })
}

/** By the documents' own times; text that nobody reviewed is chosen last. */
async function newestOf(context: Context, rows: WorkRow[]): Promise<WorkRow | undefined> {
  const times = await Promise.all(
    rows.map(async (row) => {
      const text = row.view ? await context.store.log.readText(row.view.hash) : null
      const fields = text === null ? undefined : readFrontMatter(text)?.fields
      const time = Date.parse(fields?.get('last_delta')?.value || fields?.get('created')?.value || '') || 0
      return { row, time: row.position.foreign ? -1 : time }
    }),
  )
  return times.sort((a, b) => b.time - a.time)[0]?.row
}
