import { decisionOf, decisionSentence } from '../core/decision.ts'
import { usageError } from '../core/reason.ts'
import {
  type Artifact,
  type Breadcrumb,
  type Claim,
  type Decision,
  emptyWork,
  type Origin,
  type Step,
  type WorkField,
  type WorkState,
} from '../core/work.ts'
import { carryForward } from './carry.ts'

/** A claim in somebody's words; whether it is sure where they say so, else by who speaks. */
export type Statement =
  | string
  | { text: string; why?: string; confirmed?: boolean; supersededBy?: string | null }

/** A file that a user or an agent names in a save. */
export type NamedFile = Pick<Artifact, 'path'> & Partial<Pick<Artifact, 'action' | 'description'>>

/** `src/login.ts`, or `src/login.ts: the form`. */
export function parseNamedFile(text: string): NamedFile {
  const [, path = text, description = ''] = /^(.+?):\s+(.+)$/s.exec(text) ?? []
  return { path, description }
}

/** What somebody says at a save, in their words. Lists are what is new; what is known stays. */
export interface Saying {
  summary: string | null
  now: string | null
  state: string | null
  problem: string | null
  goal: string | null
  decisions: Statement[]
  next: string[] | null
  blockers: string[] | null
  questions: Statement[]
  constraints: Statement[]
  rules: Statement[]
  facts: Statement[]
  done: Array<string | Step>
  files: NamedFile[]
  commands: string[]
  ids: string[]
  learnings: string[]
  references: Breadcrumb[]
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

export const NOTHING_SAID: Saying = {
  ...{ summary: null, now: null, state: null, problem: null, goal: null, next: null, blockers: null },
  ...{ decisions: [], questions: [], constraints: [], rules: [], facts: [], done: [], files: [] },
  ...{ commands: [], ids: [], learnings: [], references: [], supersedes: [], resolve: [], confirm: [] },
  ...{ unconfirmed: false, by: 'user' },
}

/** The work after a save: the known work, carried forward by the carry table, with the new statements. */
export function applySaying(before: WorkState, saying: Saying, at: string): WorkState {
  const claims = claimsOf(saying)
  const known = confirmClaims(before, saying.confirm)
  const fresh = saying.decisions.map((one) =>
    keepConfirmation(known.decisions, decisionFrom(one, claims.choice)),
  )
  const work = carryForward(supersedeDecisions(known, saying.supersedes, fresh), {
    ...(saying.problem === null ? {} : { problem: saying.problem }),
    ...(saying.goal === null ? {} : { intent: saying.goal }),
    ...stateOf(saying),
    decisions: fresh,
    constraints: addClaims(known.constraints, saying.constraints.map(claims.choice)),
    rules: addClaims(known.rules, saying.rules.map(claims.choice)),
    facts: addClaims(known.facts, saying.facts.map(claims.plain)),
    questions: addClaims(
      resolveQuestions(known.questions, saying.resolve),
      saying.questions.map(claims.plain),
    ),
    done: saying.done.map((one) => (typeof one === 'string' ? { text: one, at } : one)),
    artifacts: saying.files.map(({ path, action = 'modified', description = '' }) => ({
      path,
      action,
      description,
    })),
    references: [
      ...saying.commands.map(reference('command')),
      ...saying.ids.map(reference('id')),
      ...saying.learnings.map(reference('learning')),
      ...saying.references,
    ],
  })
  return { ...work, overheard: work.overheard ?? [] }
}

/** What an agent chose or took to be wanted is not confirmed until the user says so; what it saw is as good as seen. */
function claimsOf({ unconfirmed, by }: Saying) {
  const claim = (isSure: boolean) => (one: Statement) => {
    const { text, confirmed: sure } = typeof one === 'string' ? { text: one, confirmed: undefined } : one
    return { text, origin: by, confirmed: sure ?? (isSure && !unconfirmed) }
  }
  return { plain: claim(true), choice: claim(by === 'user') }
}

function decisionFrom(one: Statement, claim: (one: Statement) => Claim): Decision {
  const { text, why = '', supersededBy = null } = typeof one === 'string' ? { text: one } : one
  return { ...claim(one), ...(why === '' ? decisionOf(text) : { text, why }), supersededBy }
}

/** Repeating a confirmed decision keeps it confirmed; an agent cannot revive a superseded one. */
function keepConfirmation(known: readonly Decision[], fresh: Decision): Decision {
  const same = known.find(({ text }) => text === fresh.text)
  if (!same) return fresh
  const { origin, confirmed: isSure, supersededBy } = same.confirmed && !fresh.confirmed ? same : fresh
  return {
    ...fresh,
    origin,
    confirmed: isSure,
    supersededBy: fresh.origin === 'agent' ? (fresh.supersededBy ?? same.supersededBy) : supersededBy,
  }
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

/**
 * What a piece of work that begins knows from the one that was told here before: what holds beyond it, and nothing
 * of how far that one has come.
 */
export const inheritWork = ({ decisions, constraints, rules, facts, references }: WorkState): WorkState => ({
  ...emptyWork(),
  decisions: decisions.filter(stands),
  constraints,
  rules,
  facts,
  references: references.filter(({ kind }) => kind === 'learning'),
})

/** So many items of a list are kept in a checkpoint, the newest; all that ever were stay in the history. */
export const MOST = {
  decisions: 300,
  constraints: 200,
  rules: 200,
  facts: 200,
  done: 100,
  next: 100,
  blockers: 100,
  questions: 100,
  artifacts: 100,
  references: 100,
} as const satisfies Partial<Record<WorkField, number>>

/** The work within its caps, and how many items they cut. Of the decisions, those that were superseded go first. */
export function capWork(work: WorkState): { work: WorkState; dropped: number } {
  const fits = { ...work }
  let dropped = 0
  const cap = <Item>(items: Item[], most: number): Item[] => {
    dropped += Math.max(0, items.length - most)
    return items.length > most ? items.slice(items.length - most) : items
  }
  const standing = work.decisions.filter(stands)
  const spent = cap(
    work.decisions.filter((one) => !stands(one)),
    Math.max(0, MOST.decisions - standing.length),
  )
  const kept = new Set([...spent, ...capUnconfirmed(standing, cap)])
  fits.decisions = work.decisions.filter((one) => kept.has(one))
  fits.constraints = cap(work.constraints, MOST.constraints)
  fits.rules = cap(work.rules, MOST.rules)
  fits.facts = cap(work.facts, MOST.facts)
  fits.done = cap(work.done, MOST.done)
  // The first of these are the ones that count.
  fits.next = work.next.slice(0, MOST.next)
  fits.blockers = work.blockers.slice(0, MOST.blockers)
  dropped += work.next.length - fits.next.length + work.blockers.length - fits.blockers.length
  fits.questions = cap(work.questions, MOST.questions)
  fits.artifacts = cap(work.artifacts, MOST.artifacts)
  fits.references = cap(work.references, MOST.references)
  return { work: fits, dropped }
}

/** Above the cap, unconfirmed decisions are dropped first. */
function capUnconfirmed(
  standing: Decision[],
  cap: <Item>(items: Item[], most: number) => Item[],
): Decision[] {
  const sure = standing.filter(({ confirmed }) => confirmed)
  const unsure = cap(
    standing.filter(({ confirmed }) => !confirmed),
    Math.max(0, MOST.decisions - sure.length),
  )
  return [...cap(sure, MOST.decisions), ...unsure]
}

const reference =
  (kind: string) =>
  (text: string): Breadcrumb => ({ kind, text })

function addClaims(known: Claim[], fresh: Claim[]): Claim[] {
  const texts = new Set(known.map(({ text }) => text))
  return [...known, ...fresh.filter(({ text }) => !texts.has(text))]
}

function supersedeDecisions(work: WorkState, texts: string[], fresh: Decision[]): WorkState {
  if (texts.length === 0) return work
  const [successor, ...others] = fresh
  if (successor === undefined || others.length > 0)
    throw usageError('--supersedes needs exactly one --decision beside it')
  const replaced = new Set(texts.map((text) => match('decision', work.decisions.filter(stands), text)))
  const mark = (one: Decision) => (replaced.has(one) ? { ...one, supersededBy: successor.text } : one)
  return { ...work, decisions: work.decisions.map(mark) }
}

const stands = ({ supersededBy }: Decision) => supersededBy === null

function resolveQuestions(questions: Claim[], texts: string[]): Claim[] {
  const answered = new Set(texts.map((text) => match('question', questions, text)))
  return questions.filter((question) => !answered.has(question))
}

function confirmClaims(work: WorkState, texts: string[]): WorkState {
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

/** How an item is written: its text alone, and a decision with its reason as files and briefs show it. */
function namesOf(item: Claim & { why?: string }): string[] {
  const { text, why = '' } = item
  const names = why === '' ? [text] : [text, decisionSentence({ text, why }), `${text} (why: ${why})`]
  return names.map((name) => name.toLowerCase())
}

/** The one item that a text means: it is the text, or the only one that contains it. */
function match<C extends Claim>(what: string, items: C[], text: string): C {
  const wanted = text.trim().toLowerCase()
  const same = items.filter((item) => namesOf(item).includes(wanted))
  const found = same.length > 0 ? same : items.filter((item) => item.text.toLowerCase().includes(wanted))
  const [only] = found
  if (only !== undefined && found.length === 1) return only
  const close = found.length > 0 ? found : items
  const known = close.map((item) => JSON.stringify(item.text.slice(0, 60))).join(', ') || 'none'
  throw usageError(
    found.length === 0
      ? `no ${what} is like ${JSON.stringify(text.slice(0, 60))}; known: ${known}`
      : `more than one ${what} is like ${JSON.stringify(text.slice(0, 60))}: ${known}; be more exact`,
  )
}
