import { posix } from 'node:path'
import { sha256 } from '../../src/core/canonical.ts'
import { ReasonError } from '../../src/core/reason.ts'
import type { Folder, FolderEntry, NewFile } from '../../src/fs/disk.ts'

interface FileNode {
  kind: 'file'
  mode: number
  bytes: Buffer
}

interface FolderNode {
  kind: 'folder'
  mode: number
  names: Map<string, number>
}

type Node = FileNode | FolderNode

/** What one call does to one folder's names; a move between folders does something to two. */
interface NameEffect {
  folder: number
  name: string
  /** The node that has the name from now on; null where the name is gone. */
  node: number | null
}

/** One mutating call, in the order they were made. `ack` is a test's own mark. */
export type Call =
  | { kind: 'mkdir' | 'create' | 'rename' | 'link' | 'unlink'; effects: NameEffect[] }
  | { kind: 'write'; node: number; bytes: Buffer }
  | { kind: 'sync'; node: number }
  | { kind: 'syncFolder'; folder: number }
  | { kind: 'ack'; label: string }

export const ROOT = 0

/** A disk in memory that remembers every mutating call. */
export class ModelDisk {
  readonly trace: Call[] = []
  readonly nodes: Map<number, Node>
  /** Whose fsync does nothing. */
  deaf: 'files' | 'folders' | null = null

  constructor(
    nodes: Map<number, Node> = new Map([[ROOT, { kind: 'folder', mode: 0o777, names: new Map() }]]),
  ) {
    this.nodes = nodes
  }

  root(): Folder {
    return new ModelFolder(this, ROOT, '/model')
  }

  /** Marks that something was promised to somebody at this point. */
  ack(label: string): void {
    this.trace.push({ kind: 'ack', label })
  }

  add(node: Node): number {
    const id = Math.max(...this.nodes.keys()) + 1
    this.nodes.set(id, node)
    return id
  }

  namesOf(folder: number): Map<string, number> {
    const node = this.nodes.get(folder)
    if (node?.kind !== 'folder') throw new Error(`node ${folder} is no folder`)
    return node.names
  }

  change(kind: 'mkdir' | 'create' | 'rename' | 'link' | 'unlink', effects: NameEffect[]): void {
    for (const effect of effects) applyEffect(this.namesOf(effect.folder), effect)
    this.trace.push({ kind, effects })
  }

  append(id: number, bytes: Uint8Array): void {
    const node = this.nodes.get(id)
    if (node?.kind !== 'file') throw new Error(`node ${id} is no file`)
    node.bytes = Buffer.concat([node.bytes, bytes])
    this.trace.push({ kind: 'write', node: id, bytes: Buffer.from(bytes) })
  }

  syncFile(node: number): void {
    if (this.deaf !== 'files') this.trace.push({ kind: 'sync', node })
  }

  syncFolder(folder: number): void {
    if (this.deaf !== 'folders') this.trace.push({ kind: 'syncFolder', folder })
  }

  /** The whole tree as one text, the same for the same content. */
  fingerprint(folder = ROOT, path = ''): string {
    return [...this.namesOf(folder)]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, id]) => {
        const node = this.nodes.get(id)
        const at = `${path}/${name}`
        return node?.kind === 'file' ? `${at} ${sha256(node.bytes)}\n` : `${at}/\n${this.fingerprint(id, at)}`
      })
      .join('')
  }
}

/** Gives a name its node, or takes the name away. */
export function applyEffect(names: Map<string, number>, { name, node }: NameEffect): void {
  if (node === null) names.delete(name)
  else names.set(name, node)
}

class ModelFolder implements Folder {
  readonly path: string
  readonly id: number
  private readonly disk: ModelDisk
  private isClosed = false

  constructor(disk: ModelDisk, id: number, path: string) {
    this.disk = disk
    this.id = id
    this.path = path
  }

  reopen(): ModelFolder {
    this.held()
    return new ModelFolder(this.disk, this.id, this.path)
  }

