import type { DocumentGist } from '../../core/checkpoint.ts'
import { nameKey, streamId } from '../../core/id.ts'
import { ReasonError } from '../../core/reason.ts'
import { ACTIVE, ARCHIVE, isArchived, isDocumentName } from '../../formats/checkpoint-md/layout.ts'
import { looksByName, openFolder } from '../../fs/disk.ts'
import { findFolder, inFolder } from '../../fs/durable.ts'
import { isLeftover } from '../../fs/guarded.ts'
import type { WorkRow } from '../../store/acts.ts'
import type { Glance } from '../../store/local-state.ts'
import { readBranchLog } from '../../workspace/branch-log.ts'
import { type GitOperation, gitOperation, type Head } from '../../workspace/git-state.ts'
import type { Place } from '../../workspace/locate.ts'
import type { Context } from '../context/context.ts'
import { foldersOf, nameOf } from '../publish/guard.ts'
import { type Here, lookHere } from '../trust/here.ts'

/** Something about a document that its user should know. */
export interface Trouble {
  path: string
  line: number
  what: string
  todo: string
  kind: 'broken' | 'conflicted' | 'twin' | 'changed'
  /** The hash of what stands there, where it was read. */
  hash?: string
}

/** The documents of a workspace: what the store knows, and what stands on the disk. */
export interface Survey extends Here {
  /** What git has under way; documents are left alone meanwhile. */
  operation: GitOperation | null
  repository: string
  rows: WorkRow[]
  /** Work whose beginning was undone: it counts as not there, and whoever begins it anew goes on after its head. */
  withdrawn: WorkRow[]
  /** How every document file looks, by its path. */
  files: ReadonlyMap<string, string>
  /** Files of ours that somebody left who died while writing. */
  leftovers: string[]
  troubles: Trouble[]
  /** Documents that came with the repository, in a workspace that is not trusted. */
  foreign: Array<{ path: string; id: string }>
}

/** One cheap look. What differs between the store and the disk is for `takeIn` to settle. */
export async function surveyDocuments(context: Context, here?: Here): Promise<Survey> {
  const { store, identity, place } = context
  const { trusted, vouched, head } = here ?? (await lookHere(context))
  const rows = await store.acts.listWork(identity.repository, identity.workspace)
  return {
    ...{ trusted, vouched, head },
    operation: gitOperation(place),
    repository: identity.repository,
    rows: withPresentParents(
      rows.filter((row) => !isWithdrawn(row)).map((row) => reopenOnBranch(place, head, row)),
      identity.repository,
    ),
    withdrawn: rows.filter(isWithdrawn),
    ...filesIn(place.root),
    foreign: [],
  }
}

function filesIn(path: string): Pick<Survey, 'files' | 'leftovers' | 'troubles'> {
  const files = new Map<string, string>()
  const leftovers: string[] = []
  const troubles: Trouble[] = []
  using root = openFolder(path)
  try {
    for (const names of [ACTIVE, ARCHIVE]) {
      using folder = findFolder(root, names)
      const prefix = `${names.join('/')}/`
      for (const [name, look] of folder ? looksByName(folder.looks()) : []) {
        if (isDocumentName(name)) files.set(prefix + name, look)
        else if (isLeftover(name)) leftovers.push(prefix + name)
      }
    }
    using shared = root.folder(ACTIVE[0])
    for (const name of shared?.names() ?? [])
      if (isLeftover(name) && shared?.entry(name)?.kind === 'file') leftovers.push(`${ACTIVE[0]}/${name}`)
  } catch (error) {
    // A link in the place of the folder leads to what is not this workspace's.
    if (!(error instanceof ReasonError)) throw error
    troubles.push({ kind: 'broken', path: ACTIVE[0], line: 1, what: error.message, todo: error.hint })
  }
  return { files, leftovers, troubles }
}

/** Paths whose file is not known to be as the store has it. */
export function unsettledPaths({ rows, files }: Survey): string[] {
  const settled: string[] = []
  for (const { view } of rows)
    if (view?.state === 'published' && view.stamp !== null && files.get(view.path) === view.stamp)
      settled.push(view.path)
  // Nearly always all of them, and no two streams have one path.
  if (settled.length === files.size) return []
  const known = new Set(settled)
  return [...files.keys()].filter((path) => !known.has(path))
}

