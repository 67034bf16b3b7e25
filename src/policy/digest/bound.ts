import { shorten } from './quote.ts'
import { DIGEST_LIMIT, type Digest } from './state.ts'

/** Ways to make a digest smaller, the least loss first. */
const STEPS: ReadonlyArray<(digest: Digest) => Digest> = [
  (digest) => ({ ...digest, requests: shortenOlder(digest, 400) }),
  (digest) => ({
    ...digest,
    files: digest.files.slice(-40),
    done: digest.done.slice(-15),
  }),
  (digest) => ({ ...digest, requests: shortenOlder(digest, 160) }),
  (digest) => ({
    ...digest,
    ...firstAndNewest(digest, 40),
    calls: digest.calls.slice(-6),
    queue: digest.queue.slice(-3),
  }),
  (digest) => ({
    ...digest,
    ...firstAndNewest(digest, 12),
    turn: digest.turn.slice(-1),
    answerBefore: '',
    checks: digest.checks.slice(-6),
  }),
  (digest) => ({
    ...digest,
    ...firstAndNewest(digest, 4),
    command: null,
    summary: null,
    tasks: [],
    plan: null,
  }),
  // Whatever is left is longer than anybody writes by hand.
  (digest) => ({
    ...digest,
    forgotten: firstAndNewest(digest, 3).forgotten,
    requests: firstAndNewest(digest, 3).requests.map((one) => ({
      ...one,
      text: shorten(one.text, 1_000),
      came: [],
    })),
    queue: digest.queue.slice(-1).map((one) => ({ ...one, text: shorten(one.text, 600) })),
    turn: digest.turn.slice(-1).map((one) => ({ ...one, text: shorten(one.text, 2_000) })),
    calls: [],
    files: digest.files.slice(-10),
    ...{
      asks: null,
      done: [],
      links: [],
      commits: digest.commits.slice(-5),
      checks: digest.checks.slice(-3),
    },
  }),
]

/** A digest within its limit of bytes as JSON. Nearly every one is. */
export function boundDigest(digest: Digest): Digest {
  let fits = digest
  for (const step of STEPS) {
    if (Buffer.byteLength(JSON.stringify(fits)) <= DIGEST_LIMIT) return fits
    fits = step(fits)
  }
  return fits
}

/** The newest stay whole. */
const shortenOlder = ({ requests }: Digest, most: number) =>
  requests.map((one, place) =>
    place >= requests.length - 4
      ? one
      : {
          ...one,
          text: shorten(one.text, most),
          about: shorten(one.about, most),
          asked: shorten(one.asked, most),
          came: one.came.slice(0, 1),
        },
  )

/** The first and the newest. */
function firstAndNewest(
  { requests, forgotten }: Digest,
  most: number,
): Pick<Digest, 'requests' | 'forgotten'> {
  if (requests.length <= most) return { requests, forgotten }
  const some = [...requests.slice(0, 1), ...requests.slice(1 - most)]
  return { requests: some, forgotten: forgotten + requests.length - some.length }
}
