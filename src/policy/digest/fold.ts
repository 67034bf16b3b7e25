import type { TranscriptEntry, TranscriptEntryOf } from '../../core/transcript.ts'
import { beginCall, dropForeground, endCall, finishCall } from './calls.ts'
import { commandOf, outlineOf, summaryOf } from './outline.ts'
import { redactAndShorten, redactToLine, shorten } from './quote.ts'
import { changeQueue, hearRequest } from './requests.ts'
import { DIGEST_LIMIT, type Digest, KEEP, keepNewest, type Request } from './state.ts'

const LONGEST = { question: 400, said: 5_000, task: 200 }

/** Folds one entry of a transcript into its digest. Words are quoted; what a tool printed is nobody's wish. */
export function foldEntry(digest: Digest, entry: TranscriptEntry): void {
  digest.lastAt = entry.at
  FOLD[entry.kind](digest, entry as never)
}

const FOLD: { [Kind in TranscriptEntry['kind']]: (digest: Digest, entry: TranscriptEntryOf<Kind>) => void } =
  {
    request: hearRequest,
    queue: changeQueue,
    expansion: (digest, { text }) => {
      const { command } = digest
      if (command && command.steps.length === 0) digest.command = { ...command, ...commandOf(text) }
    },
    text: hearText,
    tool: beginCall,
    result: endCall,
    asks: (digest, { at, questions }) => {
      digest.openQuestions = {
        at,
        questions: questions.map(({ question, options }) => ({
          question: redactToLine(question, LONGEST.question),
          options: options.map((one) => redactToLine(one, 120)),
        })),
      }
    },
    plan: showPlan,
    todos: (digest, { items, at }) => {
      const known = digest.tasks.filter(({ id }) => id !== '')
      const fresh = items.map((one) => ({ ...one, id: '', text: redactToLine(one.text, LONGEST.task) }))
      for (const { text, state } of fresh) if (state === 'done') finishTask(digest, text, at)
      setTasks(digest, [...known, ...fresh], at)
    },
    todo: keepTask,
    finished: finishCall,
    link: ({ links }, { url }) => {
      if (!links.includes(url)) links.push(redactToLine(url, 300))
      keepNewest(links, KEEP.links)
    },
    boundary: dropForeground,
    summary: (digest, { text, at }) => {
      dropForeground(digest)
      digest.summary = { ...summaryOf(text), at, requestsBefore: digest.counts.requests, requestsSince: 0 }
    },
    interrupt: (digest) => {
      dropForeground(digest)
      digest.lastEvent = 'interrupt'
    },
    halt: (digest, { error, words }) => {
      digest.lastEvent = 'halt'
      digest.haltWords = redactToLine(words || error, 300)
    },
  }

/** Parts of one answer that nothing came between are one. */
function hearText(digest: Digest, { text, at }: TranscriptEntryOf<'text'>): void {
  const said = redactAndShorten(text, LONGEST.said)
  if (said === '') return
  const { turn } = digest
  const before = turn.at(-1)
  if (before && digest.lastEvent === 'text' && !before.isFollowedByCall)
    before.text = redactAndShorten(`${before.text}\n\n${said}`, LONGEST.said)
  else turn.push({ at, text: said, isFollowedByCall: false })
  keepNewest(turn, KEEP.turn)
  dropForeground(digest)
  digest.lastEvent = 'text'
  digest.haltWords = ''
}

function showPlan(digest: Digest, { text, verdict, path, at }: TranscriptEntryOf<'plan'>): void {
  const { plan } = digest
  const told = text === '' && plan ? plan : outlineOf(text)
  const timesShown = (plan?.timesShown ?? 0) + (verdict === 'shown' ? 1 : 0)
  if (told.title !== '')
    digest.plan = { ...told, verdict, at, timesShown, path: redactToLine(path, 300) || (plan?.path ?? '') }
}

function keepTask(digest: Digest, { id, text, state, at }: TranscriptEntryOf<'todo'>): void {
  const name = redactToLine(id, 60) || '?'
  const known = digest.tasks.find((one) => one.id === name)
  const said = redactToLine(text, LONGEST.task) || (known?.text ?? '')
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
  digest.requestsSinceTasks = 0
}

function finishTask({ finishedTasks }: Digest, text: string, at: string): void {
  if (text !== '' && !finishedTasks.some((one) => one.text === text)) finishedTasks.push({ at, text })
  keepNewest(finishedTasks, KEEP.finishedTasks)
}

/** The newest requests keep their words as long as anything fits. */
const NEWEST = 4
/** How long older requests may be, step by step, while each list keeps half as much as before. */
const OLDER_TEXTS = [400, 200, 100, 60]

/** A digest within its limit of bytes as JSON. Nearly every one is. */
export function boundDigest(digest: Digest): Digest {
  let fits = digest
  for (const [step, most] of OLDER_TEXTS.entries()) {
    if (isWithin(fits)) return fits
    fits = shrink(fits, most, 2 ** (step + 1))
  }
  return isWithin(fits) ? fits : withoutLongTexts(fits)
}

const isWithin = (digest: Digest) => Buffer.byteLength(JSON.stringify(digest)) <= DIGEST_LIMIT

function shrink(digest: Digest, most: number, divisor: number): Digest {
  const { requests, droppedRequests } = digest
  const [first, ...others] = requests
  const count = Math.max(NEWEST, Math.floor(KEEP.requests / divisor))
  const kept = first ? [first, ...others.slice(-count)] : []
  const lists = LISTS.map((name) => [name, digest[name].slice(-Math.ceil(KEEP[name] / divisor))])
  return {
    ...digest,
    ...Object.fromEntries(lists),
    requests: kept.map((one, place) => (place < kept.length - NEWEST ? shortenRequest(one, most) : one)),
    droppedRequests: droppedRequests + requests.length - kept.length,
  }
}

const LISTS = ['files', 'finishedTasks', 'calls', 'queue', 'checks', 'commits'] as const

const shortenRequest = (request: Request, most: number): Request => ({
  ...request,
  text: shorten(request.text, most),
  about: shorten(request.about, most),
  answeredQuestion: shorten(request.answeredQuestion, most),
  outcome: request.outcome.slice(0, 1),
})

/** Whatever is left is longer than anybody writes by hand. */
const withoutLongTexts = (digest: Digest): Digest => ({
  ...digest,
  ...{ command: null, summary: null, plan: null, openQuestions: null },
  ...{ tasks: [], links: [], calls: [], previousAnswer: '' },
  requests: digest.requests.map((one) => shortenRequest(one, 1_000)),
  queue: digest.queue.map((one) => ({ ...one, text: shorten(one.text, 600) })),
  turn: digest.turn.slice(-1).map((one) => ({ ...one, text: shorten(one.text, 2_000) })),
})
