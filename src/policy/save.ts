import { decisionOf } from '../core/decision.ts'
import { ReasonError } from '../core/reason.ts'
import type { Artifact, Breadcrumb, Claim, Decision, Origin, WorkState } from '../core/work.ts'
import { carryForward } from './carry.ts'

/** What somebody says at a save, in their words. Lists are what is new; what is known stays. */
export interface Saying {
  summary: string | null
  now: string | null
  state: string | null
  problem: string | null
  goal: string | null
  decisions: string[]
  next: string[] | null
  blockers: string[] | null
  questions: string[]
  constraints: string[]
  rules: string[]
  facts: string[]
  done: string[]
  files: string[]
  commands: string[]
  ids: string[]
  learnings: string[]
  /** Known decisions that the new one replaces. */
  supersedes: string[]
  /** Known questions that are answered. */
  resolve: string[]
  /** Known claims that are confirmed now. */
  confirm: string[]
  /** Whether the new claims are unconfirmed, and whose they are. */
  unconfirmed: boolean
  by: Extract<Origin, 'user' | 'agent'>
}

/** The work after a save: what was known carried forward by the one table, with what was said. */
export function said(before: WorkState, saying: Saying, at: string): WorkState {
  const claim = (text: string): Claim => ({ text, origin: saying.by, confirmed: !saying.unconfirmed })
  const known = confirmed(before, saying.confirm)
  const fresh = saying.decisions.map(
    (text): Decision => ({ ...claim(text), ...decisionOf(text), supersededBy: null }),
  )
  const work = carryForward(superseded(known, saying.supersedes, fresh), {
    ...(saying.problem === null ? {} : { problem: saying.problem }),
    ...(saying.goal === null ? {} : { intent: saying.goal }),
    ...stateOf(saying),
    decisions: fresh,
    constraints: added(known.constraints, saying.constraints.map(claim)),
    rules: added(known.rules, saying.rules.map(claim)),
    facts: added(known.facts, saying.facts.map(claim)),
    questions: added(resolved(known.questions, saying.resolve), saying.questions.map(claim)),
    done: saying.done.map((text) => ({ text, at })),
    artifacts: saying.files.map(fileOf),
    references: [
      ...saying.commands.map(reference('command')),
      ...saying.ids.map(reference('id')),
      ...saying.learnings.map(reference('learning')),
    ],
  })
  return work
}

/** A summary says what is being worked on; beside an explicit `now` it says how things stand. */
function stateOf({ summary, now, state, next, blockers }: Saying): Partial<WorkState> {
  const current = now ?? summary
  const standing = state ?? (now === null ? null : summary)
  return {
    ...(current === null ? {} : { now: current }),
    ...(standing === null ? {} : { state: standing }),
    ...(next === null ? {} : { next: next.map((text) => ({ text })) }),
    ...(blockers === null ? {} : { blockers: blockers.map((text) => ({ text })) }),
  }
}

const reference =
  (kind: string) =>
  (text: string): Breadcrumb => ({ kind, text })

/** `src/login.ts` or `src/login.ts: the form`. */
function fileOf(text: string): Artifact {
  const found = /^(.+?):\s+(.+)$/s.exec(text)
  return { path: found?.[1] ?? text, action: 'modified', description: found?.[2] ?? '' }
}

function added(known: Claim[], fresh: Claim[]): Claim[] {
  const texts = new Set(known.map(({ text }) => text))
  return [...known, ...fresh.filter(({ text }) => !texts.has(text))]
}

function superseded(work: WorkState, texts: string[], fresh: Decision[]): WorkState {
  if (texts.length === 0) return work
  const [successor, ...others] = fresh
  if (successor === undefined || others.length > 0)
    throw wrong('--supersedes needs exactly one --decision beside it')
  const replaced = new Set(texts.map((text) => match('decision', work.decisions.filter(stands), text)))
  const mark = (one: Decision) => (replaced.has(one) ? { ...one, supersededBy: successor.text } : one)
  return { ...work, decisions: work.decisions.map(mark) }
}

const stands = ({ supersededBy }: Decision) => supersededBy === null

function resolved(questions: Claim[], texts: string[]): Claim[] {
  const answered = new Set(texts.map((text) => match('question', questions, text)))
  return questions.filter((question) => !answered.has(question))
}

function confirmed(work: WorkState, texts: string[]): WorkState {
  if (texts.length === 0) return work
  const open = [...work.decisions, ...work.constraints, ...work.rules, ...work.facts, ...work.questions]
  const meant = new Set<Claim>(
    texts.map((text) =>
      match(
        'claim',
        open.filter((claim) => !claim.confirmed),
        text,
      ),
    ),
  )
  const sure = <C extends Claim>(claims: C[]): C[] =>
    claims.map((claim) => (meant.has(claim) ? { ...claim, confirmed: true, origin: 'user' } : claim))
  return {
    ...work,
    decisions: sure(work.decisions),
    constraints: sure(work.constraints),
    rules: sure(work.rules),
    facts: sure(work.facts),
    questions: sure(work.questions),
  }
}

/** The one item that a text means: it is the text, or the only one that contains it. */
function match<C extends Claim>(what: string, items: C[], text: string): C {
  const wanted = text.trim().toLowerCase()
  const same = items.filter((item) => item.text.toLowerCase() === wanted)
  const found = same.length > 0 ? same : items.filter((item) => item.text.toLowerCase().includes(wanted))
  const [only] = found
  if (only !== undefined && found.length === 1) return only
  const known = items.map((item) => JSON.stringify(item.text.slice(0, 60))).join(', ') || 'none'
  throw wrong(
    found.length === 0
      ? `no ${what} is like ${JSON.stringify(text.slice(0, 60))}; known: ${known}`
      : `more than one ${what} is like ${JSON.stringify(text.slice(0, 60))}: be more exact`,
  )
}

const wrong = (problem: string) => new ReasonError('usage_invalid', { problem })
