import { countWords, inOneLine, lettersIn, shareOf, shorten, wordsIn } from './quote.ts'
import { type Digest, isTyped, type Request } from './state.ts'
import type { Size } from './tell-parts.ts'
import { hasEndedTurn, shortAnswer } from './tell-words.ts'

/** The requests as they may be told. Without trust nothing that an agent said stands beside the user's words. */
function tellableRequests(digest: Digest, trusted: boolean): Request[] {
  const all = [...digest.requests, ...promptsReadUnmarked(digest)]
  if (trusted) return all
  // An answer may be an option in the agent's words, what was refused is the agent's call, and a queue may hold anything.
  return all
    .filter((one) => isTyped(one, trusted))
    .map((one) => ({
      ...one,
      about: one.how === 'command' ? one.about : '',
      answeredQuestion: '',
      outcome: [],
    }))
}

/** A prompt from before the agent's final words was read, though the client did not write so. */
const isUnread = (digest: Digest, { isSent, at }: Digest['queue'][number]) =>
  !isSent && !(hasEndedTurn(digest) && at < (digest.turn.at(-1)?.at ?? ''))

const promptsReadUnmarked = (digest: Digest): Request[] =>
  digest.queue
    .filter((one) => !isUnread(digest, one))
    .map(({ at, text, answeredQuestion }) => ({
      ...{ at, how: 'queued', text, about: '', answeredQuestion, outcome: [], effect: 'nothing' },
      isUnsure: true,
    }))

/** So short a request is told with the last one that says more. */
const NEEDS_CONTEXT = 60
const MOST_TOGETHER = 3
const MOST_BACK = 10

/** The newest request, and those before it where it says little by itself; an answer says nothing of what is wanted. */
function newestRequests(said: readonly Request[]): Request[] {
  const all = said.filter(({ how, text }, at) => how === 'answer' || text !== said[at + 1]?.text)
  let from = all.length
  let weight = 0
  while (from > 0 && weight < NEEDS_CONTEXT && all.length - from < MOST_BACK) {
    from -= 1
    weight += all[from]?.how === 'answer' ? 0 : lettersIn(all[from]?.text ?? '')
  }
  const [first, ...others] = all.slice(from)
  if (first === undefined) return []
  // One that says enough by itself stays, however many small ones came after it.
  const isEnough = lettersIn(first.text) >= NEEDS_CONTEXT
  return isEnough ? [first, ...others.slice(1 - MOST_TOGETHER)] : [first, ...others].slice(-MOST_TOGETHER)
}

/** The requests of a digest by how they are told; found once, and told in any size. */
export interface SortedRequests {
  newest: Request[]
  /** Those before that say something, oldest first. */
  earlier: Array<{ request: Request; place: number; isLasting: boolean }>
  /** How many there were before the newest, with those that say nothing. */
  count: number
}

export function sortRequests(digest: Digest, trusted: boolean): SortedRequests {
  const said = tellableRequests(digest, trusted)
  const newest = newestRequests(said)
  const before = said.filter((one) => !newest.includes(one))
  const all = before.map(withoutPaste)
  const lasting = all.map(({ text }) => isLasting(text))
  const isMadeAgain = repetitionTest([...all, ...newest])
  const isWorth = (one: Request, place: number) =>
    (before[place] === said[0] || saysSomething(one, place >= all.length - RECENT)) &&
    !isMadeAgain(one, place)
  const earlier = all.flatMap((request, place) => {
    const isKept = lasting[place] === true
    return isKept || isWorth(request, place) ? [{ request, place, isLasting: isKept }] : []
  })
  return { newest, earlier, count: all.length }
}

/** What the user wants now, with the agent's answer where that is short, and prompts that nobody has read. */
export function newestLine(
  digest: Digest,
  { newest, newestLabel }: SortedRequests & { newestLabel: string },
  trusted: boolean,
  size: Size,
): string[] {
  const said = newest.map((one) => requestText(one, size, 'newest')).join(' · then ')
  const answer = trusted ? shortAnswer(digest) : ''
  const ended = digest.lastEvent === 'interrupt' ? ' (then interrupted the agent)' : ''
  return [
    ...(said === '' ? [] : [`${newestLabel}: ${said}${answer === '' ? ended : ` → agent: "${answer}"`}`]),
    ...digest.queue
      .filter((one) => trusted && isUnread(digest, one))
      .map(
        ({ text }) => `Queued, not read by the agent: user: "${shorten(inOneLine(text), size('recent'))}"`,
      ),
  ]
}

const RECENT = 5

/** The requests before that, newest first. Those that hold for good stay when others go. */
export function earlierLines(
  { earlier, count }: SortedRequests,
  size: Size,
): { lines: Array<{ text: string; at: string }>; left: number } {
  const from = count - size('requests')
  const isKept = ({ request: { how, text }, place, isLasting: holds }: SortedRequests['earlier'][number]) =>
    place === 0 || place >= from || holds || (how === 'command' && text !== '')
  const told = earlier.filter(isKept)
  const lines = told.map(({ request }, place) => {
    const part = place === 0 ? 'first' : place >= told.length - RECENT ? 'recent' : 'older'
    return { text: requestLine(request, size, part), at: request.at }
  })
  return { lines: lines.reverse(), left: earlier.length - told.length }
}

type Part = 'newest' | 'first' | 'recent' | 'older'

