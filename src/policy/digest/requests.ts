import type { TranscriptEntryOf } from '../../core/transcript.ts'
import { dropForeground } from './calls.ts'
import { reachByName } from './outline.ts'
import { findQuestion, hasQuestion, keepEnd, lettersIn, redactAndShorten, redactToLine } from './quote.ts'
import { type Digest, KEEP, keepNewest, type Request } from './state.ts'

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
  const said = { at, how, text: words, about: aboutOf(digest, how, about), answeredQuestion }
  addRequest(digest, { ...said, ...(isUnsure ? { isUnsure } : {}) }, given)
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
  if (text === '' || how === 'answer') return false
  const mayRepeat = (one: Request) => turn.length === 0 || how === 'queued' || one.how === 'queued'
  return requests.slice(-3).some((one) => one.text === text && one.how !== 'answer' && mayRepeat(one))
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
  const { name, what } = lastCall
  return redactToLine(what === name ? name : `${name} ${what}`, 160)
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
  const { parts, at } = findQuestion(said.text)
  const chosen = chosenItem(said.text, reply)
  if (at < 0) return redactToLine(chosen, LONGEST.answeredQuestion)
  const isChoice = chosen === '' && (/\d/.test(reply) || lettersIn(reply) <= CHOICE)
  const options = isChoice ? listAround(parts, at) : [chosen]
  const lines = (parts[at] ?? '').split('\n').filter((line) => !/^\s*#/.test(line))
  const question = lines.filter((line) => isChoice || hasQuestion(line))
  const asked = keepEnd([...options, ...question].join('\n'), LONGEST.answeredQuestion)
  return redactToLine(asked, LONGEST.answeredQuestion)
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

/** The words of a turn that is over: its last ones are its answer. */
function endTurn(digest: Digest, reply: string): void {
  const final = digest.turn.at(-1)
  const newest = digest.requests.at(-1)
  const isQuestion = newest !== undefined && hasQuestion(newest.text)
  // A proposal is not what came of a request, for the next one answers it; nor is an outcome that the next one questions.
  if (final && !final.isFollowedByCall) {
    const [last = ''] = final.text
      .trimEnd()
      .split(/\n{2,}/)
      .slice(-1)
    const isOutcome = !hasQuestion(last) && !hasQuestion(reply)
    if (newest && isOutcome && (newest.effect === 'changes' || isQuestion))
      newest.outcome = gistSentences(final.text, isQuestion)
    digest.previousAnswer = keepEnd(final.text, 2_000)
  }
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

function takeQueued({ queue }: Digest, words: string): Digest['queue'][number] | null {
  const at = queue.findIndex(({ text, isSent }) => isSent && text === words)
  return at < 0 ? null : (queue.splice(at, 1)[0] ?? null)
}

/** Words that often stand where a reason, a finding or a way out is told. They rank lines, and make nothing of them. */
const TELLING =
  /\b(?:because|since|instead|rather than|so that|therefore|root cause|caused by|turns out|decided|workaround|not? (?:needed|possible|supported)|only|never|must|fix(?:ed)?|added|removed|renamed|replaced|changed|found|reason|trade-?off|weil|deshalb|stattdessen|statt|Ursache|entschieden|porque|en lugar de|decid\w+|causa|parce que|au lieu de|cause|décid\w+|perché|invece|em vez|poprzez|dlatego|omdat|in plaats)\b|(?:因为|由于|所以|而不是|决定|原因|ため|なので|代わりに|決め|때문|대신|그래서|결정|원인|потому|поэтому|вместо|решил|причин)/i
/** What announces the next step says little once that came. */
const PASSING =
  /^(?:let me|now (?:let me|i)|i'll|i will|next,? i|looking|checking|perfect|great|good|ok(?:ay)?\b|yes\b|you're right|wait|hmm)/i
const NAMES = /`[^`\n]{2,80}`|#\d{2,}|\b[0-9a-f]{7,40}\b|https?:\/\/\S+|\b[A-Z]{2,10}-\d+\b/g

/**
 * What an answer comes to, in at most two of its own sentences, the one that tells most first: to a question the first
 * one, to a wish the outcome, which often comes late.
 */
export function gistSentences(text: string, isQuestion: boolean): string[] {
  const ranked = sentencesOf(text)
    .map((sentence, place) => ({ sentence, place, score: scoreOf(sentence) }))
    .sort((a, b) => b.score - a.score || b.place - a.place)
  const first = ranked.filter(({ score }) => score >= 0).reduce((a, b) => (b.place < a.place ? b : a), NONE)
  const best = ranked.filter(
    ({ score, place }, rank) => (rank === 0 || score >= 2) && !(isQuestion && place === first.place),
  )
  const told = isQuestion && first !== NONE ? [first, ...best] : best
  return told.slice(0, 2).map(({ sentence }) => sentence)
}

const NONE = { sentence: '', place: Number.POSITIVE_INFINITY, score: 0 }

const LEAST_WORDS = 4

function scoreOf(line: string): number {
  if (PASSING.test(line)) return -1
  // A name tells something where words stand around it.
  const words = line.replace(NAMES, ' ').match(/[\p{L}\p{N}']{2,}|\p{Script=Han}{2}/gu)?.length ?? 0
  const names = words < LEAST_WORDS ? 0 : Math.min(3, line.match(NAMES)?.length ?? 0)
  return (TELLING.test(line) ? 2 : 0) + names * 0.5
}

/** The sentences of paragraphs and items, without code, tables and headings. */
function sentencesOf(text: string): string[] {
  let isFenced = false
  return text.split('\n').flatMap((line) => {
    if (/^\s{0,8}(?:`{3}|~{3})/.test(line)) isFenced = !isFenced
    const item = line.replace(/^\s*(?:[-*+•>]|\d{1,2}[.)])\s+/, '')
    const bare = item.replace(/\*\*/g, '').trim()
    const isProse = !isFenced && !/^[|#`]/.test(bare) && !/[:：]$/.test(bare)
    return isProse ? sentencesIn(bare) : []
  })
}

const LENGTH = { least: 12, most: 240 }

const sentencesIn = (line: string) =>
  line
    .split(/(?<=[.!?](?=\s)|[。！？])\s*/)
    .filter((one) => one.length >= LENGTH.least && one.length <= LENGTH.most && !/[?？]$/.test(one))
    .map((sentence) => redactToLine(sentence, LENGTH.most))
