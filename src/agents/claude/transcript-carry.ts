import type { TranscriptEntry, TranscriptEntryOf } from '../../core/transcript.ts'

/** An entry before its time is put to it. */
export type EntryBody = {
  [Kind in TranscriptEntry['kind']]: Omit<TranscriptEntryOf<Kind>, 'at'>
}[TranscriptEntry['kind']]

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
  entry: Extract<EntryBody, { kind: 'asks' | 'plan' | 'todos' | 'todo' }>
  /** The call says nothing of the task's state, which stays what it was. */
  keepsState?: true
}

/** A sub-agent's file: how far it is read, and its last calls. */
export interface HelperFile {
  offset: number
  messages: Array<[string, CountedUsage]>
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

export const writeCarry = ({ messages, calls, seen, held, tasks, helpers, expands }: Carry) => ({
  version: VERSION,
  ...{ messages: [...messages], calls: [...calls], seen: [...seen], held: [...held] },
  ...{ tasks: [...tasks], helpers: [...helpers], expands },
})

const carryOf = (saved: Partial<ReturnType<typeof writeCarry>>): Carry => ({
  messages: new Map(saved.messages),
  calls: new Map(saved.calls),
  seen: new Set(saved.seen),
  held: new Map(saved.held),
  tasks: new Map(saved.tasks),
  helpers: new Map(saved.helpers),
  expands: saved.expands === true,
})

export const emptyCarry = () => carryOf({})

/** Null where it is none that this version wrote. */
export function readCarry(value: unknown): Carry | null {
  // `as`: only this reader writes a carry, and says by the version which shape it has.
  const saved = value as Partial<ReturnType<typeof writeCarry>> | null | undefined
  return saved?.version === VERSION ? carryOf(saved) : null
}

export function rememberNewest<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size > most) for (const oldest of map.keys()) return void map.delete(oldest)
}
