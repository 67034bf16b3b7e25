import { sha256 } from './canonical.ts'
import { instant } from './ports.ts'
import { ReasonError } from './reason.ts'
import { quoteShort } from './text.ts'

const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9_-])?$/
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i

/** Folders and files beside the runs in `checkpoints/`: no run may take their names. */
const RESERVED = new Set(['active', 'archive', 'learnings.md'])

/** Why a string cannot be an id, or null where it can. */
export function nameProblem(value: string): string | null {
  if (typeof value !== 'string') return 'not a text'
  if (value.length > 128) return `${value.length} characters, at most 128 are allowed`
  if (!NAME.test(value)) return 'it has characters that are not allowed'
  if (value.includes('..')) return 'it contains ".."'
  if (DEVICE.test(value)) return 'it is a reserved device name on Windows'
  return null
}

/** A name that is safe as a file name on every system; throws `id_invalid`. */
export const requireName = (value: string, what = 'id') => requireNoProblem(value, what, nameProblem(value))

/** Why a word can name no work: it is neither a name nor a branch as git allows them; null where it can. */
export function lookupProblem(word: string): string | null {
  const problem = nameProblem(word)
  return problem === null || !isBranchName(word) ? problem : null
}

const isBranchName = (word: string) =>
  word.length <= 250 &&
  !/[\p{C}\p{Z}~^:?*[\\]|\.\.|@\{|^-|\.$/u.test(word) &&
  word.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'))

/** A word by which work is looked up, and under which none is made; throws `id_invalid`. */
export const requireLookupName = (value: string) => requireNoProblem(value, 'id', lookupProblem(value))

/** Why a string cannot name a run, or null where it can: as `nameProblem`, and not reserved in `checkpoints/`. */
export const runNameProblem = (value: string) =>
  nameProblem(value) ?? (RESERVED.has(value.toLowerCase()) ? 'it is reserved' : null)

/** A name that a run may take; throws `id_invalid`. */
export const requireRunName = (value: string) => requireNoProblem(value, 'run id', runNameProblem(value))

function requireNoProblem(value: string, what: string, problem: string | null): string {
  if (problem === null) return value
  throw new ReasonError('id_invalid', { what, value: quoteShort(String(value)), problem })
}

/** Names are unique ignoring case, because some file systems are. */
export const nameKey = (name: string) => name.toLowerCase()

/** A number beyond this is nobody's: closing the gaps up to it would take for ever. */
const MAX_SEQUENCE = 10_000_000
const CHECKPOINT_ID = /^cp_\d{8}T\d{9}Z_(\d+)-[0-9a-f]{8,}$/

/**
 * `cp_<timestamp>_<suffix>`: sorts by time for people, and carries its sequence number in the suffix,
 * so that files alone can be put in order after the clock has jumped.
 */
export const checkpointId = (atMs: number, sequence: number, random: (bytes: number) => Uint8Array) =>
  `cp_${compactTime(atMs)}_${sequence}-${Buffer.from(random(4)).toString('hex')}`

/**
 * The id of a checkpoint that was adopted from a document: the same stream and the same bytes give the same id,
 * wherever they are adopted. The time is the document's own; the clock of who adopts it plays no part.
 */
export const adoptedId = (atMs: number, digest: string) =>
  `cp_${compactTime(Number.isFinite(atMs) ? atMs : 0)}_${digest.slice(0, 16)}`

/** A time as a part of a name: `20260102T030405678Z`. */
export const compactTime = (ms: number) => instant(ms).replace(/[-:.]/g, '')

/** The sequence number inside a checkpoint id, or null where it is not one of ours. */
export function sequenceOf(id: string): number | null {
  const found = CHECKPOINT_ID.exec(id)
  const sequence = found ? Number(found[1]) : 0
  return sequence >= 1 && sequence <= MAX_SEQUENCE ? sequence : null
}

/** Whether an id has a place for a number, whatever number stands there. */
export const isNumberedId = (id: string) => CHECKPOINT_ID.test(id)

/** The id of a work stream: a repository and a name always give the same one. */
export const streamId = (repository: string, name: string) =>
  `work_${sha256(`${repository}\n${nameKey(name)}`).slice(0, 24)}`

/** A random id for things that are never shown sorted: repositories, workspaces, streams. */
export const randomId = (prefix: string, random: (bytes: number) => Uint8Array) =>
  `${prefix}_${Buffer.from(random(12)).toString('hex')}`

/** A few random letters, for names that must not meet: temp files, files that are set aside. */
export const randomToken = (random: (bytes: number) => Uint8Array) => Buffer.from(random(6)).toString('hex')

/** The name, or where it is not free the first with a number behind it that is. */
export function numberedName(name: string, isFree: (name: string) => boolean): string {
  if (isFree(name)) return name
  // Room for the number: a name has 128 characters at most.
  for (let number = 2; ; number += 1) {
    const numbered = `${name.slice(0, 118)}-${number}`
    if (isFree(numbered)) return numbered
  }
}
