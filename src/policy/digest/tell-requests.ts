import { inOneLine, shorten } from './quote.ts'
import type { Digest, Request } from './state.ts'
import type { Size } from './tell.ts'
import { shortAnswer } from './tell-words.ts'
import { shareOf, wordsIn } from './words.ts'

/** An answer may be an option in the agent's words, so it is told only where those are. */
const tellable = ({ requests }: Digest, trusted: boolean) =>
  requests.filter(({ how }) => trusted || how !== 'answer')

/** So short a request is told with those before it. */
const NEEDS_CONTEXT = 60
const MOST_TOGETHER = 3

/** The newest request, and those before it where it says little by itself. */
function newestOnes(digest: Digest, trusted: boolean): Request[] {
  const all = tellable(digest, trusted)
  let from = all.length
  let length = 0
  while (from > 0 && length < NEEDS_CONTEXT && all.length - from < MOST_TOGETHER) {
    from -= 1
    length += all[from]?.text.length ?? 0
  }
  return all.slice(from)
}

/** What the user wants now, with the agent's answer where that is short, and prompts that nobody has read. */
export function newestLine(digest: Digest, trusted: boolean, size: Size): string[] {
  const newest = newestOnes(digest, trusted)
  const sizes = { most: size('newest'), asked: size('asked'), trusted }
  const said = newest.map((one) => saidLine(one, sizes)).join(' · then ')
  const answer = trusted ? shortAnswer(digest) : ''
  const ended = digest.last === 'interrupt' ? ', who then interrupted the agent' : ''
  return [
    ...(said === '' ? [] : [`Newest: ${said}${answer === '' ? ended : ` → agent: "${answer}"`}`]),
    ...digest.queue
      .filter(({ text }) => text !== '')
      .map(
        ({ text }) => `Queued, not read by the agent: user: "${shorten(inOneLine(text), size('recent'))}"`,
      ),
  ]
}

const RECENT = 5

/** The requests before that, newest first. Those that hold for good stay when others go. */
export function earlierLines(
  digest: Digest,
  trusted: boolean,
  size: Size,
): { lines: string[]; left: number } {
  const newest = newestOnes(digest, trusted)
  const all = tellable(digest, trusted)
    .filter((one) => !newest.includes(one))
    .map(withoutPaste)
  const isOver = repeatedIn([...all, ...newest])
  const from = all.length - size('requests')
  const isKept = (one: Request, place: number) => place === 0 || place >= from || isLasting(one.text)
  const isRecent = (place: number) => place >= all.length - RECENT
  const isWorth = (one: Request, place: number) => saysSomething(one, isRecent(place)) && !isOver(one, place)
  const told = all.filter((one, place) => isKept(one, place) && isWorth(one, place))
  const lines = told.map((one, place) => {
    const part = place === 0 ? 'first' : place >= told.length - RECENT ? 'recent' : 'older'
    return requestLine(one, { most: size(part), asked: size('asked'), trusted }, size('came'))
  })
  const left =
    all.filter((one, place) => isWorth(one, place) && !told.includes(one)).length + digest.forgotten
  return { lines: lines.reverse(), left }
}

interface LineSizes {
  most: number
  asked: number
  trusted: boolean
}

/** A request with what the agent made of it, in whole sentences. The user's words count more: the answer is shorter. */
function requestLine(request: Request, sizes: LineSizes, came: number): string {
  const line = saidLine(request, sizes)
  const room = sizes.trusted ? Math.min(came, line.length) : 0
  const [best = ''] = request.came
  const told = [request.came.join(' '), best].find((one) => one !== '' && one.length <= room)
  return told === undefined ? line : `${line} → agent: "${told}"`
}

/** A request with what it answers. */
function saidLine({ how, text, about, asked }: Request, sizes: LineSizes): string {
  const said = shorten(inOneLine(text), sizes.most)
  const question = how === 'answer' ? about : asked
  if (how === 'command') return `user: /${about}${said === '' ? '' : ` ${said}`}`
  const call = how === 'refusal' && sizes.trusted && about !== '' ? ` (refusing ${shorten(about, 120)})` : ''
  const before =
    question === '' || !sizes.trusted ? '' : `agent: "${shorten(inOneLine(question), sizes.asked)}" `
  return `${before}user${call}: "${said}"`
}

