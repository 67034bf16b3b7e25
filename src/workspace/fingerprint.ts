import { sha256 } from '../core/canonical.ts'
import { unlessRefused } from '../core/reason.ts'
import { isSecretFile } from '../core/secret-file.ts'
import { type Folder, openFolder } from '../fs/disk.ts'

/** How a path of the workspace looks; two files with different marks differ. */
export type Fingerprint =
  /** `<size>-<16 digits of its SHA-256>`; of a large file, and of one that is a secret, `<size>-<the time at which it was written>`. */
  | { state: 'file'; mark: string }
  | { state: 'folder' }
  | { state: 'absent' }
  /** Nothing that can be told: a link, a pipe, a file that is closed to us, or a path that leads elsewhere. */
  | { state: 'other' }

const OTHER: Fingerprint = { state: 'other' }
const ABSENT: Fingerprint = { state: 'absent' }
const MAX_HASHED = 1024 * 1024

/**
 * How a file looks, to tell later whether it changed. The path may be a stranger's word: no link is followed on
 * the way, so nothing outside of the workspace is looked at, and nothing that could block is read.
 */
export function fingerprintOf(root: string, path: string): Fingerprint {
  if (/[\0\\]|^\/|^[A-Za-z]:/.test(path)) return OTHER
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  const name = parts.pop()
  if (name === undefined || name === '..' || parts.includes('..')) return OTHER
  // Whatever the disk refuses is a file that cannot be told.
  return unlessRefused(() => below(root, parts, name)) ?? OTHER
}

function below(root: string, folders: readonly string[], name: string): Fingerprint {
  let here = openFolder(root)
  try {
    for (const folder of folders) {
      const kind = here.entry(folder)?.kind ?? null
      const next = kind === 'folder' ? here.folder(folder) : null
      // Below a file there is nothing. Below a link there may be.
      if (next === null) return kind === 'other' ? OTHER : ABSENT
      here.close()
      here = next
    }
    return fingerprintIn(here, name, isSecretFile([...folders, name].join('/')))
  } finally {
    here.close()
  }
}

function fingerprintIn(folder: Folder, name: string, isSecret: boolean): Fingerprint {
  const entry = folder.entry(name)
  if (entry === null) return ABSENT
  if (entry.kind !== 'file') return { state: entry.kind }
  // A short secret could be found by trying values against its hash.
  if (entry.size > MAX_HASHED || isSecret)
    return { state: 'file', mark: `${entry.size}-${Math.floor(entry.modifiedMs)}` }
  const bytes = folder.read(name, MAX_HASHED)
  return bytes === null ? ABSENT : { state: 'file', mark: `${bytes.length}-${sha256(bytes).slice(0, 16)}` }
}
