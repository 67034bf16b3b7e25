import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { describeError, errorCode, ReasonError } from '../core/reason.ts'

/** A file being written. */
export interface NewFile {
  write(bytes: Uint8Array): void
  /** Exactly this mode, whatever the umask says. */
  setMode(mode: number): void
  sync(): void
  close(): void
}

export interface FolderEntry {
  kind: 'file' | 'folder' | 'other'
  size: number
  mode: number
  modifiedMs: number
}

/**
 * An opened directory. Names are single path components, and no symbolic link is followed below it:
 * the only door through which documents are read and written, so that one model can stand in for it.
 */
export interface Folder extends Disposable {
  readonly path: string
  /** The same folder, opened once more: each is closed by itself. */
  reopen(): Folder
  /** An existing folder in this one, or null. */
  folder(name: string): Folder | null
  /** Makes a folder; false where something has that name already. */
  makeFolder(name: string, mode: number): boolean
  names(): string[]
  /** When a name in it last came or went, in milliseconds. */
  changedMs(): number
  /** How every plain file in it looks: their names, and for each its size, inode and two times. One cheap pass. */
  looks(): { names: string[]; marks: number[] }
  entry(name: string): FolderEntry | null
  /** A file's bytes, or null where there is none. Refuses what is not a plain file or over the limit. */
  read(name: string, limit: number): Buffer | null
  /** Creates a file that must not exist yet. */
  create(name: string, mode: number): NewFile
  rename(from: string, to: string, target?: Folder): void
  /** Renames onto a name only while that is a second name of `same`; the look and the rename are two calls. */
  renameOver(from: string, to: string, same: string): boolean
  /** A second name for a file; false where the name is taken. */
  link(from: string, to: string): boolean
  /** Removes a name; false where there is none. */
  unlink(name: string): boolean
  /** Makes the names in this folder durable. */
  sync(): void
  close(): void
}

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_DIRECTORY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
const isWindows = process.platform === 'win32'
const NO_NAME = isWindows ? /[/\\\0]/ : /[/\0]/
/** With /proc a path can start at an opened directory, so nobody can swap a parent for a link meanwhile. */
const byDescriptor = existsSync('/proc/self/fd')

/** Opens a folder by its path; the path itself may contain links (it is the user's own word). */
export function openFolder(path: string): Folder {
  return new DiskFolder(path, path)
}

class DiskFolder implements Folder {
  readonly path: string
  private readonly fd: number | null
  private readonly base: string

  constructor(path: string, at: string, flags = 0) {
    this.path = path
    // Windows cannot open a directory, nor make its names durable by hand.
    this.fd = isWindows ? null : openSync(at, O_RDONLY | O_DIRECTORY | flags)
    this.base = byDescriptor && this.fd !== null ? `/proc/self/fd/${this.fd}` : path
  }

  reopen(): Folder {
    return new DiskFolder(this.path, this.base)
  }

  private at(name: string): string {
    if (name === '' || name === '.' || name === '..' || NO_NAME.test(name))
      throw new ReasonError('path_unsafe', { path: join(this.path, name), problem: 'it is not a plain name' })
    return join(this.base, name)
  }

  folder(name: string): Folder | null {
    const entry = this.entry(name)
    if (entry === null) return null
    const path = join(this.path, name)
    if (entry.kind !== 'folder') throw new ReasonError('path_unsafe', { path, problem: 'it is not a folder' })
    try {
      return new DiskFolder(path, this.at(name), O_NOFOLLOW)
    } catch (error) {
      throw unreadable(error, path)
    }
  }

  makeFolder(name: string, mode: number): boolean {
    return unlessTaken(() => mkdirSync(this.at(name), mode))
  }

  names(): string[] {
    return readdirSync(this.base)
  }

  changedMs(): number {
    return statSync(this.base).mtimeMs
  }

  looks(): { names: string[]; marks: number[] } {
    const names: string[] = []
    const marks: number[] = []
    const options = { throwIfNoEntry: false } as const
    // By the plain path, which is faster: a look decides only whether a file is read, and that goes the safe way.
    for (const name of this.names()) {
      const found = lstatSync(`${this.path}/${name}`, options)
      if (!found?.isFile()) continue
      names.push(name)
      marks.push(found.size, found.ino, found.ctimeMs, found.mtimeMs)
    }
    return { names, marks }
  }

  entry(name: string): FolderEntry | null {
    const at = this.at(name)
    try {
      const found = lstatSync(at, { throwIfNoEntry: false })
      if (!found) return null
      const kind = found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other'
      return { kind, size: found.size, mode: found.mode & 0o7777, modifiedMs: found.mtimeMs }
    } catch (error) {
      throw unreadable(error, join(this.path, name))
    }
  }

  read(name: string, limit: number): Buffer | null {
    const path = join(this.path, name)
    const fd = openExisting(this.at(name), path)
    return fd === null ? null : readPlain(fd, limit, path)
  }

