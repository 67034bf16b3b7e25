import { agreed, answered, byUser, hearAnswer, hearObjection } from './harvest-answer.ts'
import { claim, deadEnd, decide, type Source, supersede } from './harvest-claims.ts'
import { choice, choiceIn } from './harvest-decisions.ts'
import { goalIn, type HeardAs, isNewTask, isSmallTalk } from './harvest-goal.ts'
import { PLAN } from './harvest-matter.ts'
import { questionOf, WEIGHS } from './harvest-proposals.ts'
import { constraintIn, deadEndIn, problemIn, ruleIn, withoutRule } from './harvest-rules.ts'
import { endsOf, heardOf, type Sentence, tidy, typedOf } from './harvest-sentences.ts'
import { type Harvest, type Heard, KEEP } from './harvest-state.ts'

const byAgent = (at: string): Source => ({ origin: 'agent', confirmed: false, at })
const sourceOf = ({ origin, confirmed, at }: Heard): Source => ({ origin, confirmed, at })

/** What the user typed: an answer to what the agent offered, a goal, choices, rules, constraints. */
export function hearPrompt(harvest: Harvest, prompt: string, at: string): void {
  const typed = typedOf(prompt)
  const sentences = heardOf(typed)
  const { isAnswer, refused } = hearAnswer(harvest, typed, at)
  const told = new Map<Sentence, HeardAs>()
  let turned = false
  for (const one of sentences) {
    told.set(one, hearUser(harvest, one, { at, turned, corrects: !refused }))
    turned = TURNS.test(one.text)
  }
  const goal = goalIn(typed, told)
  if (goal !== '' && (harvest.intent === null || (!isAnswer && isNewTask(harvest, typed, goal)))) {
    const { intent } = harvest
    if (intent) claim(harvest.facts, `Earlier goal: ${intent.text}`, sourceOf(intent), KEEP.facts)
    harvest.intent = { text: goal, ...byUser(at) }
  }
  harvest.prompts += 1
  const before = isSmallTalk(typed) ? (harvest.prompt ?? { said: [], saidAt: at }) : null
  const { said, saidAt } = before ?? { said: endsOf(sentences).slice(0, 8), saidAt: at }
  harvest.prompt = { said, saidAt, at }
  harvest.broke = ''
  // What was called in the foreground before the user spoke again will have no result any more.
  harvest.calls = harvest.calls.filter(({ kind }) => kind !== 'call')
  harvest.last = 'prompt'
}

/** A sentence that only turns: what follows it corrects what was said before. */
const TURNS =
  /^(?:(?:no|nope|hm+|wait|actually|sorry|hold on|scratch that|(?:i(?:'ve| have)? )?changed my mind|on second thoughts?)[,.!… ]{0,4}){1,3}$/i

/** One sentence of the user; what it was heard as. */
function hearUser(
  harvest: Harvest,
  sentence: Sentence,
  { at, turned, corrects }: { at: string; turned: boolean; corrects: boolean },
): HeardAs {
  hearObjection(harvest, sentence, at)
  const problem = problemIn(sentence)
  if (problem !== null) harvest.problem = { text: tidy(problem, 300), ...byUser(at) }
  const rule = ruleIn(sentence)
  if (rule !== null) {
    claim(harvest.rules, joinless(rule), byUser(at), KEEP.rules)
    supersede(harvest, { text: rule, confirmed: true })
    if (rule === sentence.text) return 'claim'
  }
  const constraint = constraintIn(sentence)
  if (constraint !== null) claim(harvest.constraints, joinless(constraint), byUser(at), KEEP.constraints)
  const dead = deadEndIn(sentence)
  if (dead !== null) deadEnd(harvest, dead, byUser(at))
  if (constraint !== null || dead !== null) return 'claim'
  const before = withoutRule(sentence.text, rule)
  const chosen = choiceIn({ ...sentence, text: before }, 'user')
  if (chosen !== null)
    decide(harvest, chosen, byUser(at), { sentence: turned ? `no, ${before}` : before, corrects })
  return chosen === null ? 'wish' : 'choice'
}

/** What joins a sentence to the one before it says nothing in a list. */
const joinless = (text: string) => text.replace(/^(?:and|but|also|plus),? /i, '')

const NODS =
  /^(?:ok|okay|done|sure|yes|understood|got it|right|noted|all (?:done|set|good)|finished|ready)[.! ]{0,3}$/i

/** What the agent said: choices with their reasons, and what was tried in vain. */
export function hearText(harvest: Harvest, text: string, at: string): void {
  const sentences = heardOf(text)
  if (sentences.length === 0) return
  for (const one of sentences) {
    const chosen = choiceIn(one, 'agent')
    if (chosen !== null) decide(harvest, chosen, byAgent(at))
    const dead = chosen === null ? deadEndIn(one) : null
    if (dead !== null) deadEnd(harvest, dead, byAgent(at))
  }
  // A word that only says that it heard leaves what was said before it.
  const isNod = sentences.length === 1 && NODS.test(sentences[0]?.text ?? '')
  harvest.text = {
    said: isNod ? (harvest.text?.said ?? []) : endsOf(sentences),
    at,
    goesOn: /(?:[:…]|\.\.\.)\s*$/.test(text.slice(-20)),
  }
  if (questionOf(sentences) !== '') harvest.asked = { at, answeredAt: null }
  harvest.last = 'text'
}

/** Questions that were asked by a tool, and what the user chose. */
export function hearAnswers(
  harvest: Harvest,
  answers: ReadonlyArray<{ question: string; answer: string }>,
  at: string,
): void {
  for (const { question, answer } of answers.slice(0, 20)) {
    const [asked, chosen] = [tidy(question, 140), tidy(answer, 150)]
    if (chosen !== '')
      decide(harvest, asked === '' ? { text: chosen, why: '' } : answered(asked, chosen), byUser(at))
  }
}

const STEPS = /\b(?:steps?|plan|implementation|tasks?|phases?|order|changes|approach)\b/

/** A plan: agreed to, its choices are sure and its steps lie ahead; refused, it is a dead end. */
export function hearPlan(harvest: Harvest, plan: string, approved: boolean, at: string): void {
  const sentences = heardOf(plan)
  const heading = /^\s{0,3}#{1,3}\s+(.{1,200})$/m.exec(plan.slice(0, 2_000))?.[1]
  const headline = tidy((heading ?? sentences[0]?.text ?? '').replace(/^(?:the )?plan\s?[:—–-]\s+/i, ''), 200)
  if (headline === '') return
  if (!approved) {
    deadEnd(harvest, `the plan "${headline}" (the user refused it)`, byUser(at))
    return
  }
  decide(harvest, { text: `${PLAN}${headline}`, why: '' }, agreed(at))
  for (const one of sentences) {
    const isStep = one.item !== null && (one.item > 0 || STEPS.test(one.under))
    const weighed = !isStep && WEIGHS.test(one.text) && one.text.length < 300 ? choice(one.text) : null
    const chosen = choiceIn(one, 'agent') ?? (isStep ? null : (choiceIn(one, 'user') ?? weighed))
    if (chosen !== null) decide(harvest, chosen, agreed(at))
  }
  const listed = sentences.filter(({ item, first }) => item !== null && first)
  const numbered = listed.filter(({ item }) => item !== 0)
  const under = listed.filter(({ under }) => STEPS.test(under))
  const steps = numbered.length > 0 ? numbered : under
  harvest.plan = { steps: steps.slice(0, KEEP.steps).map(({ text }) => tidy(text, 200)), at }
}
