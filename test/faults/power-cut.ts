import { sha256 } from '../../src/core/canonical.ts'
import { applyEffect, type Call, ModelDisk, ROOT } from '../support/model-disk.ts'

/** What a disk may hold after the power went off, and what had been promised by then. */
export interface CutState {
  /** How many calls of the trace were made. */
  calls: number
  acks: string[]
  disk: ModelDisk
}

/** `weak`: names reach the disk in any order. `ordered`: in the order they were given. */
export type Profile = 'weak' | 'ordered'

/** A change of one folder's names that belongs together; the two sides of a move between folders do not. */
type Change = Extract<Call, { effects: unknown }>['effects']

const ALL_SUBSETS_UP_TO = 10
const RANDOM_SUBSETS = 200
const ALL_CONTENTS_UP_TO = 3
/** What may be left of writes that no fsync covered. */
const LEFTOVERS = ['absent', 'half', 'zeros', 'whole'] as const
type Leftover = (typeof LEFTOVERS)[number]

/** Every state that a cut after any call of the trace may leave, each once. */
export function* cutStates(trace: readonly Call[], profile: Profile): Generator<CutState> {
  const seen = new Set<string>()
  for (let calls = 0; calls <= trace.length; calls += 1) {
    const made = trace.slice(0, calls)
    const acks = made.flatMap((call) => (call.kind === 'ack' ? [call.label] : []))
    const { durable, pending } = splitNames(made)
    for (const kept of choices(pending, profile)) {
      const names = namesAfter(made, [...durable, ...kept])
      for (const disk of withContents(made, names)) {
        const key = sha256(`${acks.length}\n${disk.fingerprint()}`)
        if (seen.has(key)) continue
        seen.add(key)
        yield { calls, acks, disk }
      }
    }
  }
}

/** A name is durable where its own folder was synced after the call that gave or took it. */
function splitNames(made: readonly Call[]): { durable: Change[]; pending: Change[] } {
  const synced = new Map<number, number>()
  made.forEach((call, index) => {
    if (call.kind === 'syncFolder') synced.set(call.folder, index)
  })
  const durable: Change[] = []
  const pending: Change[] = []
  made.forEach((call, index) => {
    if (!('effects' in call)) return
    for (const change of byFolder(call.effects)) {
      const isDurable = change.every(({ folder }) => (synced.get(folder) ?? -1) > index)
      if (isDurable) durable.push(change)
      else pending.push(change)
    }
  })
  return { durable, pending }
}

/** Inside one folder a rename is atomic; between two folders only each side is. */
function byFolder(effects: Change): Change[] {
  const groups = new Map<number, Change>()
  for (const effect of effects) groups.set(effect.folder, [...(groups.get(effect.folder) ?? []), effect])
  return [...groups.values()]
}

function* choices(pending: Change[], profile: Profile): Generator<Change[]> {
  for (let length = 0; length <= pending.length; length += 1) yield pending.slice(0, length)
  if (profile === 'ordered') return
  if (pending.length <= ALL_SUBSETS_UP_TO) {
    for (let bits = 0; bits < 2 ** pending.length; bits += 1)
      yield pending.filter((_, index) => ((bits >> index) & 1) === 1)
    return
  }
  const next = dice(pending.length)
  for (let round = 0; round < RANDOM_SUBSETS; round += 1) yield pending.filter(() => next() < 0.5)
}

/** The same numbers for the same seed, between 0 and 1. */
function dice(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function namesAfter(made: readonly Call[], changes: Change[]): Map<number, Map<string, number>> {
  const names = new Map<number, Map<string, number>>([[ROOT, new Map()]])
  for (const call of made)
    if (call.kind === 'mkdir')
      for (const { node } of call.effects) if (node !== null) names.set(node, new Map())
  for (const change of changes)
    for (const effect of change) applyEffect(names.get(effect.folder) ?? new Map(), effect)
  return names
}

/** One disk for every mixture of leftovers of the files that can still be reached. */
function* withContents(made: readonly Call[], names: Map<number, Map<string, number>>): Generator<ModelDisk> {
  const files = [...reachable(names)].filter((node) => !names.has(node)).map((node) => fileOf(made, node))
  const unsure = files.filter(({ pending }) => pending.length > 0).map(({ node }) => node)
  for (const leftovers of mixtures(unsure)) {
    const nodes: ModelDisk['nodes'] = new Map()
    for (const [id, entries] of names) nodes.set(id, { kind: 'folder', mode: 0o777, names: new Map(entries) })
    for (const { node, durable, pending } of files) {
      const bytes = Buffer.concat([durable, leftover(pending, leftovers.get(node) ?? 'whole')])
      nodes.set(node, { kind: 'file', mode: 0o666, bytes })
    }
    yield new ModelDisk(nodes)
  }
}

function reachable(names: Map<number, Map<string, number>>): Set<number> {
  const found = new Set<number>()
  const visit = (folder: number) => {
    for (const node of names.get(folder)?.values() ?? []) {
      found.add(node)
      visit(node)
    }
  }
  visit(ROOT)
  return found
}

/** A file's bytes that an fsync covered, and those that none did. */
function fileOf(made: readonly Call[], node: number): { node: number; durable: Buffer; pending: Buffer } {
  const durable: Buffer[] = []
  let pending: Buffer[] = []
  for (const call of made) {
    if (call.kind === 'write' && call.node === node) pending.push(call.bytes)
    if (call.kind !== 'sync' || call.node !== node) continue
    durable.push(...pending)
    pending = []
  }
  return { node, durable: Buffer.concat(durable), pending: Buffer.concat(pending) }
}

function leftover(bytes: Buffer, kind: Leftover): Buffer {
  if (kind === 'absent') return Buffer.alloc(0)
  if (kind === 'half') return bytes.subarray(0, Math.floor(bytes.length / 2))
  return kind === 'zeros' ? Buffer.alloc(bytes.length) : bytes
}

/** Every mixture for a few files; for many, all alike, and each one alone unlike the rest. */
function* mixtures(files: number[]): Generator<Map<number, Leftover>> {
  if (files.length > ALL_CONTENTS_UP_TO) {
    for (const kind of LEFTOVERS) yield new Map(files.map((file) => [file, kind]))
    for (const file of files) for (const kind of LEFTOVERS) yield new Map([[file, kind]])
    return
  }
  for (let code = 0; code < LEFTOVERS.length ** files.length; code += 1)
    yield new Map(
      files.map((file, index) => [
        file,
        LEFTOVERS[Math.floor(code / LEFTOVERS.length ** index) % LEFTOVERS.length] ?? 'whole',
      ]),
    )
}
