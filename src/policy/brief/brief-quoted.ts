import { plainPageLine } from '../../core/brief-page.ts'
import { ageOf } from '../../core/text.ts'
import { type CHOICES, stands, type WorkState } from '../../core/work.ts'
import { BRANCH_NOTES, FOUND_NOTES, MESSAGE_LINES } from '../agent-words.ts'
import { inOneLine, shareOf, shorten, wordsIn } from '../digest/quote.ts'
import { type Digest, isTyped } from '../digest/state.ts'
import type { Knowledge } from '../join-work.ts'
import type { TalkSection } from './brief-talk.ts'

const MOST_LINES = 20

/** What a merged branch knew, as a brief quotes it: lines of that work, not of the one that the brief tells. */
export const mergedSection = (stream: string, news: Knowledge): TalkSection =>
  quotedSection(BRANCH_NOTES.merged(stream), `savepoint show ${stream}`, [
    ...claimLines(news),
    ...news.decisions.flatMap(({ text, rejected }) =>
      rejected === undefined ? [] : MESSAGE_LINES.rejection(text, rejected),
    ),
    ...news.facts.map(({ text }) => MESSAGE_LINES.fact(text)),
    ...news.references.map(({ text }) => MESSAGE_LINES.learning(text)),
  ])

export function foundSection(
  { path, work, atMs }: { path: string; work: WorkState; atMs: number },
  nowMs: number,
): TalkSection {
  const [title, command] = [FOUND_NOTES.beside(path, ageOf(nowMs - atMs)), importCommand(path)]
  return { ...quotedSection(title, command, workLines(work)), more: FOUND_NOTES.keep(command) }
}

const isOneWord = (path: string) => /^[\w./-]+$/.test(path)

/** What takes a file into the store: by its path, where a shell can be told it. */
export const importCommand = (path: string) => `savepoint import${isOneWord(path) ? ` ${path}` : ''}`

/** What shows all of a file, of which a brief had no room for a part. */
export const showFileCommand = (path: string) => (isOneWord(path) ? `cat ${path}` : importCommand(path))

function quotedSection(title: string, command: string, all: readonly string[]): TalkSection {
  const around = { session: '', at: null, command }
  const lines = all.slice(0, MOST_LINES).map((text) => ({ ...plainPageLine(text), ...around }))
  const left = all.length - lines.length
  return { title, lines, more: left > 0 ? BRANCH_NOTES.moreMerged(left, command) : '', quoted: true }
}

/**
 * What the summary of a compaction does not hold, as lines to give back: the user's words first, the newest on top. What
 * the user said since it began (`until`) is in the window.
 */
export function droppedLines(
  digest: Digest | null,
  work: WorkState | null,
  { summary, trusted, until }: { summary: string; trusted: boolean; until: string },
): string[] {
  const words = wordsIn(summary)
  const isHeld = (text: string) => shareOf(wordsIn(text), words) >= HELD
  const requests = (digest?.requests ?? []).filter(
    (one) =>
      wordsIn(one.text).size > SAYS_LITTLE &&
      one.at <= until &&
      (trusted || isTyped(one, trusted)) &&
      !isHeld(one.text),
  )
  return [
    ...requests.toReversed().map(({ text, about, how }) => {
      const said = `user: "${shorten(inOneLine(text), 400)}"`
      return how === 'answer' ? `agent: "${shorten(inOneLine(about), 160)}" ${said}` : said
    }),
    ...(work ? claimLines(work) : []).filter((line) => !isHeld(line.replace(/^\w+: /, ''))),
  ]
}

/** So many of the words of a text must stand in a summary that holds it. */
const HELD = 0.7
/** So few words ("go on") need not be given back. */
const SAYS_LITTLE = 2

export function claimLines(work: Pick<WorkState, (typeof CHOICES)[number]>): string[] {
  const standing = work.decisions.filter(stands)
  const withClaimMark = ({ text, confirmed }: { text: string; confirmed: boolean }) =>
    confirmed ? text : MESSAGE_LINES.unconfirmed(text)
  return [
    ...standing.map((one) => MESSAGE_LINES.decision(withClaimMark(one), one.why)),
    ...work.rules.map((one) => MESSAGE_LINES.rule(withClaimMark(one))),
    ...work.constraints.map((one) => MESSAGE_LINES.constraint(withClaimMark(one))),
  ]
}

/** The same, with where it stands and what is next. */
export const workLines = (work: WorkState): string[] => [
  ...claimLines(work),
  ...(work.now === '' ? [] : [MESSAGE_LINES.now(work.now)]),
  ...work.next.map(({ text }) => MESSAGE_LINES.next(text)),
  ...work.blockers.map(({ text }) => MESSAGE_LINES.blocker(text)),
]
