import type { Digest } from './state.ts'
import {
  changeLines,
  commandLines,
  type DigestSurroundings,
  planLines,
  type Size,
  sizeAt,
  stateLines,
  summaryLines,
} from './tell-parts.ts'
import { earlierLines, newestLine, type SortedRequests, sortRequests } from './tell-requests.ts'
import { lastWords, previousAnswerLines } from './tell-words.ts'

/** A line, and when it was said where it is a request or an answer. */
export interface DigestLine {
  text: string
  at: string | null
}

const linesAt = (texts: readonly string[], at: string | null = null): DigestLine[] =>
  texts.map((text) => ({ text, at }))

/** A part of what is told of a digest. Quoted lines are the agent's own, line by line. */
export interface DigestSection {
  title: string
  lines: DigestLine[]
  quoted?: true
}

/**
 * What is told of a digest, on a scale from 0 to 1. What is true now stands first. In a workspace that nobody trusts
 * only what the user typed is told, with counts: agents' words, plans and output may echo a stranger's files.
 */
export function tellDigest(
  digest: Digest,
  around: DigestSurroundings,
  newestLabel = 'Newest',
): (scale: number) => DigestSection[] {
  const requests = { ...sortRequests(digest, around.trusted), newestLabel }
  return (scale) => sectionsOf(digest, requests, around, sizeAt(scale))
}

function sectionsOf(
  digest: Digest,
  requests: SortedRequests & { newestLabel: string },
  around: DigestSurroundings,
  size: Size,
): DigestSection[] {
  const { trusted } = around
  const earlier = earlierLines(requests, size)
  const leftOut = earlier.left + digest.droppedRequests
  const left = leftOut > 0 ? `; ${leftOut} older ones left out` : ''
  const section = (title: string, lines: DigestLine[]): DigestSection => ({ title, lines })
  const ifTrusted = (title: string, lines: string[]) => section(title, trusted ? linesAt(lines) : [])
  const quote = (title: string, lines: string[], at: string | null): DigestSection => ({
    ...{ title, lines: trusted ? linesAt(lines, at) : [], quoted: true },
  })
  const askedAt = requests.newest.at(-1)?.at ?? null
  return [
    section('Where it stands', [
      ...linesAt(newestLine(digest, requests, trusted, size), askedAt),
      ...linesAt(stateLines(digest, trusted, size)),
    ]),
    quote("The agent's last message", lastWords(digest, size('answer')), digest.turn.at(-1)?.at ?? null),
    quote("The agent's answer before the newest request", previousAnswerLines(digest, size('answer')), null),
    section(`What the user said before (newest first; newer overrides older${left})`, earlier.lines),
    ifTrusted("The client's summary of the conversation before", summaryLines(digest, size)),
    ifTrusted(`The command /${digest.command?.name ?? ''}`, commandLines(digest, size)),
    ifTrusted('The plan', planLines(digest, size)),
    section('Files, commits and checks', linesAt(changeLines(digest, around, size))),
  ].filter(({ lines }) => lines.length > 0)
}
