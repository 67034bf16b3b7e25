import { join } from 'node:path'
import { sha256 } from '../core/canonical.ts'
import { errorCode } from '../core/reason.ts'
import type { Folder } from './disk.ts'
import { asDurableWrite, asWriteFailure, dropTemp, TEMP_ENDING, tempName, writeTemp } from './durable.ts'

export type WriteOutcome = { done: true } | WriteRefusal

/** Somebody else wrote the file meanwhile. */
export interface WriteRefusal {
  done: false
  /** Their bytes, perhaps caught in the middle of a save; null where nothing stands there. */
  found: Buffer | null
  /** True where our new text has the name all the same. */
  ours: boolean
  /**
   * Null where `found` stands under its name, untouched. Else the kept file alone holds it: call this once
   * the bytes are safe elsewhere, with the folder still open. It removes the kept file and gives null, or
   * leaves it and gives what was written into it since: keep that too, and call again. An empty one stays.
   */
  forget: (() => Buffer | null) | null
}

export interface Guard {
  /** Unique to this call: names the temp and the kept file. */
  token: string
  /** The SHA-256 of what must stand there; null where nothing may. */
  expected: string | null
  limit: number
}

const KEPT_ENDING = `.old${TEMP_ENDING}`
/** Measured in a fresh process, from the last look to the end of the rename: 120 µs after one, 23 µs after three. */
const REHEARSALS = 3
/** What a file system says that has no hard links, or none for this file. */
const NO_LINK = new Set(['EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

/**
 * Replaces a file that others write too, only while it is what the caller last read. The name is never
 * missing, and at every instant holds the old or the new file whole (docs/durability.md).
 *
 * Danger: no call compares and renames at once. Who renames a file onto the name between our last look and
 * our rename, some microseconds, is overwritten unseen; so is who opened the old file without cutting it
 * and writes only after our last read.
 */
export function replaceGuarded(folder: Folder, name: string, bytes: Uint8Array, guard: Guard): WriteOutcome {
  const temp = tempName(name, guard.token)
  return asDurableWrite(folder, name, temp, () => {
    const standing = folder.read(name, guard.limit)
    if (hashOf(standing) !== guard.expected) return refuseWrite(standing)
    const mode = folder.entry(name)?.mode
    writeTemp(folder, temp, bytes, mode ?? 0o666, { exactMode: mode !== undefined })
    return standing === null
      ? place(folder, name, temp, guard)
      : exchange(folder, name, temp, standing, guard)
  })
}

/** Gives the temp the name that nobody may have. */
function place(folder: Folder, name: string, temp: string, { limit }: Guard): WriteOutcome {
  const isPlaced = claim(folder, temp, name)
  dropTemp(folder, temp)
  if (!isPlaced) return refuseWrite(folder.read(name, limit))
  folder.sync()
  return { done: true }
}

/** The order of these lines is the promise. Past the rename, no failure may take the kept file away. */
function exchange(folder: Folder, name: string, temp: string, standing: Buffer, guard: Guard): WriteOutcome {
  const { token, expected, limit } = guard
  const kept = keptName(name, token)
  const keeping = keep(folder, name, kept, standing)
  if (keeping === 'gone') {
    dropTemp(folder, temp)
    return refuseWrite(folder.read(name, limit))
  }
  let isReplaced = false
  try {
    // Changes nothing, but code that ran before runs five times as fast: it keeps the dangerous instant short.
    for (let round = 0; round < REHEARSALS; round += 1) folder.renameOver(temp, temp, temp)
    if (hashOf(folder.read(kept, limit)) === expected)
      isReplaced =
        keeping === 'link' ? folder.renameOver(temp, name, kept) : renameUnedited(folder, temp, name, guard)
  } finally {
    if (!isReplaced) for (const file of [temp, kept]) dropTemp(folder, file)
  }
  if (!isReplaced) return refuseWrite(folder.read(name, limit))
  folder.sync()
  const old = folder.read(kept, limit)
  if (old !== null && hashOf(old) !== expected) return rescueFile(folder, kept, old, { ours: true, limit })
  dropTemp(folder, kept)
  return { done: true }
}

/** A second name for the old file, which also shows what is written into it later; else a copy. */
function keep(folder: Folder, name: string, kept: string, standing: Buffer): 'link' | 'copy' | 'gone' {
  refuseTaken(folder, kept)
  try {
    if (!folder.link(name, kept)) throw nameTakenError(kept)
    return 'link'
  } catch (error) {
    // Linux says this also of a file that loses its name during the call: another may stand there now.
    if (errorCode(error) === 'ENOENT') return 'gone'
    if (!lacksLinks(error)) throw error
    asDurableWrite(folder, kept, kept, () => writeTemp(folder, kept, standing, 0o600))
    return 'copy'
  }
}

/** Without a second name to compare with, the last look is at the bytes. */
function renameUnedited(folder: Folder, temp: string, name: string, { expected, limit }: Guard): boolean {
  if (hashOf(folder.read(name, limit)) !== expected) return false
  folder.rename(temp, name)
  return true
}

/** Takes a file away that others write too, only while it is what the caller last read. */
export function removeGuarded(folder: Folder, name: string, { token, expected, limit }: Guard): WriteOutcome {
  const kept = keptName(name, token)
  return asDurableWrite(folder, name, tempName(name, token), () => {
    const standing = folder.read(name, limit)
    if (standing === null) return { done: true }
    if (hashOf(standing) !== expected) return refuseWrite(standing)
    refuseTaken(folder, kept)
    if (!moveAway(folder, name, kept)) return { done: true }
    let captured: Buffer | null
    try {
      captured = folder.read(kept, limit)
    } catch (error) {
      putBack(folder, kept, name)
      throw error
    }
    if (captured !== null && hashOf(captured) !== expected)
      return putBack(folder, kept, name)
        ? refuseWrite(captured)
        : rescueFile(folder, kept, captured, { ours: false, limit })
    folder.unlink(kept)
    folder.sync()
    return { done: true }
  })
}

function moveAway(folder: Folder, name: string, kept: string): boolean {
  try {
    folder.rename(name, kept)
    return true
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    return false
  }
}

/** False where the name was taken again meanwhile: both files stay. */
function putBack(folder: Folder, kept: string, name: string): boolean {
  const isBack = claim(folder, kept, name)
  folder.sync()
  // Only now: after a power cut the file must have one of the two names.
  if (isBack) dropTemp(folder, kept)
  return isBack
}

/** Gives a file a name that must be free; false where it is taken. Without hard links a look must do. */
function claim(folder: Folder, from: string, name: string): boolean {
  try {
    return folder.link(from, name)
  } catch (error) {
    if (!lacksLinks(error)) throw error
    if (folder.entry(name) !== null) return false
    folder.rename(from, name)
    return true
  }
}

/** A name that only our writer gives: who has it is writing, or died while writing. */
export const isLeftover = (name: string) => /^\..+\.[0-9a-f]{12}(?:\.old)?\.savepoint-tmp$/s.test(name)

/** True for an old file that was kept: it may hold an edit that nobody has seen. A temp never does. */
export const isKept = (name: string) => name.startsWith('.') && name.endsWith(KEPT_ENDING)

const keptName = (name: string, token: string) => `.${name}.${token}${KEPT_ENDING}`

const hashOf = (bytes: Buffer | null) => (bytes === null ? null : sha256(bytes))

const lacksLinks = (error: unknown) => NO_LINK.has(errorCode(error) ?? '')

/** A token used twice: the kept file of the first may hold an edit. */
function refuseTaken(folder: Folder, kept: string): void {
  if (folder.entry(kept) !== null) throw nameTakenError(kept)
}

const nameTakenError = (kept: string) => new Error(`${kept} exists already`)

const refuseWrite = (found: Buffer | null): WriteRefusal => ({
  done: false,
  found,
  ours: false,
  forget: null,
})

function rescueFile(
  folder: Folder,
  kept: string,
  found: Buffer,
  { ours, limit }: { ours: boolean; limit: number },
): WriteRefusal {
  let seen = hashOf(found)
  const forget = () => {
    try {
      const now = folder.read(kept, limit)
      // An editor has cut it and has yet to write: it is left for the next one who sweeps.
      if (now?.length === 0) return null
      if (now === null || hashOf(now) === seen) {
        folder.unlink(kept)
        return null
      }
      seen = hashOf(now)
      return now
    } catch (error) {
      throw asWriteFailure(error, join(folder.path, kept))
    }
  }
  return { done: false, found, ours, forget }
}
