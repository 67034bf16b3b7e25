import { requireName } from '../../core/id.ts'
import { instant } from '../../core/ports.ts'
import type { SessionKey } from '../../core/session.ts'
import { visible } from '../../core/visible.ts'
import { emptyWork, type WorkState } from '../../core/work.ts'
import { renderBriefPlain } from '../../formats/brief-md/render.ts'
import type { Drift } from '../../policy/brief.ts'
import { MIN_TOKENS } from '../../policy/brief-fit.ts'
import { saysAnything } from '../../policy/brief-sections.ts'
import type { Talks } from '../../policy/brief-talk.ts'
import { isInFlight } from '../../policy/digest/tell-end.ts'
import { workIn } from '../../policy/digest/work.ts'
import { type Candidate, type ResumeChoice, resolveStream } from '../../policy/resolve.ts'
import type { Context } from '../context.ts'
import { isAutomatic } from '../document/automatic.ts'
import { requireRow } from '../document/find-stream.ts'
import { read } from '../document/read.ts'
import type { Survey } from '../document/survey.ts'
import { listOf, maybe, oneOf, text, whole } from '../facts.ts'
import { operation, type Screen } from '../operation.ts'
import { keepUp } from '../session/keep-up.ts'
import { notesHere, type SessionNote } from '../session/notes.ts'
import { ageOf, count, namedRows } from '../text.ts'
import { learningsFor, type ToldBrief, toldBrief } from './brief-of.ts'
import { absentAt } from './mentions.ts'
import { savedState } from './saved-state.ts'
import { seenOf, sessionsSeen } from './seen.ts'
import { talksFor } from './talks.ts'
import { verify } from './verify.ts'
import { type World, worldOf } from './world.ts'

export type Resumed =
  /** `foreign`: so many documents came with the repository, and are not told. */
  | { kind: 'nothing'; foreign: number }
  | { kind: 'choose'; trusted: boolean; candidates: Array<Candidate & { updated_at: string; age: string }> }
  | { kind: 'offered'; stream: string; branch: string | null; saved_at: string; age: string }
  | ({
      kind: 'brief'
      stream: string
      why: string
      checkpoint: string
      sequence: number
      saved_at: string
      drift: Drift
      work: WorkState
    } & ToldBrief)

/** Why a stream was chosen, in words. */
export const WHY: Record<Extract<ResumeChoice, { kind: 'stream' }>['why'], string> = {
  named: 'it was asked for by its name',
  bound: 'this session is bound to it',
  focused: 'it is in focus',
  plan: 'it is the work of the active plan',
  branch: 'it is the work of this branch',
  main: 'it is the work of the main branch',
  only: 'it is the only work that is open',
  session: 'it is what the last session worked on',
}

export const resume = operation({
  name: 'resume',
  summary: 'Show where the work stands, checked against the files and git',
  detail:
    'A brief for whoever goes on: what the work is, decisions with their reasons, rules, state, next actions, open questions; then files, steps, facts. It never has more tokens than its budget, and its last line says what was cut. Into a pipe it goes as Markdown for an agent, on a terminal as a page.',
  fields: {
    id: {
      kind: 'text',
      at: 0,
      check: (name: string) => void requireName(name, 'the stream'),
      about: 'the piece of work; the one in focus, of the plan or of the branch without it',
    },
    budget: {
      kind: 'count',
      least: MIN_TOKENS,
      value: 'TOKENS',
      about: `how many tokens it may have (estimated); 1500 without it, at least ${MIN_TOKENS}`,
    },
    markdown: { kind: 'flag', typed: true, about: 'Markdown also on a terminal' },
  },
  examples: ['savepoint resume', 'savepoint resume auth-system --budget 600', 'savepoint resume --json'],
  access: 'read',
  lenient: true,
  async perform(context, { id, budget = context.settings.brief_tokens, markdown }) {
    await keepUp(context, { except: context.session })
    const survey = await read(context)
    // What is uncommitted is in no brief: git need not be asked for it.
    const world = await worldOf(context, survey, { wantsDirty: false })
    const notes = await notesHere(context, null)
    return { markdown, ...(await resumed(context, survey, world, { named: id ?? null, budget, notes })) }
  },
  say: (result, screen) => sayResumed(result, screen),
  exact: (result) => (result.kind === 'brief' ? `${result.text}\n` : null),
  tool: {
    title: 'Brief of saved work',
    when: 'Call it to go on with earlier work: at the start of a session that was not briefed, after /clear, or for another piece of work by its name. Check its UNCONFIRMED lines and ask its questions before you build on them.',
    effect: 'reads',
    facts: {
      kind: oneOf('a brief, a choice between several, an offer of older work, or nothing saved', [
        'brief',
        'choose',
        'offered',
        'nothing',
      ]),
      stream: maybe(text('the piece of work that is told')),
      checkpoint: maybe(text('the checkpoint that the brief was made from')),
      saved_at: maybe(text('when that was saved')),
      tokens: maybe(whole('how many tokens the brief has (estimated)')),
      candidates: listOf('names to choose from', text('the name of a piece of work')),
    },
    factsOf: (result) => ({
      kind: result.kind,
      stream: 'stream' in result ? result.stream : null,
      checkpoint: result.kind === 'brief' ? result.checkpoint : null,
      saved_at: 'saved_at' in result ? result.saved_at : null,
      tokens: result.kind === 'brief' ? result.tokens : null,
      candidates: result.kind === 'choose' ? result.candidates.map(({ name }) => name) : [],
    }),
    fenced: (result) => (result.kind === 'brief' ? result.text : null),
  },
})

