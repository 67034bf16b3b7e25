import type { TranscriptEntryOf } from '../../core/transcript.ts'
import { dropForeground } from './calls.ts'
import { reachByName } from './command-steps.ts'
import { gistSentences } from './gist.ts'
import { keepEnd, redactAndShorten, redactToLine } from './quote.ts'
import { type Digest, KEEP, keepNewest, type Request } from './state.ts'
import { hasQuestion, lettersIn } from './words.ts'

type HeardRequest = Omit<TranscriptEntryOf<'request'>, 'kind'>

const LONGEST = { request: 3_000, older: 700, first: 1_500, about: 400, answeredQuestion: 500 }

/** What the user said ends the agent's turn. A prompt that was sent twice, or queued and then sent, is one. */
export function hearRequest(digest: Digest, { how: given, text, about, at, isUnsure }: HeardRequest): void {
  const words = redactAndShorten(text, LONGEST.request)
  const waited = given === 'prompt' ? takeQueued(digest, words) : null
  // Who types while nothing runs finds the queue empty: what waited was read, whether or not the client wrote it down.
  if (given === 'prompt' && waited === null) for (const one of digest.queue.splice(0)) hearQueued(digest, one)
  const how = given === 'prompt' && isRefusedWithoutWords(digest) ? 'refusal' : given
  const answeredQuestion = given === 'prompt' ? (waited?.answeredQuestion ?? questionFor(digest, words)) : ''
  const unsure = isUnsure ? { isUnsure } : {}
  addRequest(
    digest,
    { at, how, text: words, about: aboutOf(digest, how, about), answeredQuestion, ...unsure },
    given,
  )
}

const hearQueued = (digest: Digest, { at, text, answeredQuestion }: Digest['queue'][number]) =>
  addRequest(digest, { at, how: 'queued', text, about: '', answeredQuestion, isUnsure: true }, 'queued')

function addRequest(digest: Digest, said: Omit<Request, 'outcome' | 'effect'>, given: Request['how']): void {
  const { how, text } = said
  const isAgain = isRepeated(digest, said)
  if (given === 'prompt' || given === 'command') endTurn(digest, text)
  if (how === 'command')
    digest.command = { name: redactToLine(said.about, 100), steps: [], rules: [], requestsSince: 0 }
  else if (digest.command) {
    digest.command.requestsSince += 1
    reachByName(digest.command, text)
  }
  if (digest.summary) digest.summary.requestsSince += 1
  digest.openQuestions = null
  digest.requestsSinceTasks += how === 'answer' ? 0 : 1
  if (isAgain) {
    // What was taken from the queue came as the user's own words.
    if (!said.isUnsure) delete digest.requests.findLast((one) => one.text === text)?.isUnsure
    return
  }
  digest.counts.requests += 1
  digest.requests.push({ ...said, outcome: [], effect: 'nothing' })
  trimRequests(digest)
}

/** A prompt that a hook stopped is sent again, and a queued one comes twice; an answered "yes" is another one. */
function isRepeated({ requests, turn }: Digest, { how, text }: Pick<Request, 'how' | 'text'>): boolean {
  const isUnanswered = turn.length === 0
  return requests
    .slice(-3)
    .some(
      (one) =>
        one.text === text &&
        text !== '' &&
        one.how !== 'answer' &&
        how !== 'answer' &&
        (isUnanswered || how === 'queued' || one.how === 'queued'),
    )
}

/** A call was refused without a word since the last request: what the user says next is why. */
function isRefusedWithoutWords({ lastCall, plan, requests }: Digest): boolean {
  const saidAt = requests.at(-1)?.at ?? ''
  return (
    (lastCall?.outcome === 'refused' && lastCall.at > saidAt) ||
    (plan?.verdict === 'refused' && plan.at > saidAt)
  )
}

/** What was refused is the call that the refusal answers. */
function aboutOf(digest: Digest, how: Request['how'], about: string): string {
  if (how !== 'refusal') return redactToLine(about, LONGEST.about)
  const { lastCall, plan } = digest
  if (plan?.verdict === 'refused' && plan.at >= (lastCall?.at ?? '')) return 'the plan'
  if (lastCall?.outcome !== 'refused') return ''
  return redactToLine(
    lastCall.what === lastCall.name ? lastCall.name : `${lastCall.name} ${lastCall.what}`,
    160,
  )
}

/** The newest stay whole, older ones keep their ends, and in the end the oldest go, but for the first. */
function trimRequests(digest: Digest): void {
  const { requests } = digest
  const aged = requests.length - 1 - NEWEST_WHOLE
  const older = requests[aged]
  if (older) older.text = redactAndShorten(older.text, aged === 0 ? LONGEST.first : LONGEST.older)
  if (requests.length <= KEEP.requests) return
  requests.splice(1, requests.length - KEEP.requests)
  digest.droppedRequests += 1
}

const NEWEST_WHOLE = 4

/** So short a reply says nothing without what it answers. */
const SHORT_REPLY = 60
/** So short a reply may be the name of an option. */
const CHOICE = 15

