import type { CommandOutcome } from '../core/checkpoint.ts'
import { decisionSentence } from '../core/decision.ts'
import type { Claim, Decision, Item, WorkState } from '../core/work.ts'
import { COMMITTED } from './harvest-calls.ts'
import { choiceIn, type Speaker } from './harvest-decisions.ts'
import { artifactsOf, placed } from './harvest-files.ts'
import { keyOf, wordsOf } from './harvest-matter.ts'
import { aheadOf, isAhead, stepKey, withoutLabel } from './harvest-next.ts'
import { answerOf, questionOf } from './harvest-proposals.ts'
import { deadEndIn, ruleIn, withoutRule } from './harvest-rules.ts'
import { type Sentence, tidy } from './harvest-sentences.ts'
import type { Harvest, Heard, Run } from './harvest-state.ts'

/** Fields that say how things stand, each with the time of its newest source; null where nothing was heard of it. */
export type Times = Record<
  'problem' | 'intent' | 'state' | 'now' | 'next' | 'blockers' | 'questions',
  string | null
>

/** What a transcript comes to. */
export interface Yield {
  work: Omit<WorkState, 'references' | 'position'>
  times: Times
  /** When each decision was last said, in the order of `work.decisions`. */
  decidedAt: string[]
  /** Which of them correct an earlier one, in words that their text leaves out. */
  corrects: boolean[]
  /** When each next step was said, in the order of `work.next`; empty for a request that was cut off. */
  nextAt: string[]
  commands: CommandOutcome[]
  inFlight: Array<{ id: string; kind: 'subagent' | 'background'; what: string; since: string }>
  /** How many files outside of the workspace were changed. */
  outside: number
  /** Whether the agent had ended its turn. */
  finished: boolean
  lastPromptAt: string | null
  lastAt: string | null
  /** Why the provider stopped it, where that is the last that was heard. */
  halted: string | null
}

/** How a break begins that the provider made. */
export const HALTED = 'Stopped by the provider: '
const STATE_LENGTH = 500
const NOW_LENGTH = 200
const MOST_NEXT = 10

/**
 * The work as a transcript tells it. `root` is the workspace, to name files by; without trust nothing that a program
 * printed or a commit is called is told.
 */
export function yieldOf(whole: Harvest, options: { root: string; trusted: boolean }): Yield {
  const harvest = isChat(whole) ? { ...whole, ...SAID_NOTHING } : whole
  const { prompt, text, tasks, summary, lastAt } = harvest
  const finished = isFinished(whole)
  const { artifacts, outside } = artifactsOf(harvest, options.root)
  const decisions = decisionsOf(harvest)
  const rules = [...harvest.rules.map(bare), ...(summary?.rules ?? []).map(unsure)]
  const constraints = [...harvest.constraints.map(bare), ...(summary?.constraints ?? []).map(unsure)]
  const facts = [
    ...harvest.facts.map(bare),
    ...(summary?.errors ?? []).map((one) => unsure(`Dead end: ${one}`)),
  ]
  const question = finished && harvest.last === 'text' ? questionOf(text?.said ?? []) : ''
  const blockers = harvest.runs.filter(isRed).map((run) => ({ text: blockerOf(run, options.trusted) }))

  // No line is told twice: each place takes what those before it have not told.
  const told = new Set([
    ...decisions.flatMap((one) => [keyOf(one.text), keyOf(decisionSentence(one))]),
    ...[...rules, ...constraints, ...facts].map((one) => keyOf(one.text.replace(/^Dead end: /, ''))),
    ...[harvest.intent?.text ?? '', harvest.problem?.text ?? '', question].map(keyOf),
  ])
  const untold = (one: string) => one !== '' && !told.has(keyOf(one))
  const goal = harvest.intent?.text ?? ''
  const isNew = (who: Speaker) => (one: Sentence) =>
    !goal.includes(one.text) &&
    [one.text, withoutLabel(one.text), choiceIn(one, who)?.text ?? '', deadEndIn(one) ?? '']
      .filter((said) => said !== '')
      .every(untold)
  const wishes = (prompt?.said ?? []).map(wishOf).filter(isWish)
  // A question is answered with the turn.
  const open = wishes.filter((one) => !(finished && one.text.endsWith('?')))
  const asked = tidy(open.find(isNew('user'))?.text ?? '', NOW_LENGTH)
  // What the user asked for after the list was last changed is what is being done.
  const isListNewer = asked === '' || (harvest.tasksAt ?? '') >= (prompt?.saidAt ?? '')
  const doing = isListNewer ? (tasks.find(({ state }) => state === 'doing')?.text ?? '') : ''
  const ahead = aheadOf(harvest, { finished, doing, asked })
  const next = [...new Map(ahead.texts.filter(untold).map((one) => [stepKey(one), one])).values()]
  const now = doing !== '' ? doing : next.some((one) => one.includes(asked)) ? '' : asked
  for (const one of [...ahead.texts, now]) told.add(keyOf(one))
  const said = (text?.said ?? []).filter((one) => !isAhead(one) && isNew('agent')(one)).map((one) => one.text)
  const state = [interruption(harvest), within(said, STATE_LENGTH) || (text ? '' : (summary?.state ?? ''))]

  return {
    work: {
      problem: harvest.problem?.text ?? '',
      intent: harvest.intent?.text ?? '',
      decisions,
      constraints: distinct(constraints),
      rules: distinct(rules),
      facts: distinct(facts),
      done: harvest.done.map(({ text: what, at }) => ({ text: options.trusted ? what : unnamed(what), at })),
      state: state.filter((one) => one !== '').join('\n'),
      now,
      next: next.slice(0, MOST_NEXT).map((one): Item => ({ text: one })),
      blockers,
      questions: question === '' ? [] : [{ text: tidy(question), origin: 'agent', confirmed: false }],
      artifacts,
    },
    times: {
      problem: harvest.problem?.at ?? null,
      intent: harvest.intent?.at ?? null,
      state: state.some((one) => one !== '') ? (text?.at ?? lastAt) : null,
      now: now === '' ? null : doing !== '' ? harvest.tasksAt : (prompt?.saidAt ?? null),
      next: ahead.at,
      blockers: harvest.runs.filter(({ kind }) => kind !== 'commit').at(-1)?.at ?? null,
      questions: question !== '' ? (text?.at ?? null) : (harvest.asked?.answeredAt ?? null),
    },
    decidedAt: [
      ...harvest.decisions.map(({ at }) => at),
      ...decisions.slice(harvest.decisions.length).map(() => summary?.at ?? ''),
    ],
    nextAt: next.slice(0, MOST_NEXT).map((one) => ahead.saidAt.get(one) ?? ''),
    corrects: harvest.decisions.map((one) => one.corrects),
    commands: harvest.runs.map((run) => outcomeOf(run, options.trusted)),
    inFlight: harvest.calls.flatMap(({ id, kind, what, at }) =>
      kind === 'call' ? [] : [{ id, kind, what: placed(what, options.root), since: at }],
    ),
    outside,
    finished,
    lastPromptAt: whole.prompt?.at ?? null,
    lastAt,
    halted: whole.broke.startsWith(HALTED) ? whole.broke.slice(HALTED.length) : null,
  }
}

