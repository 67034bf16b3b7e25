import { ageOf, formatCount } from '../../core/text.ts'
import { visible } from '../../core/visible.ts'
import { clipWidth } from '../../core/width.ts'
import {
  findSavedWork,
  presentWork,
  readTellableWork,
  type SavedWorkHere,
} from '../../engine/brief/resume-work.ts'
import { verifyWork } from '../../engine/brief/verify-work.ts'
import type { Context } from '../../engine/context/context.ts'
import { WHY } from '../../engine/context/notices.ts'
import { readSurvey } from '../../engine/documents/read-survey.ts'
import { isHere } from '../../engine/documents/survey.ts'
import { type World, worldOf } from '../../engine/surroundings/world.ts'
import { offerAdoption } from '../../engine/transfer/adopt-repository.ts'
import { hasDrift } from '../../policy/brief/brief.ts'
import { describeDrift } from '../../policy/brief/brief-words.ts'
import { type Due, type DueInput, dueOf } from '../../policy/due.ts'
import { claimsIn } from '../../policy/save.ts'
import {
  choiceFact,
  flagFact,
  integerFact,
  listFact,
  nullableFact,
  recordFact,
  textFact,
} from '../define/facts.ts'
import { defineVerb, type Screen } from '../define/verb.ts'
import { namedRows } from '../say/table.ts'
import { reviewCommands, sayReview } from './say-review.ts'

type LastSave = Awaited<ReturnType<typeof lastSaveOf>>

interface Status {
  trusted: boolean
  /** So many documents came with the repository, and are not told. */
  foreign: number
  focus: string | null
  branch: string | null
  /** The commit that is checked out; null without git, and before the first one. */
  commit: string | null
  /** The work that a resume tells here; null where nothing is saved, or where it would tell none. */
  saved: LastSave | null
  /** Work that a resume names and does not tell: it is of another branch, and older. */
  offered: string | null
  /** What there is to choose from, the newest first. */
  candidates: string[]
  /** Those of the candidates that came with the repository, and that nobody here has reviewed. */
  unreviewed: string[]
  uncommitted: number | null
  due: Due[]
  /** What to do now, as commands. */
  todo: string[]
}

export const status = defineVerb({
  name: 'status',
  summary: 'Show in one screen where the work stands and what is due',
  detail: 'The focus, the last save and its age, the next action, what changed since, and what to do now.',
  fields: {},
  examples: ['savepoint status', 'savepoint status --json'],
  access: 'read',
  takesIn: 'talk',
  lenient: true,
  async perform(context): Promise<Status> {
    await offerAdoption(context)
    const survey = await readSurvey(context)
    const world = await worldOf(context, survey)
    const here = await findSavedWork(context, survey, world, null)
    const { choice, saved: found } = here
    const saved = found && (await lastSaveOf(context, world, { ...here, saved: found }))
    const candidates = choice.kind === 'choose' ? choice.candidates : []
    const told = {
      ...{ trusted: survey.trusted, saved },
      // What a resume would only offer is not told here either.
      offered: choice.kind === 'stream' && choice.offered ? choice.name : null,
      candidates: candidates.map(({ name }) => name),
      unreviewed: candidates.filter(({ foreign }) => foreign).map(({ name }) => name),
      // Beside work that is saved and not told, nothing can be said of what it needs.
      due: found || choice.kind === 'nothing' ? await dueHere(context, world, found, saved) : [],
    }
    return {
      ...told,
      foreign: survey.foreign.length,
      focus: survey.rows.find(({ focused }) => focused)?.stream.name ?? null,
      ...{ branch: world.branch, commit: world.commit },
      uncommitted: world.dirty?.length ?? null,
      todo: todoOf(told),
    }
  },
  say: (result, screen) => sayStatus(result, screen),
  tool: {
    title: 'Where the work stands',
    when: 'Call it for a quick look: what is in focus, when it was saved, what changed since, whether a save is due. For decisions and next actions call resume.',
    effect: 'reads',
    facts: {
      trusted: flagFact('whether the user trusts this workspace'),
      focus: nullableFact(textFact('the piece of work in focus')),
      saved: nullableFact(
        recordFact('the work that resume tells here', {
          stream: textFact('the piece of work'),
          checkpoint: textFact('the id of its checkpoint'),
          sequence: integerFact('its number in the history of that work'),
          savedAt: textFact('when it was saved'),
          document: nullableFact(textFact('its checkpoint document')),
          questions: integerFact('how many questions are open'),
          unconfirmed: integerFact('how many claims the user has not confirmed'),
          commitsSince: nullableFact(integerFact('how many commits came since; null where nobody can tell')),
          filesChanged: integerFact('how many files changed since'),
          filesGone: integerFact('how many of its files are gone'),
        }),
      ),
      offered: nullableFact(textFact('older work of another branch, which resume only names')),
      candidates: listFact('names to choose from', textFact('the name of a piece of work')),
      unreviewed: integerFact('how many of those came with the repository, and are not reviewed'),
      uncommitted: nullableFact(integerFact('how many files are not committed')),
      due: listFact('what is due, the most important first', choiceFact('a verb', ['save', 'delta', 'new'])),
    },
    factsOf: ({ trusted, focus, saved, offered, candidates, unreviewed, uncommitted, due }) => ({
      ...{ trusted, focus, offered, candidates, uncommitted },
      saved: saved && savedFacts(saved),
      unreviewed: unreviewed.length,
      due: due.map(({ what }) => what),
    }),
  },
})

