import { callKindOf, outcomeIn } from '../../../src/agents/claude/transcript-tools.ts'
import type { RequestKind, ToolInput, TranscriptEntry } from '../../../src/core/transcript.ts'
import { foldEntry } from '../../../src/policy/digest/fold.ts'
import { fileNamer } from '../../../src/policy/digest/name-file.ts'
import { type Digest, emptyDigest } from '../../../src/policy/digest/state.ts'
import { tellDigest } from '../../../src/policy/digest/tell.ts'
import type { DigestSurroundings } from '../../../src/policy/digest/tell-parts.ts'

export type Untimed = TranscriptEntry extends infer One
  ? One extends TranscriptEntry
    ? Omit<One, 'at'>
    : never
  : never

export const ROOT = '/home/ann/app'
const T0 = Date.UTC(2026, 0, 2, 10)
/** The time of an entry by its place: one a minute. */
export const timeOf = (place: number) => new Date(T0 + place * 60_000).toISOString()

export const timed = (entries: readonly Untimed[]): TranscriptEntry[] =>
  // `as`: an entry without its time gets it here.
  entries.map((entry, place) => ({ ...entry, at: timeOf(place) }) as TranscriptEntry)

export function foldAll(entries: readonly TranscriptEntry[]): Digest {
  const digest = emptyDigest()
  for (const entry of entries) foldEntry(digest, entry)
  return digest
}

/** What a transcript of these entries comes to. */
export const digestOf = (...entries: Array<Untimed | Untimed[]>): Digest => foldAll(timed(entries.flat()))

export const around = (more: Partial<DigestSurroundings> = {}): DigestSurroundings => ({
  ...{ trusted: true, roots: [ROOT], nameFile: fileNamer(ROOT), uncommitted: null, isGone: () => false },
  ...more,
})
export const STRANGER = around({ trusted: false })

/** Everything that is told, a line each, with the titles. */
export const toldOf = (digest: Digest, { scale = 1, where = around() } = {}): string[] =>
  tellDigest(
    digest,
    where,
  )(scale).flatMap(({ title, lines }) => [`# ${title}`, ...lines.map(({ text }) => text)])
/** What these entries come to, told as one text. */
export const told = (...entries: Array<Untimed | Untimed[]>): string =>
  toldOf(digestOf(...entries)).join('\n')

export const request = (text: string, how: RequestKind = 'prompt', about = ''): Untimed => ({
  ...{ kind: 'request', how, text, about },
})
export const says = (text: string): Untimed => ({ kind: 'text', text })
export const queue = (change: 'added' | 'sent' | 'used' | 'withdrawn', text = ''): Untimed => ({
  ...{ kind: 'queue', change, text },
})
export const calls = (id: string, name: string, input: ToolInput = {}): Untimed => ({
  ...{ kind: 'tool', id, name, ...callKindOf(name, input), input },
})
export const returns = (id: string, text = '', { failed = false, refused = false } = {}): Untimed => ({
  ...{ kind: 'result', id, failed, refused, text, ...outcomeIn(text, failed) },
})
/** A shell command with its result; a failed one ended with 1. */
export const runs = (command: string, text = '', failed = false, about: ToolInput = {}): Untimed[] => [
  calls('run', 'Bash', { command, ...about }),
  returns('run', failed ? `Exit code 1\n${text}` : text, { failed }),
]
export const edits = (path: string, name = 'Edit', text = ''): Untimed[] => [
  calls('edit', name, { path: `${ROOT}/${path}` }),
  returns('edit', text),
]
export const plan = (text: string, verdict: 'shown' | 'approved' | 'refused', path = ''): Untimed => ({
  ...{ kind: 'plan', text, verdict, path },
})
export const todos = (...items: Array<[string, 'open' | 'doing' | 'done']>): Untimed => ({
  kind: 'todos',
  items: items.map(([text, state]) => ({ text, state })),
})
export const asks = (question: string, ...options: string[]): Untimed => ({
  kind: 'asks',
  questions: [{ question, options }],
})
