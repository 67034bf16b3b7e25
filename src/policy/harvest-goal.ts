import { wordsOf } from './harvest-matter.ts'
import { answerOf } from './harvest-proposals.ts'
import { type Sentence, tidy } from './harvest-sentences.ts'
import type { Harvest } from './harvest-state.ts'

const GREETING =
  /^(?:hi|hello|hey|yo|good (?:morning|evening|afternoon)|thanks|thank you|thx|hallo|guten (?:morgen|tag)|bonjour|salut|hola|moin)(?:,? (?:there|again|all|everyone|team|folks|you|mate|buddy|claude|a lot|so much|very much|for (?:that|this|now|the help|your help)|that'?s (?:all|it)(?: for now)?|bye)){0,3}[,.!? ]{0,3}$/i
const CHAT =
  /^(?:how are you(?: doing)?|are you (?:there|ready|still there)|you there|can you (?:hear|see) me|what can you do|who are you|what'?s up|ping|test|testing|bye|good ?bye|see you|good night|nice|cool|great|ok(?:ay)?|good (?:job|work)|well done)[,.!? ]{0,3}$/i
const GOES_ON =
  /^(?:please )?(?:continue|go on|carry on|pick up|move on|(?:move|go) (?:on )?to the next|keep going|proceed|resume|next(?= (?:one|task|step|please)|[.!]?$)|weiter|mach weiter|continue[rz]?|sigue|try again|retry|again)\b.{0,30}$/i
const SLASH = /^\/[A-Za-z][\w:-]{0,60}$/
const GOAL_LENGTH = 300

/** A rule, a constraint or a dead end is a claim; what is no claim and no choice is a wish. */
export type HeardAs = 'claim' | 'choice' | 'wish'

/** A prompt that only says to go on, greets or agrees: what was asked before it still stands. */
export function isSmallTalk(typed: string): boolean {
  const prompt = typed.trim()
  if (GOES_ON.test(prompt) || SLASH.test(prompt) || isGreeting(prompt)) return true
  return answerOf(prompt) === 'yes' && prompt.length < 30
}

/** Also where somebody greets at some length: "Hi there! How are you?". */
const isGreeting = (text: string) =>
  text.length < 120 &&
  text
    .split(/(?<=[.!?])\s+|,\s+|\n+/)
    .filter((part) => part !== '')
    .every((part) => GREETING.test(part) || CHAT.test(part))

/** What a prompt asks for, in its first sentences; empty where it asks for nothing of its own. */
export function goalIn(typed: string, heard: ReadonlyMap<Sentence, HeardAs>): string {
  const prompt = typed.trim()
  if (SLASH.test(prompt) || GOES_ON.test(prompt)) return ''
  if (answerOf(prompt) !== null && prompt.length < 60) return ''
  const real = [...heard].filter(([{ text }, as]) => as !== 'claim' && !isGreeting(text))
  // Choices have a place of their own; of a prompt of nothing else they are the goal.
  const asking = real.filter(([, as]) => as === 'wish')
  let goal = ''
  for (const [{ text }] of (asking.length > 0 ? asking : real).slice(0, 3)) {
    if (goal !== '' && goal.length + text.length >= GOAL_LENGTH) break
    goal = goal === '' ? text : `${goal} ${text}`
  }
  return wordsOf(goal).length < 2 ? '' : tidy(goal, GOAL_LENGTH)
}

const NEW =
  /^(?:(?:ok|okay|great|thanks|good|now)[,.!]? )?(?:new task|next task|another task|different (?:task|topic)|now for something|forget (?:that|about|the)|switch(?:ing)? (?:topic|task)|neue aufgabe|nouvelle tâche|nueva tarea)\b/i
const ASKS_FOR =
  /^(?:please |now |can you |could you |i want you to |i want to |i need you to |i need |we need to |we need |let's |i'd like you to |bitte |next,? ){0,3}(?:add|implement|build|create|write|refactor|fix|make|update|remove|migrate|port|rewrite|design|set up|document|investigate|find out|optimi[sz]e|improve|convert|upgrade|replace|debug|review|an? [a-z]+ (?:that|which|for)|baue|schreibe|implementiere|ajoute|écris|crée|añade|escribe|crea)\b/i
/** Shorter is a step within the task, not another one. */
const TASK_LENGTH = 60

/** Whether a prompt starts other work: the user says so, or asks at length for what the goal has no word of. */
export function isNewTask(harvest: Harvest, typed: string, goal: string): boolean {
  const prompt = typed.trim()
  if (NEW.test(prompt)) return true
  const { last, text, tasks, calls, intent } = harvest
  const isOver =
    last === 'text' && text !== null && !text.goesOn && calls.every(({ kind }) => kind !== 'call')
  if (!isOver || tasks.some(({ state }) => state !== 'done')) return false
  if (prompt.length < TASK_LENGTH || !ASKS_FOR.test(prompt)) return false
  const known = new Set(wordsOf(intent?.text ?? ''))
  return !wordsOf(goal).some((word) => word.length > 3 && known.has(word))
}
