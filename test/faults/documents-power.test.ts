import { expect, test, vi } from 'vitest'
import { defaultSettings } from '../../src/config/settings.ts'
import { sha256 } from '../../src/core/canonical.ts'
import { instant } from '../../src/core/ports.ts'
import type { Context } from '../../src/engine/context/context.ts'
import { defaultConfig } from '../../src/engine/context/load-settings.ts'
import { bringUpToDate } from '../../src/engine/documents/bring-up-to-date.ts'
import { lookHere } from '../../src/engine/trust/here.ts'
import type { Folder } from '../../src/fs/disk.ts'
import { findFolder } from '../../src/fs/durable.ts'
import { isLeftover } from '../../src/fs/guarded.ts'
import { markKind } from '../../src/policy/redact.ts'
import type { DocumentCommit } from '../../src/store/acts.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { archive } from '../../src/verbs/documents/archive.ts'
import { delta } from '../../src/verbs/documents/delta.ts'
import { focus } from '../../src/verbs/documents/focus.ts'
import { newVerb } from '../../src/verbs/documents/new.ts'
import { homeAt } from '../../src/workspace/home.ts'
import { ModelDisk } from '../support/model-disk.ts'
import { testPorts } from '../support/ports.ts'
import { cutStates } from './power-cut.ts'

/** The disk that stands in for the real one, so that whole operations run on it. */
const stage = vi.hoisted(() => ({ disk: null as unknown }))
vi.mock('../../src/fs/disk.ts', async (original) => ({
  ...(await original<object>()),
  // `as`: every test puts a model disk here first.
  openFolder: (): Folder => (stage.disk as ModelDisk).root(),
}))

const LIMIT = 1_000_000
const PLACES = ['checkpoints/active', 'checkpoints/archive', 'checkpoints'] as const
const WORKSPACE = 'ws_1'

interface World {
  disk: ModelDisk
  context: Context
  /** The last commit that owes something to the disk: what a cut can leave undone. */
  owing: () => DocumentCommit
}

