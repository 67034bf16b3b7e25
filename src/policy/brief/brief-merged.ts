import type { WorkState } from '../../core/work.ts'
import { BRANCH_NOTES, MESSAGE_LINES } from '../agent-words.ts'
import { claimLines } from '../digest/dropped.ts'
import type { TalkSection } from './brief-talk.ts'

const MOST_LINES = 20

/** What a merged branch knew, as a brief quotes it: lines of that work, not of the one that the brief tells. */
export function mergedSection(stream: string, news: WorkState): TalkSection {
  const lines = [
    ...claimLines(news),
    ...news.decisions.flatMap(({ text, rejected }) =>
      rejected === undefined ? [] : MESSAGE_LINES.rejection(text, rejected),
    ),
    ...news.facts.map(({ text }) => MESSAGE_LINES.fact(text)),
    ...news.references.map(({ text }) => MESSAGE_LINES.learning(text)),
  ].map((text) => ({
    text,
    why: '',
    unconfirmed: false,
    mark: null,
    note: '',
    session: '',
    at: null,
    stream,
  }))
  const left = lines.length - MOST_LINES
  return {
    title: BRANCH_NOTES.merged(stream),
    lines: lines.slice(0, MOST_LINES),
    more: left > 0 ? BRANCH_NOTES.moreMerged(left, stream) : '',
    quoted: true,
  }
}
