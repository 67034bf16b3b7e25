import { defaultSettings } from '../../src/config/settings.ts'
import { sha256 } from '../../src/core/canonical.ts'
import { instant } from '../../src/core/ports.ts'
import type { Context } from '../../src/engine/context/context.ts'
import { defaultConfig } from '../../src/engine/context/load-settings.ts'
import { readHistory } from '../../src/engine/runs/read-run-folder.ts'
import { startRun } from '../../src/engine/runs/start-run.ts'
import { decodePlan } from '../../src/formats/plan/codec.ts'
import { decodeSnapshot, MAX_SNAPSHOT_BYTES } from '../../src/formats/snapshot/codec.ts'
import {
  HISTORY_FOLDER,
  historyPath,
  LATEST,
  latestPath,
  runFolder,
  snapshotOfName,
} from '../../src/formats/snapshot/layout.ts'
import type { Folder } from '../../src/fs/disk.ts'
import { findFolder } from '../../src/fs/durable.ts'
import { markKind } from '../../src/policy/redact.ts'
import type { ViewRow } from '../../src/store/local-state.ts'
import type { Stream } from '../../src/store/log.ts'
import { openSqliteStore, type SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { homeAt } from '../../src/workspace/home.ts'
import type { ModelDisk } from '../support/model-disk.ts'
import { type TestPorts, testPorts } from '../support/ports.ts'
import { PLAN } from '../support/sandbox.ts'
import type { CutState } from './power-cut.ts'

const RUN = 'r1'

/** A run on a model disk, with a store in memory that never loses anything. */
export interface World {
  disk: ModelDisk
  context: Context
  ports: TestPorts
  run: Stream
}

/** What the store may hold as true once a command of it was called: the disk must never contradict it. */
interface Claim {
  path: string
  is: 'there' | 'leaving' | 'gone'
  hash: string
}

export async function startWorld(disk: ModelDisk): Promise<World> {
  const ports = testPorts()
  const store = watched(openSqliteStore({ path: ':memory:', ports, locksFolder: null }), disk)
  const context: Context = {
    cwd: '/model',
    ports,
    home: homeAt('/model-home'),
    store,
    mark: markKind,
    file: null,
    place: { root: '/model', git: null },
    identity: { repository: 'repo_1', workspace: 'ws_1' },
    settings: defaultSettings(),
    config: defaultConfig(),
    writeOutput: () => undefined,
    readInput: () => Promise.reject(new Error('no input')),
    notices: [],
    afterwards: [],
    ask: null,
    agents: [],
    speaker: 'user',
    session: null,
    verb: null,
    act: null,
    env: {},
    progress: () => undefined,
  }
  await store.local.seeWorkspace({ id: 'ws_1', repository: 'repo_1', path: '/model' }, instant(ports.now()))
  const { run } = await startRun(context, decodePlan(PLAN, 'plan.md'), RUN)
  return { disk, context, ports, run }
}

export const claim = (disk: ModelDisk, path: string, is: Claim['is'], hash = '') =>
  disk.ack(JSON.stringify({ path, is, hash } satisfies Claim))

/** The store itself, with a mark in the trace right before it takes each statement about a file as true. */
function watched(store: SqliteStore, disk: ModelDisk): SqliteStore {
  const note = (rows: Array<Pick<ViewRow, 'path'> & { hash?: string }>, is: Claim['is']) => {
    for (const { path, hash } of rows) claim(disk, path, is, hash)
  }
  const { markPublished, replaceView, forgetViews } = store.local
  const { commit } = store.acts
  store.local.markPublished = (views) => {
    note(views, 'there')
    return markPublished.call(store.local, views)
  }
  store.local.replaceView = (old, view) => {
    note([view], 'there')
    note([old], 'leaving')
    return replaceView.call(store.local, old, view)
  }
  store.acts.commit = async (change) => {
    const { stream = '', checkpoints = [] } = change.remove ?? {}
    const views = checkpoints.length === 0 ? [] : await store.local.listViews({ stream })
    note(
      views.filter(({ checkpoint }) => checkpoints.includes(checkpoint)),
      'leaving',
    )
    return commit(change)
  }
  store.local.forgetViews = (views) => {
    note(views, 'gone')
    return forgetViews.call(store.local, views)
  }
  return store
}

/** Every content that `latest.json` was said to have, oldest first. */
export const latestVersions = (disk: ModelDisk): string[] =>
  disk.trace
    .flatMap((call) => (call.kind === 'ack' ? [claimOf(call.label)] : []))
    .filter(({ path }) => path === latestPath(RUN))
    .map(({ hash }) => hash)

// `as`: written by `claim` and by nobody else.
const claimOf = (label: string) => JSON.parse(label) as Claim

/** Everything that is wrong with a disk after a cut, given what had been promised by then. */
export function violations({ disk, acks }: CutState, versions: string[]): string[] {
  const run = findFolder(disk.root(), runFolder(RUN))
  const history = run?.folder(HISTORY_FOLDER) ?? null
  const claims = new Map(acks.map(claimOf).map((made) => [made.path, made]))
  return [
    ...[...claims.values()].flatMap((made) => broken(made, run, history, versions)),
    ...invalid(run, [LATEST]),
    ...invalid(history, history?.names().filter((name) => snapshotOfName(name) !== null) ?? []),
    ...hidden(run, [...claims.values()]),
  ]
}

function broken({ path, is, hash }: Claim, run: Folder | null, history: Folder | null, versions: string[]) {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const bytes = (name === LATEST ? run : history)?.read(name, MAX_SNAPSHOT_BYTES) ?? null
  if (is === 'leaving') return []
  if (is === 'gone') return bytes === null ? [] : [`${path} is back`]
  if (bytes === null) return [`${path} is lost`]
  const found = sha256(bytes)
  const isRight = name === LATEST ? versions.indexOf(found) >= versions.indexOf(hash) : found === hash
  return isRight ? [] : [`${path} is not what was confirmed`]
}

function invalid(folder: Folder | null, names: string[]): string[] {
  return names.flatMap((name) => {
    const bytes = folder?.read(name, MAX_SNAPSHOT_BYTES) ?? null
    if (bytes === null) return []
    try {
      const { snapshot_id } = decodeSnapshot(bytes, name)
      return name === LATEST || snapshotOfName(name)?.snapshot === snapshot_id ? [] : [`${name} is another`]
    } catch (error) {
      return [`${name} is visible and invalid: ${String(error)}`]
    }
  })
}

/** The product's own reader must find every snapshot that was promised in one form, and the one in latest.json. */
function hidden(run: Folder | null, claims: Claim[]): string[] {
  const found = new Set(run === null ? [] : readHistory(run).map(({ document }) => document.snapshot_id))
  const latest = run?.read(LATEST, MAX_SNAPSHOT_BYTES) ?? null
  const wanted = claims
    .filter(({ is }) => is === 'there')
    .map(({ path }) => snapshotOfName(path.slice(path.lastIndexOf('/') + 1))?.snapshot)
  if (latest !== null && invalid(run, [LATEST]).length === 0)
    wanted.push(decodeSnapshot(latest, LATEST).snapshot_id)
  return wanted.flatMap((id) => (id === undefined || found.has(id) ? [] : [`${id} is not in the history`]))
}

/** Says that a compressed snapshot's plain file is gone for good. */
export const claimPlainGone = (disk: ModelDisk, snapshots: string[]) => {
  for (const snapshot of snapshots) claim(disk, historyPath(RUN, snapshot), 'gone')
}