/** How all document files look, to be compared as a whole; null where the folders are not ours to look into. */
export function glanceAt(path: string): Glance | null {
  using root = openFolder(path)
  let names = ''
  const marks: number[] = []
  try {
    for (const folders of [ACTIVE, ARCHIVE, [ACTIVE[0]]]) {
      using folder = findFolder(root, folders)
      const found = folder?.looks()
      names += `${folders.join('/')}\n${found?.names.join('\n') ?? ''}\n`
      if (found) for (const mark of found.marks) marks.push(mark)
    }
  } catch (error) {
    if (!(error instanceof ReasonError)) throw error
    return null
  }
  return { names, marks: new Uint8Array(Float64Array.from(marks).buffer) }
}

/** Whether anything has that name, also what is no document: a link, a folder. */
export const isTakenPath = ({ place }: Context, path: string): boolean =>
  inFolder(place.root, foldersOf(path), (folder) => folder.entry(nameOf(path))) !== null

const isWithdrawn = ({ position }: WorkRow) => position.gist.document?.stands === null

/** How a stream stands in this workspace. */
export type Standing = 'focused' | 'open' | 'archived'

export function standingOf({ view, focused, position }: WorkRow): Standing {
  const archived = view ? isArchived(view.path) : position.gist.document?.archived === true
  return archived ? 'archived' : focused ? 'focused' : 'open'
}

/** It was only ever saved: no document of it was made anywhere. */
export const isBare = ({ view, position }: WorkRow) =>
  view === null && (position.gist.document?.created ?? '') === ''

export const isHere = ({ files }: Pick<Survey, 'files'>, { view }: WorkRow) =>
  view !== null && files.has(view.path)

export const findRow = ({ rows }: Pick<Survey, 'rows'>, name: string) =>
  rows.find(({ stream }) => nameKey(stream.name) === nameKey(name))

/** The same among the work whose beginning was undone. */
export const findWithdrawn = ({ withdrawn }: Pick<Survey, 'withdrawn'>, name: string) =>
  findRow({ rows: withdrawn }, name)

/**
 * The work that has a name, else the one that began under it and was renamed: its id says so. For what was written down
 * before a rename: the work of a session, the parent of a document, a document on another branch.
 */
export function findFormer(survey: Pick<Survey, 'rows' | 'repository'>, name: string): WorkRow | undefined {
  const row = findRow(survey, name)
  if (row) return row
  const id = streamId(survey.repository, name)
  return survey.rows.find(({ stream }) => stream.id === id)
}

/** Whether work began under a name that nothing else has now. */
export const isFormerName = (
  survey: Pick<Survey, 'rows' | 'repository'>,
  { stream }: WorkRow,
  name: string,
) => stream.id === streamId(survey.repository, name) && findRow(survey, name) === undefined

/** The parent of a document by the name that it has now; the document may say an older one. */
function withPresentParents(rows: WorkRow[], repository: string): WorkRow[] {
  if (!rows.some(({ position }) => position.gist.document?.parent)) return rows
  const names = new Set(rows.map(({ stream }) => nameKey(stream.name)))
  return rows.map((row) => {
    const { gist } = row.position
    const parent = gist.document?.parent
    if (!gist.document || !parent || names.has(nameKey(parent))) return row
    const name = findFormer({ rows, repository }, parent)?.stream.name ?? parent
    return withGist(row, { parent: name })
  })
}

function withGist(row: WorkRow, part: Partial<DocumentGist>): WorkRow {
  const { gist } = row.position
  if (!gist.document) return row
  return { ...row, position: { ...row.position, gist: { ...gist, document: { ...gist.document, ...part } } } }
}

/** Work that was closed by a merge is open where its branch is checked out, unless that is a new one of the same name. */
function reopenOnBranch(place: Place, { branch }: Head, row: WorkRow): WorkRow {
  const { document } = row.position.gist
  if (branch === null || !document?.merged || document.branch !== branch) return row
  const [born] = readBranchLog(place, branch)
  const isNew =
    born?.old === null && born.atMs > Date.parse(row.position.at) && !born.text.endsWith(`/${branch}`)
  return isNew ? row : withGist(row, { archived: false })
}

/** The open documents on the disk that say they are the current one; there should be one at most. */
export const currentsOf = (survey: Survey): WorkRow[] =>
  survey.rows.filter((row) => row.view?.current === true && !isArchived(row.view.path) && isHere(survey, row))
