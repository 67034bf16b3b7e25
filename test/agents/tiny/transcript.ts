import { existsSync, readFileSync } from 'node:fs'
import { noStatistics } from '../../../src/core/session.ts'
import type { TranscriptEntry, TranscriptFinder, TranscriptReader } from '../../../src/core/transcript.ts'

// The tiny agent writes a line for each thing, as `2026-01-31T12:00:00Z you Please mend the login`.

const linesIn = (path: string) =>
  existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : []

export const countLines = (path: string) => linesIn(path).length

const READ: Readonly<Record<string, (at: string, words: string, number: number) => TranscriptEntry[]>> = {
  you: (at, text) => [{ at, kind: 'request', how: 'prompt', text, about: '' }],
  me: (at, text) => [{ at, kind: 'text', text }],
  changed: (at, path, number) => [
    { at, kind: 'tool', id: `${number}`, name: 'change', does: 'edit', input: { path } },
    { at, kind: 'result', id: `${number}`, failed: false, refused: false, text: '' },
  ],
}

export const reader: TranscriptReader = {
  readOn(path, before, onEntry) {
    if (!existsSync(path)) return null
    const lines = linesIn(path)
    // Its cursor is a number of lines, under a name of its own.
    const from = typeof before?.cursor.lines === 'number' ? before.cursor.lines : 0
    let lastAt = before?.lastAt ?? null
    for (const [place, line] of lines.slice(from).entries()) {
      const [at = '', who = '', ...words] = line.split(' ')
      for (const entry of READ[who]?.(at, words.join(' '), from + place) ?? []) onEntry?.(entry)
      lastAt = at
    }
    const statistics = { ...noStatistics(), apiCalls: lines.length }
    const reading = { cursor: { lines: lines.length }, statistics, context: null, compactions: 0, lastAt }
    return { reading, read: lines.length, restarted: false, complete: true }
  },
}

export const finder: TranscriptFinder = {
  find: () => [],
  readEnds: () => ({ kind: 'nothing' }),
  isMovedTo: () => false,
}
