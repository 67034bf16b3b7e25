import { ageOf, formatCount } from '../../core/text.ts'
import { visible } from '../../core/visible.ts'
import { clipWidth } from '../../core/width.ts'
import { WHY } from '../../engine/brief/resume-work.ts'
import { type SavedState, savedState } from '../../engine/brief/saved-state.ts'
import { verifyWork } from '../../engine/brief/verify-work.ts'
import type { Context } from '../../engine/context/context.ts'
import { readSurvey } from '../../engine/documents/read-survey.ts'
import { findRow, isHere, type Survey } from '../../engine/documents/survey.ts'
import { absentAt } from '../../engine/surroundings/mentions.ts'
import { readRecentSessions, resolveFactsOf } from '../../engine/surroundings/resolve-facts.ts'
import { type World, worldOf } from '../../engine/surroundings/world.ts'
import { type Drift, hasDrift } from '../../policy/brief/brief.ts'
import { type Due, dueOf } from '../../policy/due.ts'
import { resolveStream } from '../../policy/resolve.ts'
import type { WorkRow } from '../../store/acts.ts'
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

interface LastSave {
  stream: string
  why: keyof typeof WHY
  checkpoint: string
  sequence: number
  savedAt: string
  ageMs: number
  summary: string
  goal: string
  next: string
  blockers: string[]
  questions: number
  unconfirmed: number
  drift: Drift
  document: string | null
}

interface Status {
  trusted: boolean
  /** So many documents came with the repository, and are not told. */
  foreign: number
  focus: string | null
  branch: string | null
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
    const survey = await readSurvey(context)
    const world = await worldOf(context, survey)
    const nowMs = context.ports.now()
    const plan = world.index?.activePlan ?? null
    const sessions = await readRecentSessions(context, survey)
    const choice = resolveStream(
      resolveFactsOf(survey, { named: null, plan, branch: world.branch, nowMs, ...sessions }),
      'resume',
    )
    // What a resume would only offer is not told here either.
    const offered = choice.kind === 'stream' && choice.offered ? choice.name : null
    const row = choice.kind === 'stream' && offered === null ? findRow(survey, choice.name) : undefined
    const state = row ? await savedState(context, row, survey) : null
    const saved =
      row && state && choice.kind === 'stream'
        ? { ...(await lastSaveOf(context, survey, world, row, state)), why: choice.why }
        : null
    const candidates = choice.kind === 'choose' ? choice.candidates : []
    const unreviewed = candidates.filter(({ foreign }) => foreign).map(({ name }) => name)
    // Beside work that is saved and not told, nothing can be said of what it needs.
    const due =
      row || choice.kind === 'nothing' ? dueOf(await dueInput(context, world, row, state, saved)) : []
    const told = {
      ...{ trusted: survey.trusted, saved, offered, due, unreviewed },
      candidates: candidates.map(({ name }) => name),
    }
    return {
      ...told,
      foreign: survey.foreign.length,
      focus: survey.rows.find(({ focused }) => focused)?.stream.name ?? null,
      branch: world.branch,
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

async function lastSaveOf(
  context: Context,
  survey: Survey,
  world: World,
  row: WorkRow,
  { checkpoint, sequence, work }: SavedState,
): Promise<Omit<LastSave, 'why'>> {
  const atMs = Date.parse(checkpoint.at)
  const { branch = null, commit = null } = checkpoint.provenance ?? {}
  const { drift } = await verifyWork(
    context,
    work,
    { atMs, branch, commit, absent: absentAt(checkpoint, work) },
    world,
    survey,
  )
  const claims = [...work.decisions, ...work.constraints, ...work.rules, ...work.facts, ...work.questions]
  return {
    stream: row.stream.name,
    checkpoint: checkpoint.id,
    sequence,
    savedAt: checkpoint.at,
    ageMs: Math.max(0, context.ports.now() - atMs),
    summary: work.now || work.state || work.problem,
    goal: work.intent,
    next: work.next[0]?.text ?? '',
    blockers: work.blockers.map(({ text }) => text),
    questions: work.questions.length,
    unconfirmed: claims.filter(({ confirmed }) => !confirmed).length,
    drift,
    document: row.view && isHere(survey, row) ? row.view.path : null,
  }
}

async function dueInput(
  context: Context,
  world: World,
  row: WorkRow | undefined,
  state: SavedState | null,
  saved: Omit<LastSave, 'why'> | null,
): Promise<Parameters<typeof dueOf>[0]> {
  const position = state?.work.position
  const steps = position?.plan?.steps ?? []
  const stage = String(world.index?.stage ?? '')
  return {
    savedAgeMs: saved?.ageMs ?? null,
    filesChanged: saved?.drift.filesChanged ?? 0,
    commitsSince: saved?.drift.commitsSince ?? null,
    branch: saved?.drift.branch ?? null,
    stage: world.index && position && stage !== position.stage ? { was: position.stage, now: stage } : null,
    decisionsSinceDelta: row && saved?.document ? await decisionsSinceDelta(context, row, state) : 0,
    hasDocument: saved?.document != null,
    steps:
      steps.length === 0
        ? null
        : { done: steps.filter((step) => step.state === 'done').length, total: steps.length },
  }
}

/** Each checkpoint on the way back is read whole: a line that is longer is followed no further. */
const FAR_ENOUGH = 1_000

/** How many decisions came by saves since a delta was written, along this workspace's own line; at least so many. */
async function decisionsSinceDelta(
  { store }: Context,
  { position }: WorkRow,
  state: SavedState | null,
): Promise<number> {
  const now = new Set(state?.work.decisions.map(({ text }) => text))
  let before = now
  let id: string | null = now.size === 0 ? null : position.checkpoint
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
  const { saved, focus, branch, offered, candidates, uncommitted, due, todo, trusted, foreign } = status
  const rows: Array<[string, string]> = [['Focus', focus ?? 'nothing']]
  if (branch !== null) rows.push(['Branch', branch])
  if (saved) {
    rows.push(['Work', `${saved.stream}: ${WHY[saved.why]}`])
    if (saved.document) rows.push(['Document', saved.document])
    rows.push(['Saved', `${ageOf(saved.ageMs)} ago, number ${saved.sequence}`])
    if (saved.summary) rows.push(['Now', clipLine(saved.summary)])
    rows.push(['Next', clipLine(saved.next) || 'nothing is planned'])
    for (const blocker of saved.blockers.slice(0, 2)) rows.push(['Blocked', clipLine(blocker)])
    if (saved.unconfirmed + saved.questions > 0)
      rows.push(['Open', `${formatCount(saved.questions, 'question')}, ${saved.unconfirmed} unconfirmed`])
    if (hasDrift(saved.drift)) rows.push(['Drift', sayDrift(saved.drift, clipLine)])
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

function sayDrift(drift: Drift, clipped: (text: string) => string): string {
  const { branch, commitsSince, filesChanged, filesGone, planStep } = drift
  return [
    branch && `saved on ${clipped(branch.was)}`,
    commitsSince ? `${formatCount(commitsSince, 'commit')} since` : '',
    filesChanged > 0 && `${formatCount(filesChanged, 'file')} changed`,
    filesGone > 0 && `${formatCount(filesGone, 'file')} gone`,
    planStep !== null && `the plan is at ${clipped(planStep)}`,
  ]
    .filter((part) => typeof part === 'string' && part !== '')
    .join(', ')
}
