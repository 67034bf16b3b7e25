import { decisionOf, decisionSentence } from '../core/decision.ts'
import { usageError } from '../core/reason.ts'
import { comparableText } from '../core/text.ts'
import {
  type Artifact,
  addItems,
  type Breadcrumb,
  CLAIMS,
  type Claim,
  type Decision,
  emptyWork,
  isRejection,
  newItems,
  rejectionsIn,
  type Step,
  stands,
  type WorkState,
} from '../core/work.ts'
import { CARRY, carryForward } from './carry.ts'
import { type Correction, settleRejections } from './correct.ts'
import { matchItem, namesOf } from './match-item.ts'
import { isUsersClaim, type WordSource, whoseWord } from './whose-word.ts'

/** A claim in somebody's words; whether it is sure where they say so, else by who speaks. */
export type Statement =
  | string
  | { text: string; why?: string; confirmed?: boolean; supersededBy?: string | null; rejected?: string }

export type NamedFile = Pick<Artifact, 'path'> & Partial<Pick<Artifact, 'action' | 'description'>>

/** What somebody says at a save, in their words. Lists are what is new; what is known stays. */
export interface Saying extends WordSource {
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
  supersedes: string[]
  /** Known questions that are answered. */
  resolve: string[]
  /** Known claims that are confirmed now. */
  confirm: string[]
  /** Second thoughts about what is known; they come before all else that is said. */
  corrections: Correction[]
  unconfirmed: boolean
}

export const NOTHING_SAID: Saying = {
  ...{ summary: null, now: null, state: null, problem: null, goal: null, next: null, blockers: null },
  ...{ decisions: [], questions: [], constraints: [], rules: [], facts: [], done: [], files: [] },
  ...{ commands: [], ids: [], learnings: [], references: [], supersedes: [], resolve: [], confirm: [] },
  ...{ corrections: [], unconfirmed: false, by: 'user', requests: [] },
}

/** What a save is told: what somebody says, and where it belongs. */
export interface SaveInput {
  saying: Saying
  plan: string | null
  stage: string | null
  tddPhase: string | null
  stream: string | null
  note: boolean
  /** What the session is to be known for. */
  accomplishments: string[]
  redacted: number
  /** The work goes over to somebody else: no advice about saving is due any more. */
  handedOff?: true
}

/** The claims that stand: what was superseded or rejected needs no confirmation any more. */
export const claimsIn = (work: WorkState): Claim[] => [
  ...work.decisions.filter(stands),
  ...CLAIMS.slice(1).flatMap((field): Claim[] => work[field]),
]

/** The work after a save: the known work, carried forward by the carry table, with the new statements. */
export function applySaying(before: WorkState, saying: Saying, at: string): WorkState {
  const claims = claimsOf(saying)
  const known = confirmClaims(before, saying)
  const fresh = newItems(
    [],
    saying.decisions.map((one) => keepConfirmation(known.decisions, decisionFrom(one, claims.choice))),
  )
  const answered = new Set(saying.resolve.map((text) => matchItem('question', known.questions, text)))
  const open = known.questions.filter((question) => !answered.has(question))
  const work = carryForward(supersedeDecisions(known, saying, fresh), {
    ...textsOf(saying),
    decisions: fresh,
    constraints: saying.constraints.map(claims.choice),
    rules: saying.rules.map(claims.choice),
    facts: saying.facts.map(claims.plain),
    questions: addItems(open, saying.questions.map(claims.plain)),
    done: saying.done.map((one) => (typeof one === 'string' ? { text: one, at } : one)),
    artifacts: saying.files.map((file) => ({ action: 'modified', description: '', ...file })),
    references: referencesIn(saying),
  })
  return { ...settleRejections(work, saying.by), overheard: work.overheard ?? [] }
}