interface Asking {
  named: string | null
  budget: number
  notes?: readonly SessionNote[]
  /** The session that is told: nothing of what it said itself. */
  except?: SessionKey | null
  /** It has lost its context, and is asked whether the focus still holds. */
  asksFocus?: boolean
  /** Somebody asks for it; what an agent is told without asking names no branch of a workspace that is not trusted. */
  isAsked?: boolean
}

/** The one stream that is meant, told; or what there is to choose from. */
export async function resumed(
  context: Context,
  survey: Survey,
  world: World,
  { named, budget, notes = [], isAsked = true, except = null, asksFocus = false }: Asking,
): Promise<Resumed> {
  const { ports, notices } = context
  const nowMs = ports.now()
  const plan = world.index?.activePlan ?? null
  const { sessions, readDigest, bound, worked } = await sessionsSeen(context, survey)
  const choice = resolveStream(
    seenOf(survey, { named, plan, branch: world.branch, nowMs, bound, worked }),
    'resume',
  )
  if (choice.kind === 'unknown') requireRow(survey, choice.name)
  if (choice.kind === 'nothing' || choice.kind === 'unknown')
    return { kind: 'nothing', foreign: survey.foreign.length }
  if (choice.kind === 'choose')
    return {
      kind: 'choose',
      trusted: survey.trusted,
      candidates: choice.candidates.map((one) => ({
        ...one,
        updated_at: instant(one.updatedMs),
        age: ageOf(nowMs - one.updatedMs),
      })),
    }
  const row = requireRow(survey, choice.name)
  const { at, gist } = row.position
  if (choice.offered)
    return {
      kind: 'offered',
      stream: choice.name,
      branch: gist.document?.branch ?? null,
      saved_at: at,
      age: ageOf(nowMs - Date.parse(at)),
    }
  const { checkpoint, sequence, work, edited, overheard } = await savedState(context, row, survey)
  const savedAtMs = Date.parse(checkpoint.at)
  const talks = await talksFor(context, {
    ...{ stream: choice.name, isNamed: choice.why === 'named', trusted: survey.trusted, world },
    except: except ?? context.session,
    savedAt: isAutomatic(checkpoint) ? null : checkpoint.at,
    ...{ sessions, readDigest },
  })
  const saved = talks ? savedBeside(work, talks) : (overheard ?? work)
  const { branch = null, commit = null } = checkpoint.provenance ?? {}
  const point = { atMs: savedAtMs, branch, commit, absent: absentAt(checkpoint, work) }
  const { checks, drift: found } = await verify(context, saved, point, world, survey)
  const drift = isAsked || survey.trusted ? found : withoutName(found)
  const learnings = await learningsFor(context, survey, work)
  const told = {
    ...{ work: saved, stream: choice.name, savedAtMs, nowMs, checks, drift, learnings, talks, asksFocus },
    notes: [
      ...(talks === null && overheard !== null ? [BY_OLDER] : []),
      ...notes.filter((note) => talks === null || !isTold(note, saved, talks)).map(({ text: note }) => note),
    ],
  }
  // What was written into the ledger is in no checkpoint yet.
  const input = edited ? { ...told, command: 'savepoint ledger' } : told
  notices.push(`This is ${choice.name}: ${WHY[choice.why]}.`)
  return {
    kind: 'brief',
    stream: choice.name,
    why: choice.why,
    checkpoint: checkpoint.id,
    sequence,
    saved_at: checkpoint.at,
    drift,
    work,
    ...toldBrief(input, budget),
  }
}

