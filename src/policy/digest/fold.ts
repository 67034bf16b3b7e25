import type { Entry } from '../../core/transcript.ts'
import { beginCall, dropForeground, endCall, finishCall } from './calls.ts'
import { commandOf, reachByName } from './command-steps.ts'
import { gistOf } from './gist.ts'
import { outlineOf } from './outline.ts'
import { ending, kept, keptLine } from './quote.ts'
import { type Digest, KEEP, keepNewest, type Request } from './state.ts'
import { summaryOf } from './summary.ts'

type EntryOf<Kind extends Entry['kind']> = Extract<Entry, { kind: Kind }>

const LONGEST = { request: 3_000, older: 700, first: 1_500, about: 400, asked: 500, said: 5_000, task: 200 }

/** Folds one entry of a transcript into its digest. Words are quoted; what a tool printed is nobody's wish. */
export function foldEntry(digest: Digest, given: Entry): void {
  const entry = given.at.length > 40 ? { ...given, at: given.at.slice(0, 40) } : given
  digest.lastAt = entry.at
  FOLD[entry.kind](digest, entry as never)
}

const FOLD: { [Kind in Entry['kind']]: (digest: Digest, entry: EntryOf<Kind>) => void } = {
  request: hearRequest,
  queue: changeQueue,
  expansion: (digest, { text, at }) => {
    const { command } = digest
    if (command && command.steps.length === 0) digest.command = { ...command, ...commandOf(text), at }
  },
  text: hearText,
  tool: beginCall,
  result: endCall,
  asks: (digest, { at, questions }) => {
    digest.asks = {
      at,
      questions: questions.map(({ question, options }) => ({
        question: keptLine(question, LONGEST.about),
        options: options.map((one) => keptLine(one, 120)),
      })),
    }
  },
  plan: showPlan,
  todos: (digest, { items, at }) => {
    const known = digest.tasks.filter(({ id }) => id !== '')
    const fresh = items.map(({ text, state }) => ({ id: '', text: keptLine(text, LONGEST.task), state }))
    for (const { text, state } of fresh) if (state === 'done') finishTask(digest, text, at)
    setTasks(digest, [...known, ...fresh], at)
  },
  todo: keepTask,
  finished: finishCall,
  link: ({ links }, { url }) => {
    if (!links.includes(url)) links.push(keptLine(url, 300))
    keepNewest(links, KEEP.links)
  },
  boundary: dropForeground,
  summary: (digest, { text, at }) => {
    dropForeground(digest)
    digest.summary = { ...summaryOf(text), at, before: digest.counts.requests, since: 0 }
  },
  interrupt: (digest) => {
    dropForeground(digest)
    digest.last = 'interrupt'
  },
  halt: (digest, { error, words }) => {
    digest.last = 'halt'
    digest.halted = keptLine(words || error, 300)
  },
}

/** What the user said ends the agent's turn. A prompt that was sent twice, or queued and then sent, is one. */
function hearRequest(digest: Digest, { how, text, about, at }: EntryOf<'request'>): void {
  const words = kept(text, LONGEST.request)
  const asked = how === 'prompt' || how === 'queued' ? questionFor(digest, words) : ''
  const request: Request = { at, how, text: words, about: aboutOf(digest, how, about), asked, came: [] }
  // A prompt that a hook stopped is sent again, and a queued one comes twice; an answered "yes" is another one.
  const isUnanswered = digest.turn.length === 0
  const isAgain = digest.requests
    .slice(-3)
    .some(
      (one) =>
        one.text === words &&
        words !== '' &&
        one.how !== 'answer' &&
        how !== 'answer' &&
        (isUnanswered || how === 'queued' || one.how === 'queued'),
    )
  if (how === 'prompt' || how === 'command' || how === 'queued') endTurn(digest, words, how !== 'queued')
  if (how === 'command')
    digest.command = { at, name: keptLine(about, 100), words, steps: [], rules: [], since: 0 }
  else if (digest.command) {
    digest.command.since += 1
    reachByName(digest.command, words)
  }
  if (digest.summary) digest.summary.since += 1
  digest.asks = null
  digest.tasksSince += how === 'answer' ? 0 : 1
  if (!isAgain) {
    digest.counts.requests += 1
    digest.requests.push(request)
    trimRequests(digest)
  }
}

/** What was refused is the call that the refusal answers. */
function aboutOf(digest: Digest, how: Request['how'], about: string): string {
  if (how !== 'refusal') return keptLine(about, LONGEST.about)
  const { lastCall, plan } = digest
  if (plan?.verdict === 'refused' && plan.at >= (lastCall?.at ?? '')) return 'the plan'
  if (lastCall?.came !== 'refused') return ''
  return keptLine(lastCall.what === lastCall.name ? lastCall.name : `${lastCall.name} ${lastCall.what}`, 160)
}

/** The newest stay whole, older ones keep their ends, and in the end the oldest go, but for the first. */
function trimRequests(digest: Digest): void {
  const { requests } = digest
  const aged = requests.length - 1 - NEWEST_WHOLE
  const older = requests[aged]
  if (older) older.text = kept(older.text, aged === 0 ? LONGEST.first : LONGEST.older)
  if (requests.length <= KEEP.requests) return
  requests.splice(1, requests.length - KEEP.requests)
  digest.forgotten += 1
}

const NEWEST_WHOLE = 4

/** So short a reply says nothing without what it answers. */
const SHORT_REPLY = 60