/** What the agent asked before a short reply: its last question, with what the reply may choose from. */
function questionFor({ turn, lastEvent }: Digest, reply: string): string {
  const said = turn.at(-1)
  if (lettersIn(reply) > SHORT_REPLY || lastEvent !== 'text' || !said || said.isFollowedByCall) return ''
  const parts = said.text.split(/\n{2,}/).filter((part) => part.trim() !== '')
  const at = parts.findLastIndex((part) => hasQuestion(part.replace(/^\s*#.*$/gm, '')))
  const chosen = chosenItem(said.text, reply)
  if (at < 0) return redactToLine(chosen, LONGEST.answeredQuestion)
  const isChoice = chosen === '' && (/\d/.test(reply) || lettersIn(reply) <= CHOICE)
  const options = isChoice ? listAround(parts, at) : [chosen]
  const lines = (parts[at] ?? '').split('\n').filter((line) => !/^\s*#/.test(line))
  const question = lines.filter((line) => isChoice || hasQuestion(line))
  return redactToLine(
    keepEnd([...options, ...question].join('\n'), LONGEST.answeredQuestion),
    LONGEST.answeredQuestion,
  )
}

const OPTION = '(?:option|opción|opção|variant|variante|choice|вариант|选项|方案|オプション)'
/** How a reply names an option: by a number at its beginning, a letter alone, or with the word for it. */
const NAMES_OPTION = new RegExp(
  `^\\W*(\\d{1,2})\\b|^\\W*([A-E])\\W*$|${OPTION}\\s*([A-E]|\\d{1,2})(?!\\w)|\\b([A-E]|\\d{1,2})\\s+${OPTION}`,
  'iu',
)

/** The item of an answer that a reply names, wherever it stands; empty where it names none. */
function chosenItem(text: string, reply: string): string {
  const name = NAMES_OPTION.exec(reply)?.slice(1).find(Boolean)
  if (name === undefined) return ''
  const item = new RegExp(`^[\\s>*#-]*(?:${OPTION}\\s*)?\\(?${name}\\s*[.):\\]–—-].*$`, 'imu').exec(text)?.[0]
  return item === undefined ? '' : item.replace(/^[\s>*#-]+/, '').replace(/\*\*/g, '')
}

const isListed = (part = '') => /^\s*(?:[-*+]|\d{1,2}[.)]|\*\*)/.test(part)

/** The items that stand right before a question, and those right behind it. */
function listAround(parts: string[], at: number): string[] {
  let from = at
  while (from > 0 && isListed(parts[from - 1])) from -= 1
  let to = at + 1
  while (to < parts.length && isListed(parts[to])) to += 1
  return [...parts.slice(from, at), ...parts.slice(at + 1, to)]
}

const asksAtEnd = (text: string) =>
  hasQuestion(
    text
      .trimEnd()
      .split(/\n{2,}/)
      .at(-1) ?? '',
  )

/** The words of a turn that is over: its last ones are its answer. */
function endTurn(digest: Digest, reply: string): void {
  const final = digest.turn.at(-1)
  const newest = digest.requests.at(-1)
  const isQuestion = newest !== undefined && hasQuestion(newest.text)
  // A proposal is not what came of a request, for the next one answers it; nor is an outcome that the next one questions.
  const isOutcome =
    final &&
    !final.isFollowedByCall &&
    !asksAtEnd(final.text) &&
    !hasQuestion(reply) &&
    (newest?.effect === 'changes' || isQuestion)
  if (newest && isOutcome) newest.outcome = gistSentences(final.text, isQuestion)
  if (final && !final.isFollowedByCall) digest.previousAnswer = keepEnd(final.text, 2_000)
  digest.turn = []
  digest.lastEvent = 'request'
  digest.haltWords = ''
  dropForeground(digest)
  digest.calls = digest.calls.filter(({ stoppedBy }) => stoppedBy === '')
}

/**
 * What waits while the agent works. The client queues messages of its own, too, without words: those are not kept, so
 * an entry may be taken for sent too early. It is told all the same, and only what was taken back goes.
 */
export function changeQueue(digest: Digest, { change, text, at }: TranscriptEntryOf<'queue'>): void {
  const { queue } = digest
  const words = redactAndShorten(text, LONGEST.request)
  if (change === 'withdrawn') queue.splice(0)
  if (change === 'added' && words !== '') {
    queue.push({ at, text: words, answeredQuestion: questionFor(digest, words), isSent: false })
    keepNewest(queue, KEEP.queue)
  }
  if (change !== 'sent' && change !== 'used') return
  const waiting = queue.filter(({ isSent }) => !isSent)
  const next = waiting.find((one) => one.text === words) ?? (words === '' ? waiting[0] : undefined)
  if (next === undefined) return
  next.isSent = true
  if (change !== 'used') return
  queue.splice(queue.indexOf(next), 1)
  hearQueued(digest, next)
}

/** The entry of the queue that comes as a request now. */
function takeQueued({ queue }: Digest, words: string): Digest['queue'][number] | null {
  const at = queue.findIndex(({ text, isSent }) => isSent && text === words)
  return at < 0 ? null : (queue.splice(at, 1)[0] ?? null)
}