  private held(): Map<string, number> {
    if (this.isClosed) throw systemError('EBADF', this.path)
    return this.disk.namesOf(this.id)
  }

  private node(name: string): { id: number; node: Node } | null {
    if (name === '' || name === '.' || name === '..' || name.includes('/'))
      throw new ReasonError('path_unsafe', { path: name, problem: 'it is not a plain name' })
    const id = this.held().get(name)
    const node = id === undefined ? undefined : this.disk.nodes.get(id)
    return id === undefined || node === undefined ? null : { id, node }
  }

  folder(name: string): Folder | null {
    const found = this.node(name)
    if (found === null) return null
    const path = posix.join(this.path, name)
    if (found.node.kind !== 'folder')
      throw new ReasonError('path_unsafe', { path, problem: 'it is not a folder' })
    return new ModelFolder(this.disk, found.id, path)
  }

  makeFolder(name: string, mode: number): boolean {
    if (this.node(name)) return false
    const node = this.disk.add({ kind: 'folder', mode, names: new Map() })
    this.disk.change('mkdir', [{ folder: this.id, name, node }])
    return true
  }

  names(): string[] {
    return [...this.held().keys()]
  }

  changedMs(): number {
    return 0
  }

  looks(): { names: string[]; marks: number[] } {
    const files = this.names().flatMap((name) => {
      const found = this.node(name)
      return found?.node.kind === 'file' ? [{ name, marks: [found.node.bytes.length, found.id, 0, 0] }] : []
    })
    return { names: files.map(({ name }) => name), marks: files.flatMap(({ marks }) => marks) }
  }

  entry(name: string): FolderEntry | null {
    const found = this.node(name)
    if (found === null) return null
    const { kind, mode } = found.node
    return { kind, mode, size: found.node.kind === 'file' ? found.node.bytes.length : 0, modifiedMs: 0 }
  }

  read(name: string, limit: number): Buffer | null {
    const found = this.node(name)
    if (found === null) return null
    const path = posix.join(this.path, name)
    if (found.node.kind !== 'file')
      throw new ReasonError('path_unsafe', { path, problem: 'it is not a plain file' })
    if (found.node.bytes.length > limit) throw new ReasonError('file_too_large', { path, limit })
    return found.node.bytes
  }

  create(name: string, mode: number): NewFile {
    if (this.node(name)) throw systemError('EEXIST', name)
    const { disk } = this
    const file: FileNode = { kind: 'file', mode, bytes: Buffer.alloc(0) }
    const node = disk.add(file)
    disk.change('create', [{ folder: this.id, name, node }])
    return {
      write: (bytes) => disk.append(node, bytes),
      setMode: (exactly) => {
        file.mode = exactly
      },
      sync: () => disk.syncFile(node),
      close: () => undefined,
    }
  }

  rename(from: string, to: string, target: Folder = this): void {
    const found = this.node(from)
    if (found === null) throw systemError('ENOENT', from)
    // `as`: every folder of a model disk is one of this class.
    const { id } = target as ModelFolder
    this.disk.change('rename', [
      { folder: id, name: to, node: found.id },
      { folder: this.id, name: from, node: null },
    ])
  }

  renameOver(from: string, to: string, same: string): boolean {
    const known = this.node(same)
    if (known === null || known.id !== this.node(to)?.id) return false
    if (from !== to) this.rename(from, to)
    return true
  }

  link(from: string, to: string): boolean {
    const found = this.node(from)
    if (found === null) throw systemError('ENOENT', from)
    if (this.node(to)) return false
    this.disk.change('link', [{ folder: this.id, name: to, node: found.id }])
    return true
  }

  unlink(name: string): boolean {
    if (this.node(name) === null) return false
    this.disk.change('unlink', [{ folder: this.id, name, node: null }])
    return true
  }

  sync(): void {
    this.disk.syncFolder(this.id)
  }

  close(): void {
    this.isClosed = true
  }

  [Symbol.dispose](): void {
    this.close()
  }
}

function systemError(code: string, name: string): Error {
  return Object.assign(new Error(`${code}: ${name}`), { code })
}