/** What became of the session that is told stands in what is told of it, and what it left running as well. */
function isTold({ session, about, text: note }: SessionNote, saved: WorkState, talks: Talks) {
  if (session !== talks.main.id) return false
  if (about === 'state') return !saysAnything(saved)
  if (about === 'pause') return talks.main.digest.last === 'halt'
  const running = talks.main.digest.calls.filter(isInFlight)
  return about === 'running' && talks.around.trusted && running.some(({ what }) => note.includes(what))
}

const BY_OLDER =
  'An older version of Savepoint overheard this in a session, and nobody saved it: check it before you build on it.'

/** What somebody saved, without what the talk itself tells. */
function savedBeside(work: WorkState, { main, around }: Talks): WorkState {
  const said = workIn(main.digest, around)
  const isNew = (known: ReadonlyArray<{ text: string }>) => {
    const texts = new Set(known.map(({ text: one }) => one))
    return (one: { text: string }) => !texts.has(one.text)
  }
  const files = new Set(said.artifacts.map(({ path }) => path))
  const saved = {
    ...work,
    decisions: work.decisions.filter(isNew(said.decisions)),
    done: work.done.filter(isNew(said.done)),
    artifacts: work.artifacts.filter(({ path, description }) => description !== '' || !files.has(path)),
  }
  const nothing = emptyWork()
  for (const field of work.overheard ?? []) Object.assign(saved, { [field]: nothing[field] })
  return saved
}

const withoutName = (drift: Drift): Drift => ({
  ...drift,
  branch: drift.branch && { ...drift.branch, now: 'another one' },
})

function sayResumed(result: Resumed & { markdown: boolean }, { columns }: Screen): string {
  switch (result.kind) {
    case 'nothing':
      return [
        'Nothing has been saved here yet. Begin with:',
        '  savepoint save "what you are working on" --next "…"',
        ...(result.foreign > 0
          ? [
              `${count(result.foreign, 'document')} came with the repository: savepoint list, then savepoint trust`,
            ]
          : []),
      ].join('\n')
    case 'offered': {
      const where = result.branch === null ? '' : ` on the branch ${visible(result.branch)}`
      return `${result.stream} was saved ${result.age} ago${where}. To go on with it: savepoint resume ${result.stream}`
    }
    case 'choose':
      return sayChoice(result, columns)
    case 'brief':
      return result.markdown || !Number.isFinite(columns)
        ? result.text
        : renderBriefPlain(result.page, columns)
  }
}

function sayChoice({ candidates, trusted }: Extract<Resumed, { kind: 'choose' }>, columns: number): string {
  const names = candidates.map(({ name }) => name)
  const isForeignAlone = candidates.every(({ foreign }) => foreign)
  if (isForeignAlone && candidates.length === 1) return `${names[0]} ${sayReview(names, trusted)}`
  const noted = ({ name, foreign, why }: Candidate) => {
    if (isForeignAlone) return ''
    if (foreign) return `, not reviewed: ${reviewCommands([name], trusted).join(', then ')}`
    return why === 'branch' ? ', on this branch' : ''
  }
  return [
    ...(isForeignAlone
      ? [`All that is here ${sayReview(names, trusted)}`]
      : ['Several could be meant. Choose one:', '  savepoint resume <id>']),
    namedRows(
      candidates.map((one) => [one.name, `saved ${one.age} ago${noted(one)}`]),
      columns,
    ),
  ].join('\n')
}

/** What makes foreign text one's own: nothing is reviewed in a workspace that is not trusted. */
export const reviewCommands = (names: readonly string[], trusted: boolean): string[] => [
  ...(trusted ? [] : ['savepoint trust']),
  `savepoint trust --review ${names.length === 1 ? names[0] : '<id>'}`,
]

export const sayReview = (names: readonly string[], trusted: boolean) =>
  `came with the repository: ${reviewCommands(names, trusted).join(', then ')}`