/** A workspace on a model disk, with a store in memory that never loses what it committed. */
async function startWorld(): Promise<World> {
  const disk = new ModelDisk()
  stage.disk = disk
  const ports = testPorts()
  const store = openSqliteStore({ path: ':memory:', ports, locksFolder: null })
  const { commit } = store.acts
  let last: DocumentCommit = { workspace: WORKSPACE }
  store.acts.commit = (change) => {
    if ((change.views ?? []).some(({ state }) => state === 'pending')) last = change
    return commit.call(store.acts, change)
  }
  const context: Context = {
    cwd: '/model',
    ports,
    home: homeAt('/model-home'),
    store,
    mark: markKind,
    file: null,
    place: { root: '/model', git: null },
    identity: { repository: 'repo_1', workspace: WORKSPACE },
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
  await store.local.seeWorkspace(
    { id: WORKSPACE, repository: 'repo_1', path: '/model' },
    instant(ports.now()),
  )
  const begin = { parent: undefined, anchor: undefined }
  await newVerb.perform(context, { ...begin, name: 'old', current: false })
  await finish(context, 'old', 'Older')
  await newVerb.perform(context, { ...begin, name: 'side', current: false })
  await newVerb.perform(context, { ...begin, name: 'auth', current: true })
  return { disk, context, owing: () => last }
}

const finish = (context: Context, id: string, learning: string) =>
  archive.perform(context, { id, outcome: 'Live', learning: [learning], force: false })

const VERBS = {
  delta: (context: Context) =>
    delta.perform(context, {
      ...{
        id: 'auth',
        what: 'A step',
        artifact: ['a.ts:created:x'],
        transition: [],
        stdin: false,
        trigger: undefined,
      },
    }),
  focus: (context: Context) => focus.perform(context, { id: 'side', clear: false }),
  archive: (context: Context) => finish(context, 'auth', 'Tokens rotate'),
  new: (context: Context) =>
    newVerb.perform(context, { name: 'fresh', parent: undefined, anchor: undefined, current: true }),
}

/** Every document and the learnings, by their paths. */
function textsOf(disk: ModelDisk): Map<string, string> {
  const texts = new Map<string, string>()
  for (const place of PLACES) {
    const folder = findFolder(disk.root(), place.split('/'))
    for (const name of folder?.names() ?? [])
      if (/^[^.].*\.md$/.test(name))
        texts.set(`${place}/${name}`, folder?.read(name, LIMIT)?.toString('utf8') ?? '')
  }
  return texts
}

const tempsOf = (disk: ModelDisk): string[] =>
  PLACES.flatMap((place) => {
    const folder = findFolder(disk.root(), place.split('/'))
    return folder === null ? [] : folder.names().filter(isLeftover)
  })

/** Files that are neither as before nor as after, and documents that have no place any more. */
function violations(
  now: Map<string, string>,
  old: Map<string, string>,
  after: Map<string, string>,
): string[] {
  const wrong: string[] = []
  for (const path of new Set([...now.keys(), ...old.keys(), ...after.keys()]))
    if (![old.get(path), after.get(path)].includes(now.get(path)))
      wrong.push(`${path} is neither old nor new`)
  const names = [...now.keys()].map((path) => path.replace(/^.*\//, ''))
  for (const path of old.keys())
    if (!names.includes(path.replace(/^.*\//, ''))) wrong.push(`${path} is nowhere`)
  return wrong
}

interface Played extends World {
  old: Map<string, string>
  after: Map<string, string>
  /** How long the trace was before the verb; earlier cuts are not of it. */
  start: number
}

/** Does the verb, on a disk whose fsync may be deaf; what was confirmed is marked in the trace. */
async function play(verb: keyof typeof VERBS, deaf: ModelDisk['deaf'] = null): Promise<Played> {
  const world = await startWorld()
  const { disk, context } = world
  const old = textsOf(disk)
  const start = disk.trace.length
  disk.deaf = deaf
  await VERBS[verb](context)
  disk.ack('confirmed')
  return { ...world, old, start, after: textsOf(disk) }
}

function* cuts({ disk, start }: Played) {
  for (const profile of ['weak', 'ordered'] as const)
    for (const state of cutStates(disk.trace, profile)) if (state.calls >= start) yield state
}

function examine(played: Played, enough = 50): { states: number; wrong: string[] } {
  const { old, after } = played
  const wrong: string[] = []
  let states = 0
  for (const { acks, disk } of cuts(played)) {
    states += 1
    wrong.push(...violations(textsOf(disk), acks.includes('confirmed') ? after : old, after))
    if (wrong.length >= enough) break
  }
  return { states, wrong }
}

const LEAST = { delta: 15, focus: 30, archive: 30, new: 30 }
const each = Object.keys(VERBS) as Array<keyof typeof VERBS>

test.each(each)(
  'a power cut at any call of %s leaves the old or the new, and the new once it is confirmed',
  async (verb) => {
    const { states, wrong } = examine(await play(verb))
    expect(wrong).toEqual([])
    expect(states).toBeGreaterThanOrEqual(LEAST[verb])
  },
)

test.each([
  ['delta', 'files'],
  ['delta', 'folders'],
  ['archive', 'files'],
  ['archive', 'folders'],
] as const)('the model sees what %s loses where syncing %s does nothing', async (verb, deaf) => {
  const { wrong } = examine(await play(verb, deaf))
  expect(wrong.length).toBeGreaterThan(0)
})

test.each(each)(
  'after a power cut at any call of %s the next command writes all that is owed, once',
  async (verb) => {
    const played = await play(verb)
    const { context, after, owing } = played
    const { store } = context
    const { views = [] } = owing()
    let states = 0
    for (const { disk } of cuts(played)) {
      // What only notes what the disk shows may be undone by the cut as well: all of it is owed again.
      await store.acts.commit({ workspace: WORKSPACE, views })
      stage.disk = disk
      await bringUpToDate(context, await lookHere(context))
      expect(textsOf(disk)).toEqual(after)
      expect(await store.local.listOwedViews(WORKSPACE)).toEqual([])
      expect(tempsOf(disk)).toEqual([])
      states += 1
      // A broken protocol leaves states without end.
      expect(states).toBeLessThan(1_000)
    }
    expect(states).toBeGreaterThanOrEqual(LEAST[verb])
    for (const { view } of await store.acts.listWork('repo_1', WORKSPACE))
      expect(sha256(after.get(view?.path ?? '') ?? '')).toBe(view?.hash)
  },
)