/** A request with what the agent made of it, in whole sentences. The user's words count more: the answer is shorter. */
function requestLine(request: Request, size: Size, part: Part): string {
  const line = requestText(request, size, part)
  const room = Math.min(size('outcome'), line.length)
  const [best = ''] = request.outcome
  const told = [request.outcome.join(' '), best].find((one) => one !== '' && one.length <= room)
  return told === undefined ? line : `${line} → agent: "${told}"`
}

function requestText({ how, text, about, answeredQuestion }: Request, size: Size, part: Part): string {
  const said = shorten(inOneLine(text), size(part))
  const question = how === 'answer' ? about : answeredQuestion
  if (how === 'command') return `user: /${about}${said === '' ? '' : ` ${said}`}`
  const call = how === 'refusal' && about !== '' ? ` (refusing ${shorten(about, 120)})` : ''
  const before = question === '' ? '' : `agent: "${shorten(inOneLine(question), size('answeredQuestion'))}" `
  return `${before}user${call}: "${said}"`
}

/** So short a request without a question before it says nothing where it led to nothing, and so few words never do. */
const SAYS_LITTLE = { weight: 32, words: 4 }
const ASSENT = 12
/** A question so short that was answered is over, but a longer one that led to a change was a correction. */
const SMALL_QUESTION = { weight: 80, words: 8 }

function saysSomething(request: Request, isRecent: boolean): boolean {
  const { how, text, answeredQuestion, outcome, effect } = request
  if (how === 'command') return text !== ''
  const words = countWords(text)
  const isQuestion = lettersIn(text) < SMALL_QUESTION.weight && /[?？]["')\s]*$/.test(text)
  const isCorrection = effect === 'changes' && words >= SMALL_QUESTION.words
  if (isQuestion && !isCorrection && (outcome.length > 0 || how === 'answer')) return false
  // A bare yes to what the agent offered was carried out since.
  const isAssent = lettersIn(text) <= ASSENT && !/\d/.test(text)
  if (how === 'answer' || (answeredQuestion !== '' && (isRecent || !isAssent))) return true
  return lettersIn(text) > SAYS_LITTLE.weight || (effect !== 'nothing' && words >= SAYS_LITTLE.words)
}

/** A request that was made again, in nearly the same words, is told once: the newest time. */
function repetitionTest(requests: readonly Request[]) {
  const words = requests.map(({ text }) => wordsIn(text))
  return ({ how }: Request, place: number) => {
    const own = words[place] ?? new Set()
    const isSaidAgain = () => words.some((later, at) => at > place && shareOf(own, later) >= REPEATED)
    return how !== 'answer' && own.size >= LEAST_WORDS && isSaidAgain()
  }
}

const LEAST_WORDS = 5
const REPEATED = 0.6

/** Words for what holds from now on, as far as the ranking knows them. */
const LASTING =
  /\b(?:always|never|from now on|every time|in (?:the )?future|do(?:n't| not) ever|immer|niemals|nie|ab jetzt|künftig|siempre|nunca|a partir de ahora|toujours|jamais|sempre|a partir de agora|zawsze|nigdy|altijd|nooit|voortaan)\b|(?:désormais|mai più|всегда|никогда|отныне|总是|始终|永远|从现在起|以后都|常に|必ず|絶対|今後は|항상|절대|앞으로|반드시|무조건)/i
export const isLasting = (text: string) => LASTING.test(text)

/** What a program printed was pasted for the turn that it was sent with: later only the words around it count. */
function withoutPaste(request: Request): Request {
  let isFenced = false
  const lines = request.text.split('\n').filter((line) => line.trim() !== '')
  const isFence = lines.map((line) => {
    const isMark = /^\s*(?:`{3}|~{3})/.test(line)
    if (isMark) isFenced = !isFenced
    return isFenced || isMark
  })
  const isPrinted = lines.map((line, at) => isFence[at] || PRINTED.test(line))
  const isMostly = lines.length >= LEAST_PASTED && isPrinted.filter(Boolean).length * 2 >= lines.length
  // Of a text that is mostly pasted, what stands between is part of it, and the last words may be the user's own.
  const typed = isMostly
    ? lines.slice(isPrinted.lastIndexOf(true) + 1).filter((line) => !HAS_PATH.test(line))
    : lines.filter((_, at) => !isFence[at])
  const [first = ''] = lines
  const hasOpening = isMostly && !(/\W$/.test(first) && first.length < LEAST_OPENING)
  const told = hasOpening || typed.length === 0 ? [shorten(first, 120), ...typed] : typed
  return told.length === lines.length ? request : { ...request, text: told.join('\n') }
}

/** Of fewer lines none is a paste: one that looks printed may be the user's own. */
const LEAST_PASTED = 3
const HAS_PATH = /\S+\/\S+\/\S+|\b[0-9a-f]{7,40}\b/
/** A shorter first line of a paste is part of it. */
const LEAST_OPENING = 80

const PRINTED =
  /^\s*(?:\[?\d{4}-\d\d-\d\d[T ]|\[?\d\d:\d\d:\d\d|at \S+ \(|at \/|\$ |% |\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL|Error|error|warning)\b[\]: ]|npm (?:ERR!|error|WARN|warn)|Traceback |File "|[+-]{3} |@@ |diff --git |[{}[\]();^]|<[/!?A-Za-z]|\S+:\d+:\d+|[A-Z][A-Za-z]{2,40}(?:Error|Exception)\b|commit [0-9a-f]{7}|(?:Author|Date|Merge|AuthorDate|CommitDate): |[❯›»] )|\.\.\.$|\b[0-9a-f]{7,40}$/