/** So few characters without a question before them ("go on", "push it") say nothing once they are answered. */
const SAYS_LITTLE = 32
const ASSENT = 12
/** A question of so many characters that was answered is over. */
const SMALL_QUESTION = 80

function saysSomething({ how, text, asked, came }: Request, isRecent: boolean): boolean {
  if (isLasting(text)) return true
  if (how === 'command') return text !== ''
  const isQuestion = text.length < SMALL_QUESTION && /[?？]["')\s]*$/.test(text)
  if (isQuestion && (came.length > 0 || how === 'answer')) return false
  // A bare yes to what the agent offered was carried out since.
  const isAssent = text.length <= ASSENT && !/\d/.test(text)
  return how === 'answer' || (asked !== '' && (isRecent || !isAssent)) || text.length > SAYS_LITTLE
}

/** A request that was made again, in nearly the same words, is told once: the newest time. */
function repeatedIn(requests: readonly Request[]) {
  const words = requests.map(({ text }) => wordsIn(text))
  return ({ how, text }: Request, place: number) =>
    how !== 'answer' &&
    !isLasting(text) &&
    (words[place]?.size ?? 0) >= LEAST_WORDS &&
    words.slice(place + 1).some((later) => shareOf(text, later) >= REPEATED)
}

const LEAST_WORDS = 5
const REPEATED = 0.6

/** Words for what holds from now on, as far as the ranking knows them. */
export const isLasting = (text: string) => LASTING.test(text)

const LASTING =
  /\b(?:always|never|from now on|every time|in (?:the )?future|do(?:n't| not) ever|immer|niemals|nie|ab jetzt|künftig|siempre|nunca|a partir de ahora|toujours|jamais|sempre)\b|(?:désormais|mai più|всегда|никогда|отныне|总是|始终|永远|从现在起|以后都|常に|必ず|絶対|今後は|항상|절대|앞으로)/i

/** What a program printed was pasted for the turn that it was sent with: later only the words around it count. */
function withoutPaste(request: Request): Request {
  let isFenced = false
  const lines = request.text.split('\n').filter((line) => line.trim() !== '')
  const isPrinted = lines.map((line) => {
    const isFence = /^\s*(?:`{3}|~{3})/.test(line)
    if (isFence) isFenced = !isFenced
    return isFenced || isFence || PRINTED.test(line)
  })
  const isMostly = lines.length >= 3 && isPrinted.filter(Boolean).length * 2 >= lines.length
  // Of a text that is mostly pasted the first words say what it is about.
  const [first = ''] = lines
  const opening = /[^\w]$/.test(first) && first.length < LEAST_OPENING ? '' : shorten(first, 120)
  const last = isPrinted.lastIndexOf(true)
  const behind = lines.slice(last + 1).filter((line) => !HAS_PATH.test(line))
  const typed = isMostly
    ? [opening, ...behind].filter((line) => line !== '')
    : lines.filter((_, at) => !isPrinted[at])
  return typed.length === lines.length ? request : { ...request, text: typed.join('\n') }
}

const HAS_PATH = /\S+\/\S+\/\S+|\b[0-9a-f]{7,40}\b/
/** A shorter first line of a paste is part of it. */
const LEAST_OPENING = 80

const PRINTED =
  /^\s*(?:\[?\d{4}-\d\d-\d\d[T ]|\[?\d\d:\d\d:\d\d|at \S+ \(|at \/|\$ |% |\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL|Error|error|warning)\b[\]: ]|npm (?:ERR!|error|WARN|warn)|Traceback |File "|[+-]{3} |@@ |diff --git |[{}[\]();^]|<[/!?A-Za-z]|\S+:\d+:\d+|[A-Z][A-Za-z]{2,40}(?:Error|Exception)\b|commit [0-9a-f]{7}|(?:Author|Date|Merge|AuthorDate|CommitDate): |[❯›»] )|\.\.\.$|\b[0-9a-f]{7,40}$/