const savedFacts = ({ drift, ...saved }: LastSave) => ({
  ...{ stream: saved.stream, checkpoint: saved.checkpoint, sequence: saved.sequence },
  ...{ savedAt: saved.savedAt, document: saved.document },
  ...{ questions: saved.questions, unconfirmed: saved.unconfirmed },
  ...{ commitsSince: drift.commitsSince, filesChanged: drift.filesChanged, filesGone: drift.filesGone },
})

type SavedWork = SavedWorkHere['saved']

async function lastSaveOf(context: Context, world: World, here: SavedWorkHere) {
  const {
    survey,
    saved: { row, why, checkpoint, sequence, work: whole, point },
  } = here
  const { drift } = await verifyWork(context, whole, point, world, survey)
  const told = await readTellableWork(context, world, here)
  const work = presentWork(told)
  const age = told.earlier.ages.get('intent')
  return {
    ...{ stream: row.stream.name, why, checkpoint: checkpoint.id, sequence, savedAt: checkpoint.at, drift },
    ageMs: Math.max(0, context.ports.now() - point.atMs),
    summary: work.now || work.state || work.problem || work.intent,
    goal: work.intent,
    /** The goal of an earlier task, and how long ago it was saved; null where the goal is of the present one. */
    earlierGoal: age && told.earlier.hasNewerTask ? { text: told.saved.intent, age } : null,
    next: work.next[0]?.text ?? '',
    blockers: work.blockers.map(({ text }) => text),
    questions: work.questions.length,
    unconfirmed: claimsIn(work).filter(({ confirmed }) => !confirmed).length,
    document: row.view && isHere(survey, row) ? row.view.path : null,
  }
}

const NOTHING_SAVED: DueInput = {
  ...{ savedAgeMs: null, filesChanged: 0, commitsSince: null, branch: null, stage: null },
  ...{ decisionsSinceDelta: 0, hasDocument: false, steps: null },
}

async function dueHere(
  context: Context,
  { index }: World,
  found: SavedWork | null,
  saved: LastSave | null,
): Promise<Due[]> {
  if (!found || !saved) return dueOf(NOTHING_SAVED)
  const { position } = found.work
  const steps = position.plan?.steps ?? []
  const stage = String(index?.stage ?? '')
  const { drift, document } = saved
  return dueOf({
    savedAgeMs: saved.ageMs,
    ...{ filesChanged: drift.filesChanged, commitsSince: drift.commitsSince, branch: drift.branch },
    stage: index && stage !== position.stage ? { was: position.stage, now: stage } : null,
    decisionsSinceDelta: document === null ? 0 : await decisionsSinceDelta(context, found),
    hasDocument: document !== null,
    steps:
      steps.length === 0
        ? null
        : { done: steps.filter((step) => step.state === 'done').length, total: steps.length },
  })
}

/** Each checkpoint on the way back is read whole: a line that is longer is followed no further. */
const FAR_ENOUGH = 1_000

