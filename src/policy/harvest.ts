import type { Entry } from '../core/transcript.ts'
import { accomplish, begin, finish, settle } from './harvest-calls.ts'
import { hearAnswers, hearPlan, hearPrompt, hearText } from './harvest-hear.ts'
import { tidy } from './harvest-sentences.ts'
import { type Harvest, KEEP } from './harvest-state.ts'
import { summaryOf } from './harvest-summary.ts'
import { HALTED } from './harvest-yield.ts'

export { withHarvest } from './harvest-merge.ts'
export { type Harvest, noHarvest } from './harvest-state.ts'
export { type Yield, yieldOf } from './harvest-yield.ts'

/**
 * Folds one entry of a transcript into what it has told so far. What a tool printed is never heard: it says how a
 * call came out, and becomes no decision, no rule and no constraint.
 */
export function takeIn(harvest: Harvest, said: Entry): void {
  const entry = said.at.length > 40 ? { ...said, at: said.at.slice(0, 40) } : said
  const { at } = entry
  harvest.lastAt = at
  switch (entry.kind) {
    case 'prompt':
      hearPrompt(harvest, entry.text, at)
      break
    case 'text':
      hearText(harvest, entry.text, at)
      break
    case 'tool':
      begin(harvest, entry)
      break
    case 'result':
      settle(harvest, entry)
      break
    case 'finished':
      finish(harvest, entry)
      break
    case 'answers':
      hearAnswers(harvest, entry.answers, at)
      break
    case 'plan':
      hearPlan(harvest, entry.text, entry.approved, at)
      break
    case 'todos':
      listTasks(harvest, entry.items, at)
      break
    case 'todo':
      keepTask(harvest, entry)
      break
    case 'summary':
      hearSummary(harvest, entry.text, at)
      break
    case 'interrupt':
      breakOff(harvest, 'Interrupted by the user')
      break
    case 'halt':
      harvest.broke = `${HALTED}${tidy(entry.error, 120)}`
      break
    case 'boundary':
      break
  }
}

function listTasks(harvest: Harvest, items: Extract<Entry, { kind: 'todos' }>['items'], at: string): void {
  const known = harvest.tasks.filter(({ id }) => id !== '')
  const fresh = items.map(({ text, state }) => ({ id: '', text: tidy(text, 200), state }))
  for (const { text, state } of fresh) if (state === 'done') accomplish(harvest, text, at)
  harvest.tasks = capTasks([...known, ...fresh.filter(({ text }) => text !== '')])
  harvest.tasksAt = at
}

function keepTask(harvest: Harvest, { id, text, state, at }: Extract<Entry, { kind: 'todo' }>): void {
  const name = tidy(id, 60) || '?'
  const known = harvest.tasks.find((one) => one.id === name)
  const said = tidy(text, 200) || (known?.text ?? '')
  const others = harvest.tasks.filter((one) => one !== known)
  harvest.tasksAt = at
  if (state === 'done') accomplish(harvest, said, at)
  if (state === 'deleted' || said === '') harvest.tasks = others
  else if (known) Object.assign(known, { text: said, state })
  else harvest.tasks = capTasks([...others, { id: name, text: said, state }])
}

/** What is done goes first, then what comes last. */
function capTasks(tasks: Harvest['tasks']): Harvest['tasks'] {
  if (tasks.length <= KEEP.tasks) return tasks
  return tasks.filter(({ state }) => state !== 'done').slice(0, KEEP.tasks)
}

/** Where the transcript was seen from its start, it tells more than a summary of it; else the summary is all there is. */
function hearSummary(harvest: Harvest, text: string, at: string): void {
  const summary = summaryOf(text, at)
  if (harvest.prompts > 0 && harvest.summary === null) {
    harvest.summary = { ...summary, decisions: [], rules: [], constraints: [], errors: [], files: [] }
    return
  }
  harvest.summary = summary
  if (harvest.intent === null && summary.intent !== '')
    harvest.intent = { text: summary.intent, origin: 'agent', confirmed: false, at }
}

/** What ran in the foreground ends with the turn. */
function breakOff(harvest: Harvest, why: string): void {
  const running = harvest.calls.filter(({ isBehind }) => !isBehind).map(({ what }) => what)
  harvest.calls = harvest.calls.filter(({ isBehind }) => isBehind)
  harvest.broke = running.length === 0 ? why : tidy(`${why} while running: ${running.join('; ')}`, 200)
  harvest.last = 'tool'
}