/** What an agent says again and the user rejected: it is not recorded. */
export function rejectedAgain(work: WorkState, saying: Saying): Decision[] {
  if (saying.by === 'user') return []
  const claims = [...saying.decisions, ...CLAIMS.slice(1).flatMap((field) => saying[field])]
  const rejections = rejectionsIn(work)
  return [...claims, ...(saying.next ?? []), ...(saying.blockers ?? [])]
    .map((one) => statementOf(one).text)
    .filter((text) => whoseWord(saying, text) === 'agent')
    .flatMap((text) => rejections.get(comparableText(decisionOf(text).text)) ?? [])
}

export const referencesIn = ({ commands, ids, learnings, references }: Saying): Breadcrumb[] => [
  ...commands.map((text) => ({ kind: 'command', text })),
  ...ids.map((text) => ({ kind: 'id', text })),
  ...learnings.map((text) => ({ kind: 'learning', text })),
  ...references,
]

/** What an agent chose or took to be wanted is not confirmed until the user says so; what it saw is as good as seen. */
function claimsOf(saying: Saying) {
  const claim = (isChoice: boolean) => (one: Statement) => {
    const { text, why = '', confirmed: sure = !saying.unconfirmed } = statementOf(one)
    const origin = whoseWord(saying, decisionSentence({ text, why }))
    return { text, origin, confirmed: sure && !(isChoice && origin === 'agent') }
  }
  return { plain: claim(false), choice: claim(true) }
}

const statementOf = (one: Statement): Exclude<Statement, string> =>
  typeof one === 'string' ? { text: one } : one

function decisionFrom(one: Statement, claim: (one: Statement) => Claim): Decision {
  const { text, why = '', supersededBy = null, rejected } = statementOf(one)
  return {
    ...claim(one),
    ...(why === '' ? decisionOf(text) : { text, why }),
    supersededBy,
    ...(rejected === undefined ? {} : { rejected }),
  }
}

/** Repeating a confirmed decision keeps it as it is, with its reason; an agent cannot revive one that is over. */
function keepConfirmation(known: readonly Decision[], said: Decision): Decision {
  const same = known.find(({ text }) => comparableText(text) === comparableText(said.text))
  if (!same) return said
  const kept = same.confirmed && !said.confirmed ? { ...same } : { ...said, text: same.text }
  if (said.origin === 'agent')
    kept.supersededBy = (isUsersClaim(same) ? null : said.supersededBy) ?? same.supersededBy
  // The reason against it holds until it stands again.
  return kept.supersededBy === null || same.rejected === undefined
    ? kept
    : { rejected: same.rejected, ...kept }
}

/** A summary says what is being worked on; beside an explicit `now` it says how things stand. What is null is not said. */
function textsOf({ summary, now, state, problem, goal, next, blockers }: Saying): Partial<WorkState> {
  const said = {
    ...{ problem, intent: goal, now: now ?? summary },
    state: state ?? (now === null ? null : summary),
    next: next?.map((text) => ({ text })) ?? null,
    blockers: blockers?.map((text) => ({ text })) ?? null,
  }
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== null))
}

/**
 * What a piece of work that begins knows from the one that was told here before: what holds beyond it, and nothing
 * of how far that one has come.
 */
export const inheritWork = ({ decisions, constraints, rules, facts, references }: WorkState): WorkState => ({
  ...emptyWork(),
  decisions: decisions.filter((one) => stands(one) || isRejection(one)),
  constraints,
  rules,
  facts,
  references: references.filter(({ kind }) => kind === 'learning'),
})

/**
 * The work within the caps of the carry table, and how many items they cut. A file or an id that a run protects is
 * never cut.
 */
