import type { Digest } from './state.ts'
import { endLines, openLines } from './tell-end.ts'
import { type DigestSurroundings, fileLines, gitLine } from './tell-files.ts'
import { commandLines, planLines, planState, taskLines } from './tell-plan.ts'
import { earlierLines, newestLine, type SortedRequests, sortRequests } from './tell-requests.ts'
import { sizeAt } from './tell-size.ts'
import { summaryLines } from './tell-summary.ts'
import { lastWords, wordsBefore } from './tell-words.ts'

/** A part of what is told of a digest. Quoted lines are the agent's own, line by line. */
export interface DigestSection {
  title: string
  lines: string[]
  isQuote: boolean
}

/**
 * What is told of a digest, on a scale from 0 to 1. What is true now stands first. In a workspace that nobody trusts
 * only what the user typed is told, with counts: agents' words, plans and output may echo a stranger's files.
 */
export function tellDigest(digest: Digest, around: DigestSurroundings): (scale: number) => DigestSection[] {
  const requests = sortRequests(digest, around.trusted)
  return (scale) => sectionsOf(digest, requests, around, scale)
}

function sectionsOf(
  digest: Digest,
  requests: SortedRequests,
  around: DigestSurroundings,
  scale: number,
): DigestSection[] {
  const size = sizeAt(scale)
  const { trusted } = around
  const ifTrusted = (lines: () => string[]) => (trusted ? lines() : [])
  const earlier = earlierLines(requests, size)
  const leftOut = earlier.left + digest.forgotten
  const left = leftOut > 0 ? `; ${leftOut} older ones left out` : ''
  return [
    list('Where it stands', [
      ...newestLine(digest, requests, trusted, size),
      ...endLines(digest, trusted),
      ...ifTrusted(() => [...openLines(digest, size), ...taskLines(digest), ...planState(digest)]),
    ]),
    {
      title: "The agent's last words",
      lines: ifTrusted(() => lastWords(digest, size('answer'))),
      isQuote: true,
    },
    {
      title: "The agent's answer before the newest request",
      lines: ifTrusted(() => wordsBefore(digest, size('answer'))),
      isQuote: true,
    },
    list(`What the user said before (newest first; newer overrides older${left})`, earlier.lines),
    list(
      "The client's own summary of what came before",
      ifTrusted(() => summaryLines(digest, size)),
    ),
    list(
      `The command /${digest.command?.name ?? ''}`,
      ifTrusted(() => commandLines(digest, size)),
    ),
    list(
      'The plan',
      ifTrusted(() => planLines(digest, size)),
    ),
    list('Files, commits and checks', [
      ...ifTrusted(() => gitLine(digest, size('commits'))),
      ...fileLines(digest, around, size('files')),
    ]),
  ].filter(({ lines }) => lines.length > 0)
}

const list = (title: string, lines: string[]): DigestSection => ({ title, lines, isQuote: false })