  create(name: string, mode: number): NewFile {
    const fd = openSync(this.at(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode)
    return {
      write(bytes) {
        for (let written = 0; written < bytes.length; )
          written += writeSync(fd, bytes, written, bytes.length - written)
      },
      setMode: (exactly) => fchmodSync(fd, exactly),
      sync: () => fsyncSync(fd),
      close: () => closeSync(fd),
    }
  }

  rename(from: string, to: string, target: Folder = this): void {
    // `as`: a folder of another disk cannot be a target, and only this class is a folder of this disk.
    renameSync(this.at(from), (target as DiskFolder).at(to))
  }

  renameOver(from: string, to: string, same: string): boolean {
    // Rounded to a number, two inodes of some file systems look like one.
    const exact = { bigint: true, throwIfNoEntry: false } as const
    const source = this.at(from)
    const target = this.at(to)
    const known = lstatSync(this.at(same), exact)
    // Whatever stands between this look and the rename widens the instant in which a stranger's file is lost.
    const found = lstatSync(target, exact)
    if (found === undefined || found.ino !== known?.ino || found.dev !== known.dev) return false
    renameSync(source, target)
    return true
  }

  link(from: string, to: string): boolean {
    return unlessTaken(() => linkSync(this.at(from), this.at(to)))
  }

  unlink(name: string): boolean {
    try {
      unlinkSync(this.at(name))
      return true
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
      return false
    }
  }

  sync(): void {
    if (this.fd !== null) fsyncSync(this.fd)
  }

  close(): void {
    if (this.fd !== null) closeSync(this.fd)
  }

  [Symbol.dispose](): void {
    this.close()
  }
}

/** The looks of a folder's files by their names. A file with another look has other content, or was written again. */
export const looksByName = ({ names, marks }: ReturnType<Folder['looks']>): Map<string, string> =>
  new Map(names.map((name, at) => [name, marks.slice(at * 4, at * 4 + 4).join(':')]))

/** When a file with this look was last changed, in milliseconds. */
export const lookTime = (look: string) => Math.max(...look.split(':').slice(2).map(Number))

function unlessTaken(act: () => void): boolean {
  try {
    act()
    return true
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    return false
  }
}

/** O_NONBLOCK: opening a named pipe for reading would otherwise wait for a writer for ever. */
function openExisting(at: string, path: string): number | null {
  try {
    return openSync(at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT') return null
    if (code === 'ELOOP' || code === 'ENXIO')
      throw new ReasonError('path_unsafe', { path, problem: 'it is not a plain file' }, { cause: error })
    throw unreadable(error, path)
  }
}

/** A file that its owner has closed is told by its name; every other failure is the caller's. */
function unreadable(error: unknown, path: string): unknown {
  const code = errorCode(error)
  return code === 'EACCES' || code === 'EPERM'
    ? new ReasonError('file_unreadable', { path, problem: describeError(error) }, { cause: error })
    : error
}

/**
 * The bytes of a file that others own (settings, git's files, a plan), or null where there is none. Links are
 * followed, but a pipe or a device is refused: it would be read for ever.
 */
export function readPlainFile(path: string, limit: number): Buffer | null {
  let fd: number
  try {
    fd = openSync(path, O_RDONLY | O_NONBLOCK)
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw new ReasonError('path_unsafe', { path, problem: describeError(error) }, { cause: error })
  }
  return readPlain(fd, limit, path)
}

/** Whether a plain file stands at a path, or nothing: no pipe, device or folder. Links are followed. */
export const isPlainOrAbsent = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() !== false

/** Opens a file that the user named. Links are followed; a pipe or a device is refused without waiting for it. */
export function openPlainFile(path: string): { fd: number; size: number } & Disposable {
  let fd: number
  try {
    fd = openSync(path, O_RDONLY | O_NONBLOCK)
  } catch (error) {
    throw new ReasonError('file_unreadable', { path, problem: describeError(error) }, { cause: error })
  }
  try {
    return { fd, size: plainSize(fd, path), [Symbol.dispose]: () => closeSync(fd) }
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

/** Reads an opened file to its end and closes it; only a plain file, and never past the limit. */
function readPlain(fd: number, limit: number, path: string): Buffer {
  try {
    const size = plainSize(fd, path)
    if (size > limit) throw new ReasonError('file_too_large', { path, limit })
    return readAll(fd, size, limit, path)
  } finally {
    closeSync(fd)
  }
}

function plainSize(fd: number, path: string): number {
  const found = fstatSync(fd)
  if (found.isFile()) return found.size
  throw new ReasonError('path_unsafe', { path, problem: 'it is not a plain file' })
}

/** Reads to the end even where the file grew since it was measured, and never past the limit. */
function readAll(fd: number, size: number, limit: number, path: string): Buffer {
  const chunks: Buffer[] = []
  let total = 0
  for (;;) {
    const chunk = Buffer.allocUnsafe(Math.max(1_024, size - total + 1))
    const got = readSync(fd, chunk, 0, chunk.length, null)
    if (got === 0) return Buffer.concat(chunks, total)
    chunks.push(chunk.subarray(0, got))
    total += got
    if (total > limit) throw new ReasonError('file_too_large', { path, limit })
  }
}
