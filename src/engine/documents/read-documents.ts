import { ReasonError } from '../../core/reason.ts'
import { ACTIVE, ARCHIVE, isDocumentName, MAX_DOCUMENT_BYTES } from '../../formats/checkpoint-md/layout.ts'
import { readDocument, saysCurrent } from '../../formats/checkpoint-md/read.ts'
import { readFrontMatter } from '../../formats/markdown/front-matter.ts'
import { openFolder } from '../../fs/disk.ts'
import { findFolder } from '../../fs/durable.ts'
import { nameOf } from '../publish/guard.ts'

/** A checkpoint document as it lies in a workspace. */
export interface FoundDocument {
  /** Relative to the workspace, with forward slashes. */
  path: string
  id: string
  /** The line that says its id, or the first one where none does. */
  idLine: number
  text: string
  archived: boolean
  parent: string | null
  current: boolean
  /** Why no verb takes it in as it stands, where that is so. */
  problem: { line: number; what: string } | null
}

/** Every document of a workspace, active ones first. A file that cannot be read hides only itself. */
export function readDocuments(root: string) {
  const documents: FoundDocument[] = []
  /** Files that should be documents and cannot be read. */
  const unreadable: Array<{ path: string; problem: string }> = []
  using top = openFolder(root)
  for (const names of [ACTIVE, ARCHIVE]) {
    using folder = findFolder(top, names)
    for (const name of folder?.names().sort() ?? []) {
      if (!isDocumentName(name)) continue
      const path = [...names, name].join('/')
      try {
        const bytes = folder?.read(name, MAX_DOCUMENT_BYTES)
        if (bytes) documents.push(describeDocument(path, bytes, names === ARCHIVE))
      } catch (error) {
        if (!(error instanceof ReasonError)) throw error
        unreadable.push({ path, problem: error.message })
      }
    }
  }
  return { documents, unreadable }
}

/** What a document says of itself; its file name is its id where it says none. */
export function describeDocument(path: string, bytes: Buffer, archived: boolean): FoundDocument {
  const fileName = nameOf(path)
  const reading = readDocument(bytes, fileName)
  const text = bytes.toString('utf8')
  const front = readFrontMatter(text)
  const isSound = reading.state === 'whole' || reading.state === 'other'
  return {
    path,
    id: front?.fields.get('checkpoint')?.value || fileName.replace(/\.md$/i, ''),
    idLine: front?.fields.get('checkpoint')?.line ?? 1,
    text,
    archived,
    parent: front?.fields.get('parent')?.value || null,
    current: front !== null && saysCurrent(front),
    problem: isSound ? null : { line: reading.line, what: reading.problem },
  }
}