/** What the agent asked before a short reply: its last question, and the list that the reply may choose from. */
function questionFor({ turn, last }: Digest, reply: string): string {
  const said = turn.at(-1)
  if (reply.length > SHORT_REPLY || last !== 'text' || !said || said.leadsOn) return ''
  const parts = said.text.split(/\n{2,}/).filter((part) => part.trim() !== '')
  const at = parts.findLastIndex((part) => /[?？]/.test(part.replace(/^\s*#.*$/gm, '')))
  if (at < 0) return ''
  const isList = (part = '') => /^\s*(?:[-*+]|\d{1,2}[.)]|\*\*)/.test(part)
  const isChoice = /\d/.test(reply) || reply.length <= CHOICE
  const options = isChoice ? listAround(parts, at, isList) : []
  const lines = (parts[at] ?? '').split('\n').filter((line) => !/^\s*#/.test(line))
  const question = lines.filter((line) => isChoice || /[?？]/.test(line))
  return keptLine(ending([...options, ...question].join('\n'), LONGEST.asked), LONGEST.asked)
}

/** The items that stand right before a question, and those right behind it. */
function listAround(parts: string[], at: number, isList: (part?: string) => boolean): string[] {
  let from = at
  while (from > 0 && isList(parts[from - 1])) from -= 1
  let to = at + 1
  while (to < parts.length && isList(parts[to])) to += 1
  return [...parts.slice(from, at), ...parts.slice(at + 1, to)]
}

/** So short a reply may be the name of an option. */
const CHOICE = 15

const asks = (text: string) => /[?？]/.test(text)

const asksAtEnd = (text: string) =>
  asks(
    text
      .trimEnd()
      .split(/\n{2,}/)
      .at(-1) ?? '',
  )

/** The words of a turn that is over: its last ones are its answer. */
function endTurn(digest: Digest, reply: string, isNew: boolean): void {
  if (!isNew) return
  const { turn, answers } = digest
  const final = turn.at(-1)
  const newest = digest.requests.at(-1)
  const isQuestion = newest !== undefined && asks(newest.text)
  // A proposal is not what came of a request, for the next one answers it; nor is an outcome that the next one questions.
  const isOutcome =
    final && !final.leadsOn && !asksAtEnd(final.text) && !asks(reply) && (digest.turnWorked || isQuestion)
  if (newest && isOutcome) newest.came = gistOf(final.text, isQuestion)
  if (final && !final.leadsOn) answers.push({ at: final.at, text: ending(final.text, 2_000) })
  keepNewest(answers, KEEP.answers)
  digest.turn = []
  digest.turnWorked = false
  digest.last = 'request'
  digest.halted = ''
  dropForeground(digest)
  digest.calls = digest.calls.filter(({ broke }) => broke === '')
}

function changeQueue(digest: Digest, { change, text, at }: EntryOf<'queue'>): void {
  const { queue } = digest
  if (change === 'added') {
    // What the client queues for itself has no words, and keeps its place.
    queue.push({ at, text: kept(text, LONGEST.request) })
    keepNewest(queue, KEEP.queue)
    return
  }
  if (change === 'withdrawn') {
    digest.queue = []
    return
  }
  const known = text === '' ? -1 : queue.findIndex((one) => one.text === kept(text, LONGEST.request))
  const [next] = queue.splice(Math.max(0, known), 1)
  if (change === 'used' && next && next.text !== '')
    hearRequest(digest, { kind: 'request', how: 'queued', text: next.text, about: '', at: next.at })
}

/** Parts of one answer that nothing came between are one. */
function hearText(digest: Digest, { text, at }: EntryOf<'text'>): void {
  const said = kept(text, LONGEST.said)
  if (said === '' || OWN_WORDS.test(said)) return
  const { turn } = digest
  const before = turn.at(-1)
  if (before && digest.last === 'text' && !before.leadsOn)
    before.text = kept(`${before.text}\n\n${said}`, LONGEST.said)
  else turn.push({ at, text: said, leadsOn: false })
  keepNewest(turn, KEEP.turn)
  dropForeground(digest)
  digest.last = 'text'
  digest.halted = ''
}

/** What the client lets its agent say where nothing was asked. */
const OWN_WORDS = /^(?:No response requested\.?|\(no content\))$/

function showPlan(digest: Digest, { text, verdict, path, at }: EntryOf<'plan'>): void {
  const { plan } = digest
  const told =
    text === '' && plan
      ? { title: plan.title, outline: plan.outline, opening: plan.opening }
      : outlineOf(text)
  const shown = (plan?.shown ?? 0) + (verdict === 'shown' ? 1 : 0)
  if (told.title !== '')
    digest.plan = { ...told, verdict, at, shown, path: keptLine(path, 300) || (plan?.path ?? '') }
}

function keepTask(digest: Digest, { id, text, state, at }: EntryOf<'todo'>): void {
  const name = keptLine(id, 60) || '?'
  const known = digest.tasks.find((one) => one.id === name)
  const said = keptLine(text, LONGEST.task) || (known?.text ?? '')
  const others = digest.tasks.filter((one) => one !== known)
  if (state === 'done') finishTask(digest, said, at)
  if (state === 'deleted' || said === '') setTasks(digest, others, at)
  else if (known) {
    Object.assign(known, { text: said, state })
    setTasks(digest, digest.tasks, at)
  } else setTasks(digest, [...others, { id: name, text: said, state }], at)
}

/** Where there are too many, what is done goes first. */
function setTasks(digest: Digest, tasks: Digest['tasks'], at: string): void {
  const some = tasks.filter(({ text }) => text !== '')
  digest.tasks =
    some.length <= KEEP.tasks ? some : some.filter(({ state }) => state !== 'done').slice(0, KEEP.tasks)
  digest.tasksAt = at
  digest.tasksSince = 0
}

function finishTask({ done }: Digest, text: string, at: string): void {
  if (text !== '' && !done.some((one) => one.text === text)) done.push({ at, text })
  keepNewest(done, KEEP.done)
}
