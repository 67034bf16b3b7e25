import { shorten } from './quote.ts'
import { DIGEST_LIMIT, type Digest, KEEP, type Request } from './state.ts'

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
  const newest = <T>(list: readonly T[], of: keyof typeof KEEP) => list.slice(-Math.ceil(KEEP[of] / divisor))
  return {
    ...digest,
    requests: kept.map((one, place) => (place < kept.length - NEWEST ? shortenRequest(one, most) : one)),
    droppedRequests: droppedRequests + requests.length - kept.length,
    files: newest(digest.files, 'files'),
    finishedTasks: newest(digest.finishedTasks, 'finishedTasks'),
    calls: newest(digest.calls, 'calls'),
    queue: newest(digest.queue, 'queue'),
    checks: newest(digest.checks, 'checks'),
    commits: newest(digest.commits, 'commits'),
  }
}

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
  ...{
    command: null,
    summary: null,
    plan: null,
    openQuestions: null,
    tasks: [],
    links: [],
    calls: [],
    previousAnswer: '',
  },
  requests: digest.requests.map((one) => shortenRequest(one, 1_000)),
  queue: digest.queue.map((one) => ({ ...one, text: shorten(one.text, 600) })),
  turn: digest.turn.slice(-1).map((one) => ({ ...one, text: shorten(one.text, 2_000) })),
})
