import type { TranscriptEntry } from '../../core/transcript.ts'

/** The usage of an API call that may be told once more: side, request, input, output, read and written cache. */
export type CountedUsage = [
  side: boolean,
  request: string,
  input: number,
  output: number,
  cacheRead: number,
  cacheCreation: number,
]

/** What a call changes when its result is no error. */
export interface CountedCall {
  path?: string
  commits?: number
}

/** An entry that waits for the result of its call. */
export interface HeldEntry {
  entry: Extract<TranscriptEntry, { kind: 'asks' | 'plan' | 'todos' | 'todo' }>
  /** The call says nothing of the task's state, which stays what it was. */
  keepsState?: true
}

/** A sub-agent's file: how far it is read, and its last calls. */
export interface HelperFile {
  offset: number
  messages: Map<string, CountedUsage>
}

/** What the reader remembers between two readings. Every part is bounded. */
export interface Carry {
  messages: Map<string, CountedUsage>
  calls: Map<string, CountedCall>
  seen: Set<string>
  held: Map<string, HeldEntry>
  tasks: Map<string, 'open' | 'doing' | 'done' | 'deleted'>
  helpers: Map<string, HelperFile>
  /** A slash command of the user's was told last: what the client writes next is what it stands for. */
  expands: boolean
}

/** A reading of another shape is not understood, and its file is read anew. */
const VERSION = 2

export const emptyCarry = (): Carry => ({
  messages: new Map(),
  calls: new Map(),
  seen: new Set(),
  held: new Map(),
  tasks: new Map(),
  helpers: new Map(),
  expands: false,
})

/** As plain JSON. */
export const writeCarry = (carry: Carry) => ({
  version: VERSION,
  messages: [...carry.messages],
  calls: [...carry.calls],
  seen: [...carry.seen],
  held: [...carry.held],
  tasks: [...carry.tasks],
  helpers: [...carry.helpers].map(([name, { offset, messages }]) => [
    name,
    { offset, messages: [...messages] },
  ]),
  expands: carry.expands,
})

/** Null where it is none that this version wrote. */
export function readCarry(value: unknown): Carry | null {
  if (typeof value !== 'object' || value === null) return null
  // Only this reader writes a carry, and says by the version which shape it has.
  const saved = value as Partial<ReturnType<typeof writeCarry>>
  if (saved.version !== VERSION) return null
  const { messages, calls, seen, held, tasks, helpers } = saved
  if (![messages, calls, seen, held, tasks, helpers].every(Array.isArray)) return null
  return {
    messages: new Map(messages),
    calls: new Map(calls),
    seen: new Set(seen),
    held: new Map(held),
    tasks: new Map(tasks),
    // Tuples are arrays in JSON.
    helpers: new Map(
      (helpers as Array<[string, { offset: number; messages: Array<[string, CountedUsage]> }]>).map(
        ([name, file]) => [name, { offset: file.offset, messages: new Map(file.messages) }],
      ),
    ),
    expands: saved.expands === true,
  }
}

/** Puts what is newest last, and lets the oldest go. */
export function rememberNewest<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size > most) for (const oldest of map.keys()) return void map.delete(oldest)
}
