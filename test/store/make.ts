import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { sha256 } from '../../src/core/canonical.ts'
import { type Checkpoint, type CommandOutcome, noChange, type Trigger } from '../../src/core/checkpoint.ts'
import { emptyWork } from '../../src/core/work.ts'
import type { Acts } from '../../src/store/acts.ts'
import type { ViewRow } from '../../src/store/local-state.ts'
import type { CommitResult, NewStream } from '../../src/store/log.ts'
import type { Store } from '../../src/store/store.ts'

/** What most tests of a store need: all of it but the search index. */
export type Spanned = Pick<Store, 'log' | 'local' | 'acts'>

export const AT = '2026-01-02T03:04:05.000Z'
export const LATER = '2026-01-03T03:04:05.000Z'
export const WORKSPACE = { id: 'ws_1', repository: 'repo_1', path: '/somewhere/one' }

/** A folder that is gone when the test is over. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-store-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export const newStream = (name = 'r1', repository = WORKSPACE.repository): NewStream => ({
  id: `run_${repository}_${name}`,
  repository,
  workspace: WORKSPACE.id,
  kind: 'run',
  name,
})

export const checkpointName = (stream: string, sequence: number, salt = '') =>
  `cp_20260102T030405000Z_${sequence}-${sha256(`${stream}${sequence}${salt}`).slice(0, 8)}`

export function newCheckpoint(stream: string, sequence: number, more: Partial<Checkpoint> = {}): Checkpoint {
  return {
    id: checkpointName(stream, sequence),
    stream,
    parent: sequence === 1 ? null : checkpointName(stream, sequence - 1),
    at: AT,
    triggers: [{ kind: 'manual', at: AT, note: '' }],
    progress: 'in_progress',
    work: emptyWork(),
    change: noChange(),
    health: { pressure: 'low', protected: [], dropped: 0, profile: 'default' },
    ...more,
  }
}

export const newOutcome = (name: string): CommandOutcome => ({
  kind: 'shell',
  name,
  result: 'PASS',
  duration_ms: 5,
  summary: 'exit code 0',
})

/** A file of a run, whatever it shows. */
export type StartingView = Omit<ViewRow, 'stream' | 'checkpoint'>

/** A view that is owed to the disk. */
export const newView = (path: string, content = path): StartingView => ({
  workspace: WORKSPACE.id,
  ...{ kind: 'file', path, hash: sha256(content), contentHash: sha256(content) },
  ...{ base: null, stamp: null, state: 'pending', current: false },
})

export const NOTHING_MORE = { takes: [], views: [] }

const showing = ({ id, stream }: Pick<Checkpoint, 'id' | 'stream'>, views: StartingView[]) => ({
  workspace: views[0]?.workspace ?? WORKSPACE.id,
  views: views.map((view) => ({ ...view, stream, checkpoint: id })),
})

/** Begins a stream with its first checkpoint. */
export async function beginRun(acts: Acts, stream: NewStream, first: Checkpoint, views: StartingView[]) {
  const appends = [{ checkpoint: first, after: null, foreign: false }]
  return (await acts.commit({ begins: [stream], appends, ...showing(first, views) })).done
}

export function appendTo(
  acts: Acts,
  checkpoint: Checkpoint,
  after: string,
  { takes, views }: { takes: number[]; views: StartingView[] },
): Promise<CommitResult> {
  const appends = [{ checkpoint, after, foreign: false, takes }]
  return acts.commit({ appends, ...showing(checkpoint, views) })
}

/** Notes a trigger on a head that has so many notes. */
export function noteOn(
  acts: Acts,
  stream: string,
  { head, notes }: { head: string; notes: number },
  trigger: Trigger,
  view: StartingView,
): Promise<CommitResult> {
  const note = { stream, head, number: notes, trigger }
  return acts.commit({ note, ...showing({ id: head, stream }, [view]) })
}

export async function readmitTo(acts: Acts, checkpoint: Checkpoint, sequence: number, views: StartingView[]) {
  return (await acts.commit({ readmit: { checkpoint, sequence }, ...showing(checkpoint, views) })).done
}

export const removeFrom = (acts: Acts, stream: string, checkpoints: string[], at: string) =>
  acts.commit({ workspace: WORKSPACE.id, remove: { stream, checkpoints, at } })

/** A stream with `length` checkpoints, each with one view; answers its id and theirs. */
export async function grow(
  store: Spanned,
  { name = 'r1', length = 1 } = {},
): Promise<{ stream: string; ids: string[] }> {
  await store.local.seeWorkspace(WORKSPACE, AT)
  const stream = newStream(name)
  const first = newCheckpoint(stream.id, 1)
  await beginRun(store.acts, stream, first, [newView(`${name}/1`)])
  const ids = [first.id]
  await extend(store, stream.id, ids, length, name)
  return { stream: stream.id, ids }
}

/** Appends until the stream has `length` checkpoints. */
export async function extend(
  store: Spanned,
  stream: string,
  ids: string[],
  length: number,
  name = 'r1',
): Promise<void> {
  for (let sequence = ids.length + 1; sequence <= length; sequence += 1) {
    const next = newCheckpoint(stream, sequence)
    const appended = await appendTo(store.acts, next, ids.at(-1) ?? '', {
      takes: [],
      views: [newView(`${name}/${sequence}`)],
    })
    if (!appended.done) throw new Error(`checkpoint ${sequence} found another head`)
    ids.push(next.id)
  }
}

/** Everything that a store shows of its streams, to compare two stores. */
export async function contentOf(store: Spanned): Promise<unknown> {
  const streams = await store.log.listStreams(null)
  const content = []
  for (const stream of streams) {
    const history = await store.log.readHistory(stream.id)
    const stored = []
    for (const { id } of history) stored.push(await store.log.readCheckpoint(id))
    const { pending, pinned } = await store.log.readSituation(stream.id)
    const views = await store.local.listViews({ stream: stream.id })
    content.push({ stream, stored, pending, pinned, views })
  }
  return { workspaces: await store.local.listWorkspaces(), content }
}