const bare = ({ text, origin, confirmed }: Heard): Claim => ({ text, origin, confirmed })
const unsure = (text: string): Claim => ({ text: tidy(text), origin: 'agent', confirmed: false })
const distinct = (claims: Claim[]) =>
  [...new Map([...claims].reverse().map((one) => [keyOf(one.text), one])).values()].reverse()

/** Only greetings and the like were heard, and nothing was done: that says nothing about the work. */
const isChat = ({ prompts, prompt, worked, intent, summary, tasks, plan }: Harvest) =>
  prompts > 0 &&
  !worked &&
  prompt?.said.length === 0 &&
  [intent, summary, plan].every((one) => one === null) &&
  tasks.length === 0

const SAID_NOTHING = { prompt: null, text: null, asked: null, broke: '', last: 'none' } as const

/** Without the rule at its end, which has a place of its own. */
const wishOf = (one: Sentence): Sentence => {
  const rule = ruleIn(one)
  return rule === one.text ? one : { ...one, text: withoutRule(one.text, rule) }
}

/** More than a yes or a "go on". */
const isWish = ({ text }: Sentence) => wordsOf(text).length > 1 && answerOf(text) === null

const isFinished = ({ last, text, calls, broke }: Harvest) =>
  last === 'text' && broke === '' && text?.goesOn === false && calls.every(({ kind }) => kind !== 'call')

/** What was heard, and of a summary what was not. */
function decisionsOf({ decisions, summary }: Harvest): Decision[] {
  const heard = decisions.map(({ at: _at, corrects: _corrects, ...decision }) => decision)
  const known = new Set(heard.map(({ text }) => keyOf(text)))
  const told = (summary?.decisions ?? []).filter(({ text }) => text !== '' && !known.has(keyOf(text)))
  const fresh = new Map(told.map((one) => [keyOf(one.text), one]))
  return [...heard, ...[...fresh.values()].map((one) => ({ ...one, ...UNSURE, supersededBy: null }))]
}

const UNSURE = { origin: 'agent', confirmed: false } as const

const unnamed = (what: string) => (what.startsWith(COMMITTED) ? 'Committed' : what)

function interruption({ broke, calls }: Harvest): string {
  const running = calls.filter(({ kind }) => kind === 'call').map(({ what }) => what)
  if (broke !== '') return broke
  return running.length === 0 ? '' : tidy(`Interrupted while running: ${running.join('; ')}`, 200)
}

function within(sentences: readonly string[], limit: number): string {
  let text = ''
  for (const one of sentences) {
    if (text.length + one.length + 2 > limit) break
    text = text === '' ? one : `${text}${/[.!?:;]$/.test(text) ? '' : ';'} ${one}`
  }
  return text
}

const isRed = ({ failed, cleared, kind }: Run) => failed && !cleared && kind !== 'commit'

/** How a line begins that says what fails; one that a harvest wrote is known by it. */
export const FAILING = 'Failing: '

function blockerOf({ name, code, detail }: Run, trusted: boolean): string {
  const told = trusted && detail !== '' ? `: ${detail}` : ''
  return `${FAILING}${name}${code === null ? '' : ` (exit ${code})`}${told}`
}

const outcomeOf = ({ name, failed, ms, detail, code }: Run, trusted: boolean): CommandOutcome => ({
  kind: 'shell',
  name,
  result: failed ? 'FAIL' : 'PASS',
  duration_ms: ms,
  ...(code === null ? {} : { reason_code: `exit_${code}` }),
  summary: trusted ? detail : '',
})
