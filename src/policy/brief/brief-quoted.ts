import { ageOf } from '../../core/text.ts'
import type { WorkState } from '../../core/work.ts'
import { BRANCH_NOTES, FOUND_NOTES, MESSAGE_LINES } from '../agent-words.ts'
import { claimLines, workLines } from '../digest/dropped.ts'
import type { TalkSection } from './brief-talk.ts'

const MOST_LINES = 20

/** What a merged branch knew, as a brief quotes it: lines of that work, not of the one that the brief tells. */
export const mergedSection = (stream: string, news: WorkState): TalkSection =>
  quotedSection(BRANCH_NOTES.merged(stream), `savepoint show ${stream}`, [
    ...claimLines(news),
    ...news.decisions.flatMap(({ text, rejected }) =>
      rejected === undefined ? [] : MESSAGE_LINES.rejection(text, rejected),
    ),
    ...news.facts.map(({ text }) => MESSAGE_LINES.fact(text)),
    ...news.references.map(({ text }) => MESSAGE_LINES.learning(text)),
  ])

/** What a file tells beside the work of a brief. */
export function foundSection(
  { path, work, atMs }: { path: string; work: WorkState; atMs: number },
  nowMs: number,
): TalkSection {
  const section = quotedSection(
    FOUND_NOTES.beside(path, ageOf(nowMs - atMs)),
    importCommand(path),
    workLines(work),
  )
  return { ...section, more: FOUND_NOTES.keep(importCommand(path)) }
}

/** Whether a path is one word of a shell. */
const isOneWord = (path: string) => /^[\w./-]+$/.test(path)

/** What takes a file into the store: by its path, where a shell can be told it. */
export const importCommand = (path: string) => `savepoint import${isOneWord(path) ? ` ${path}` : ''}`

/** What shows all of a file, of which a brief had no room for a part. */
export const showFileCommand = (path: string) => (isOneWord(path) ? `cat ${path}` : importCommand(path))

function quotedSection(title: string, command: string, all: readonly string[]): TalkSection {
  const around = { why: '', unconfirmed: false, mark: null, note: '', session: '', at: null, command }
  const left = all.length - MOST_LINES
  return {
    title,
    lines: all.slice(0, MOST_LINES).map((text) => ({ text, ...around })),
    more: left > 0 ? BRANCH_NOTES.moreMerged(left, command) : '',
    quoted: true,
  }
}