export function capWork(
  work: WorkState,
  isProtected: (name: string) => boolean = () => false,
): { work: WorkState; dropped: number } {
  let dropped = 0
  const keepNewest = <Item>(most: number, items: readonly Item[], nameOf: (item: Item) => string) => {
    const kept = new Set(items.filter((item) => isProtected(nameOf(item))))
    const others = items.filter((item) => !kept.has(item))
    for (const item of others.slice(-Math.max(most - kept.size, 1))) kept.add(item)
    dropped += items.length - kept.size
    return items.filter((item) => kept.has(item))
  }
  const cap = (field: string, value: unknown) => {
    const row = Reflect.get(CARRY, field)
    if (!Array.isArray(value) || !row || value.length <= row.most) return value
    if (field === 'artifacts') return keepNewest(row.most, work.artifacts, ({ path }) => path)
    if (field === 'references') return keepNewest(row.most, work.references, ({ text }) => text)
    dropped += value.length - row.most
    if (field === 'decisions') return capDecisions(work.decisions, row.most)
    // Of what replaces a list the first items count, of what grows the newest.
    return field === 'next' || field === 'blockers' ? value.slice(0, row.most) : value.slice(-row.most)
  }
  const fits = Object.entries(work).map(([field, value]) => [field, cap(field, value)])
  // `as`: each field is as it was, or a shorter list of its own items.
  return { work: Object.fromEntries(fits) as WorkState, dropped }
}

/** Those that were superseded go first, then those that nobody confirmed, of each the oldest. */
function capDecisions(decisions: Decision[], most: number): Decision[] {
  const worth = (one: Decision) => (stands(one) ? (one.confirmed ? 2 : 1) : 0)
  const best = decisions.toReversed().sort((a, b) => worth(b) - worth(a))
  const kept = new Set(best.slice(0, most))
  return decisions.filter((one) => kept.has(one))
}

function supersedeDecisions(work: WorkState, saying: Saying, fresh: Decision[]): WorkState {
  if (saying.supersedes.length === 0) return work
  const [successor, ...others] = fresh
  if (successor === undefined || others.length > 0)
    throw usageError('--supersedes needs exactly one --decision')
  const replaced = new Set(decisionsMeant(work, saying).filter((one) => mayReplace(one, saying)))
  const mark = (one: Decision) => (replaced.has(one) ? { ...one, supersededBy: successor.text } : one)
  return { ...work, decisions: work.decisions.map(mark) }
}

const decisionsMeant = (work: WorkState, { supersedes }: Saying): Decision[] =>
  supersedes.map((text) => matchItem('decision', work.decisions.filter(stands), text))

/** An agent replaces its own decisions; one that the user confirmed gives way to the user's own words only. */
const mayReplace = (decision: Decision, saying: Saying): boolean =>
  saying.by === 'user' ||
  !isUsersClaim(decision) ||
  saying.decisions.every(
    (one) => whoseWord(saying, decisionSentence({ why: '', ...statementOf(one) })) === 'user',
  )

/** What the user confirmed, and an agent asked to replace by a decision of its own: both stand. */
export const unheardReplacements = (work: WorkState, saying: Saying): string[] =>
  decisionsMeant(work, saying)
    .filter((one) => !mayReplace(one, saying))
    .map(({ text }) => text)

/** What only the user can confirm, and an agent asked to. */
export const unheardConfirmations = (work: WorkState, saying: Saying): string[] =>
  saying.by === 'user'
    ? []
    : [...claimsMeant(work, saying.confirm)]
        .filter((claim) => !isConfirmedBy(saying, claim))
        .map(({ text }) => text)

const isConfirmedBy = (saying: Saying, claim: Claim) =>
  namesOf(claim).some((name) => whoseWord(saying, name) === 'user')

function claimsMeant(work: WorkState, texts: string[]): Set<Claim> {
  const open = claimsIn(work).filter(({ confirmed }) => !confirmed)
  return new Set(texts.map((text) => matchItem('claim', open, text)))
}

function confirmClaims(work: WorkState, saying: Saying): WorkState {
  const meant = claimsMeant(work, saying.confirm)
  const confirm = <C extends Claim>(claim: C): C =>
    meant.has(claim) && isConfirmedBy(saying, claim) ? { ...claim, confirmed: true, origin: 'user' } : claim
  const claims = CLAIMS.map((field) => [field, work[field].map(confirm)])
  return { ...work, ...Object.fromEntries(claims) }
}
