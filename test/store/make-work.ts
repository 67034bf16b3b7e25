import { sha256 } from '../../src/core/canonical.ts'
import type { Checkpoint } from '../../src/core/checkpoint.ts'
import { streamId } from '../../src/core/id.ts'
import type { DocumentCommit } from '../../src/store/acts.ts'
import type { ViewRow } from '../../src/store/local-state.ts'
import type { NewStream } from '../../src/store/log.ts'
import { AT, newCheckpoint, type Spanned, WORKSPACE } from './make.ts'

/** A second worktree of the same repository. */
export const BESIDE = { id: 'ws_2', repository: WORKSPACE.repository, path: '/somewhere/two' }

export const newWork = (name = 'auth', repository = WORKSPACE.repository): NewStream => ({
  id: streamId(repository, name),
  repository,
  workspace: WORKSPACE.id,
  kind: 'work',
  name,
})

export const pathOf = (name: string, folder = 'active') => `checkpoints/${folder}/${name}.md`
export const textOf = (name: string, sequence: number) => `---\ncheckpoint: ${name}\n---\n\nat ${sequence}\n`
export const hashOf = (name: string, sequence: number) => sha256(textOf(name, sequence))

export function newPoint(name: string, sequence: number, more: Partial<Checkpoint> = {}): Checkpoint {
  const document = { hash: hashOf(name, sequence), created: AT, parent: null }
  return newCheckpoint(streamId(WORKSPACE.repository, name), sequence, { document, ...more })
}

/** A document row that is settled, unless `more` says otherwise. */
export const newDocument = (name: string, sequence: number, more: Partial<ViewRow> = {}): ViewRow => ({
  workspace: WORKSPACE.id,
  kind: 'document',
  stream: streamId(WORKSPACE.repository, name),
  path: pathOf(name),
  checkpoint: newPoint(name, sequence).id,
  hash: hashOf(name, sequence),
  contentHash: hashOf(name, sequence),
  base: null,
  stamp: null,
  state: 'published',
  current: false,
  ...more,
})

/** The same where it is to go from a place. */
export const leavingFrom = (path: string, name: string, sequence: number): ViewRow =>
  newDocument(name, sequence, { path, state: 'leaving' })

/** Learnings that are owed to the file of all. */
export const newEntry = (
  name: string,
  sequence: number,
  path = `checkpoints/LEARNINGS.md#${name}`,
): ViewRow =>
  newDocument(name, sequence, { kind: 'entry', path, hash: '', contentHash: '', state: 'pending' })

/** What one more version of a document changes: the checkpoint, its text, its version and its place. */
export function step(
  name: string,
  sequence: number,
  { foreign = false, workspace = WORKSPACE.id, view = {} as Partial<ViewRow> } = {},
): DocumentCommit {
  const checkpoint = newPoint(name, sequence)
  const { stream, id } = checkpoint
  const hash = hashOf(name, sequence)
  return {
    workspace,
    begins: sequence === 1 ? [newWork(name)] : [],
    appends: [{ checkpoint, after: checkpoint.parent, foreign }],
    texts: [{ hash, text: textOf(name, sequence) }],
    versions: [{ stream, hash, checkpoint: id, current: false, problem: null }],
    views: [newDocument(name, sequence, view)],
  }
}

/** A work stream with `length` checkpoints, and its document in the first workspace; answers its id and theirs. */
export async function growWork(
  store: Spanned,
  { name = 'auth', length = 1, from = 1, foreign = false } = {},
): Promise<{ stream: string; ids: string[] }> {
  for (const workspace of [WORKSPACE, BESIDE]) await store.local.seeWorkspace(workspace, AT)
  for (let sequence = from; sequence <= length; sequence += 1) {
    const committed = await store.acts.commit(step(name, sequence, { foreign }))
    if (!committed.done) throw new Error(`version ${sequence} of ${name}: ${committed.why}`)
  }
  const ids = Array.from({ length }, (_, index) => newPoint(name, index + 1).id)
  return { stream: newWork(name).id, ids }
}

/** Everything that a store shows of its documents, to compare two stores. */
export async function documentsOf(store: Spanned): Promise<unknown> {
  const seen = []
  for (const workspace of [WORKSPACE, BESIDE])
    seen.push({
      work: (await store.acts.listWork(workspace.repository, workspace.id)).toSorted((a, b) =>
        a.stream.name < b.stream.name ? -1 : 1,
      ),
      owed: await store.local.listOwedViews(workspace.id),
      trust: await store.local.readTrust(workspace.id, workspace.path),
      views: await store.local.listViews({ workspace: workspace.id }),
    })
  const streams = []
  for (const stream of (await store.log.listStreams(null, 'work')).toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  )) {
    const points = []
    for (const { id } of await store.log.readHistory(stream.id)) {
      const point = await store.log.readCheckpoint(id)
      const hash = point?.state === 'whole' ? (point.checkpoint.document?.hash ?? '') : ''
      points.push({
        point,
        version: await store.log.findVersion(stream.id, hash),
        text: await store.log.readText(hash),
      })
    }
    streams.push({ stream, points })
  }
  return { seen, streams }
}

/** The names of the streams that a workspace has in focus. */
export const focusedIn = async (store: Spanned, workspace = WORKSPACE.id) =>
  (await store.acts.listWork(WORKSPACE.repository, workspace))
    .filter(({ focused }) => focused)
    .map(({ stream }) => stream.name)

/** A stream as a workspace sees it. */
export const rowOf = async (store: Spanned, name = 'auth', workspace = WORKSPACE.id) =>
  (await store.acts.listWork(WORKSPACE.repository, workspace)).find(({ stream }) => stream.name === name)
