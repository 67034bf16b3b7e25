import { instant } from '../../core/ports.ts'
import type { SessionKey } from '../../core/session.ts'
import { ageOf } from '../../core/text.ts'
import { emptyWork, type WorkState } from '../../core/work.ts'
import type { Drift } from '../../policy/brief/brief.ts'
import { saysAnything } from '../../policy/brief/brief-sections.ts'
import type { Talks } from '../../policy/brief/brief-talk.ts'
import { isInFlight } from '../../policy/digest/tell-end.ts'
import { workIn } from '../../policy/digest/work.ts'
import { type ResumeChoice, resolveStream, type StreamCandidate } from '../../policy/resolve.ts'
import type { Context } from '../context/context.ts'
import { isAutomatic } from '../documents/automatic.ts'
import { requireRow } from '../documents/find-stream.ts'
import type { Survey } from '../documents/survey.ts'
import { absentAt } from '../surroundings/mentions.ts'
import { readRecentSessions, resolveFactsOf } from '../surroundings/resolve-facts.ts'
import type { World } from '../surroundings/world.ts'
import { learningsFor, type RenderedBrief, renderFittedBrief } from './brief-of.ts'
import { savedState } from './saved-state.ts'
import type { SessionNote } from './session-notes.ts'
import { talksFor } from './talks.ts'
import { verifyWork } from './verify-work.ts'

export type ResumeResult =
  /** `foreign`: so many documents came with the repository, and are not told. */
  | { kind: 'nothing'; foreign: number }
  | {
      kind: 'choose'
      trusted: boolean
      candidates: Array<StreamCandidate & { updatedAt: string; age: string }>
    }
  | { kind: 'offered'; stream: string; branch: string | null; savedAt: string; age: string }
  | ({
      kind: 'brief'
      stream: string
      why: string
      checkpoint: string
      sequence: number
      savedAt: string
      drift: Drift
      work: WorkState
    } & RenderedBrief)

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

interface ResumeOptions {
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
export async function resumeStream(
  context: Context,
  survey: Survey,
  world: World,
  { named, budget, notes = [], isAsked = true, except = null, asksFocus = false }: ResumeOptions,
): Promise<ResumeResult> {
  const { ports, notices } = context
  const nowMs = ports.now()
  const plan = world.index?.activePlan ?? null
  const { sessions, readDigest, bound, worked } = await readRecentSessions(context, survey)
  const choice = resolveStream(
    resolveFactsOf(survey, { named, plan, branch: world.branch, nowMs, bound, worked }),
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
        updatedAt: instant(one.updatedMs),
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
      savedAt: at,
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
  const saved = talks ? withoutTalk(work, talks) : (overheard ?? work)
  const { branch = null, commit = null } = checkpoint.provenance ?? {}
  const point = { atMs: savedAtMs, branch, commit, absent: absentAt(checkpoint, work) }
  const { checks, drift: found } = await verifyWork(context, saved, point, world, survey)
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
    savedAt: checkpoint.at,
    drift,
    work,
    ...renderFittedBrief(input, budget),
  }
}

/** Whether the brief already tells a note: the main session's talk names its end and what it left running. */
function isTold({ session, about, text: note }: SessionNote, saved: WorkState, talks: Talks) {
  if (session !== talks.main.id) return false
  if (about === 'state') return !saysAnything(saved)
  if (about === 'pause') return talks.main.digest.last === 'halt'
  const running = talks.main.digest.calls.filter(isInFlight)
  return about === 'running' && talks.around.trusted && running.some(({ what }) => note.includes(what))
}

const BY_OLDER =
  'An older version of Savepoint overheard this in a session, and nobody saved it: check it before you build on it.'

/** The saved work without the items that the quoted talk repeats. */
function withoutTalk(work: WorkState, { main, around }: Talks): WorkState {
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