/** How many decisions came by saves since a delta was written, along this workspace's own line; at least so many. */
async function decisionsSinceDelta(
  { store }: Context,
  { row, work: { decisions } }: SavedWork,
): Promise<number> {
  const now = new Set(decisions.map(({ text }) => text))
  let before = now
  let id: string | null = now.size === 0 ? null : row.position.checkpoint
  for (let back = 0; id !== null && back < FAR_ENOUGH; back += 1) {
    const stored = await store.log.readCheckpoint(id)
    if (stored?.state !== 'whole') break
    const { triggers, parent, work } = stored.checkpoint
    before = new Set(work.decisions.map(({ text }) => text))
    id = triggers.some(({ note }) => note === 'delta') ? null : parent
  }
  return [...now].filter((text) => !before.has(text)).length
}

/** Nothing of the work is ours. */
const isForeignAlone = ({ candidates, unreviewed }: Pick<Status, 'candidates' | 'unreviewed'>) =>
  candidates.length > 0 && candidates.length === unreviewed.length

type StatusFacts = Pick<Status, 'trusted' | 'saved' | 'offered' | 'candidates' | 'unreviewed' | 'due'>

function todoOf(told: StatusFacts): string[] {
  const { trusted, saved, offered, candidates, due } = told
  if (offered !== null) return [`savepoint resume ${offered}`]
  if (isForeignAlone(told)) return reviewCommands(candidates, trusted)
  if (candidates.length > 0) return ['savepoint resume <id>']
  const commands = due.map(({ command }) => command)
  return saved ? [...commands, 'savepoint resume'] : commands
}

function sayStatus(status: Status, { columns }: Screen): string {
  // One screen, in a pipe too: a text that goes on and on is cut, a command never.
  const room = Math.max(20, Math.min(columns, MOST_COLUMNS) * 2 - 24)
  const clipLine = (text: string) => clipWidth(visible(first(text)), room)
  const { saved, focus, branch, commit, offered, candidates, uncommitted, due, todo, trusted, foreign } =
    status
  const rows: Array<[string, string]> = [['Focus', focus ?? 'nothing']]
  if (branch !== null) rows.push(['Branch', branch])
  else if (commit !== null) rows.push(['Branch', `none (detached at ${commit.slice(0, 10)})`])
  if (saved) {
    rows.push(['Work', `${saved.stream}: ${WHY[saved.why]}`])
    if (saved.document) rows.push(['Document', saved.document])
    rows.push(['Saved', `${ageOf(saved.ageMs)} ago, number ${saved.sequence}`])
    if (saved.summary) rows.push(['Now', clipLine(saved.summary)])
    rows.push(['Next', clipLine(saved.next) || 'nothing is planned'])
    if (saved.earlierGoal)
      rows.push(['Earlier', clipLine(`goal of ${saved.earlierGoal.age}: ${saved.earlierGoal.text}`)])
    for (const blocker of saved.blockers.slice(0, 2)) rows.push(['Blocked', clipLine(blocker)])
    if (saved.unconfirmed + saved.questions > 0)
      rows.push(['Open', `${formatCount(saved.questions, 'question')}, ${saved.unconfirmed} unconfirmed`])
    if (hasDrift(saved.drift)) rows.push(['Drift', describeDrift(saved.drift, clipLine).join(', ')])
  } else if (offered !== null) rows.push(['Work', `${offered}, of another branch and older`])
  else if (isForeignAlone(status))
    rows.push(['Work', `${joinNames(candidates)} ${sayReview(candidates, trusted)}`])
  else if (candidates.length > 0) rows.push(['Work', `several: ${joinNames(candidates)}`])
  else rows.push(['Saved', 'nothing yet'])
  if (uncommitted) rows.push(['Files', `${uncommitted} uncommitted`])
  if (!trusted && (saved || foreign > 0))
    rows.push(['Trust', 'not given: git is not asked, and edits of documents are not taken in'])
  for (const { text } of due) rows.push(['Due', clipLine(text)])
  for (const [at, command] of todo.entries()) rows.push([at === 0 ? 'Do now' : '', command])
  return namedRows(
    rows.map(([name, text]) => [name, visible(text)]),
    columns,
  )
}

const MOST_COLUMNS = 200

const joinNames = (candidates: string[]) => candidates.slice(0, 5).join(', ')

const first = (text: string) => text.trim().split(/\r?\n/, 1)[0] ?? ''
