import { ReasonError } from '../../core/reason.ts'
import { readFrontMatter } from '../../formats/checkpoint-md/front-matter.ts'
import { ACTIVE, ARCHIVE } from '../../formats/checkpoint-md/layout.ts'
import { openFolder } from '../../fs/disk.ts'
import { findFolder } from '../../fs/durable.ts'

/** No document of a person comes near this; what is larger is not read into memory. */
export const MAX_DOCUMENT_BYTES = 2 * 1024 * 1024

/** A checkpoint document as it lies in a workspace. */
export interface FoundDocument {
  path: string
  id: string
  text: string
  archived: boolean
  parent: string | null
  current: boolean
}

/** A file that should be a document and cannot be read. */
export interface Unreadable {
  path: string
  problem: string
}

/** Every document of a workspace, active ones first. A file that cannot be read hides only itself. */
export function readDocuments(root: string): { documents: FoundDocument[]; unreadable: Unreadable[] } {
  const documents: FoundDocument[] = []
  const unreadable: Unreadable[] = []
  const top = openFolder(root)
  try {
    for (const names of [ACTIVE, ARCHIVE]) {
      const folder = findFolder(top, names)
      try {
        for (const name of folder?.names().sort() ?? []) {
          if (!/\.md$/i.test(name) || /^index\.md$/i.test(name)) continue
          const path = [...names, name].join('/')
          try {
            const bytes = folder?.read(name, MAX_DOCUMENT_BYTES)
            if (bytes) documents.push(describeDocument(path, bytes.toString('utf8'), names === ARCHIVE))
          } catch (error) {
            if (!(error instanceof ReasonError)) throw error
            unreadable.push({ path, problem: error.message })
          }
        }
      } finally {
        folder?.close()
      }
    }
  } finally {
    top.close()
  }
  return { documents, unreadable }
}

/** What a document says of itself; its file name is its id where it says none. */
export function describeDocument(path: string, text: string, archived: boolean): FoundDocument {
  const fields = readFrontMatter(text)?.fields
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/i, '')
  return {
    path,
    id: fields?.get('checkpoint')?.value || name,
    text,
    archived,
    parent: fields?.get('parent')?.value || null,
    current: fields?.get('status')?.value === 'current',
  }
}

export const isArchivePath = (path: string) => path.split(/[\\/]/).includes('archive')
