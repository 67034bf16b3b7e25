/** Where documents are, below the workspace: folder names. */
export const ACTIVE = ['checkpoints', 'active'] as const
export const ARCHIVE = ['checkpoints', 'archive'] as const
export const LEARNINGS_FILE = 'LEARNINGS.md'
export const LEARNINGS_PATH = `checkpoints/${LEARNINGS_FILE}`

export const activePath = (name: string) => [...ACTIVE, `${name}.md`].join('/')
export const archivePath = (name: string) => [...ARCHIVE, `${name}.md`].join('/')
const ARCHIVE_PREFIX = `${ARCHIVE.join('/')}/`
export const isArchived = (path: string) => path.startsWith(ARCHIVE_PREFIX)
/** The entry of one stream in the shared file of learnings. */
export const entryPath = (name: string) => `${LEARNINGS_PATH}#${name}`
/** Files of the folder that are no documents. */
export const isDocumentName = (name: string) =>
  /\.md$/i.test(name) && !name.startsWith('.') && !/^index\.md$/i.test(name)

/** No document of a person comes near this; what is larger is not read into memory. */
export const MAX_DOCUMENT_BYTES = 2 * 1024 * 1024
