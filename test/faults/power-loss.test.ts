import { expect, test, vi } from 'vitest'
import { sha256 } from '../../src/core/canonical.ts'
import { runDeferredTasks } from '../../src/engine/context/context.ts'
import { settleRun } from '../../src/engine/runs/publish-run.ts'
import { retainRun } from '../../src/engine/runs/retain.ts'
import { takeSnapshot } from '../../src/engine/runs/take-snapshot.ts'
import type { Folder } from '../../src/fs/disk.ts'
import { findFolder } from '../../src/fs/durable.ts'
import { ModelDisk } from '../support/model-disk.ts'
import { claimPlainGone, latestVersions, startWorld, violations, type World } from './model-world.ts'
import { cutStates } from './power-cut.ts'

/** The disk that stands in for the real one, so that whole operations run on it. */
const stage = vi.hoisted(() => ({ disk: null as unknown }))
vi.mock('../../src/fs/disk.ts', async (original) => ({
  ...(await original<object>()),
  openFolder: (): Folder => (stage.disk as ModelDisk).root(),
}))

const DAY_MS = 86_400_000
const NEVER = { maxPerRun: 1_000, maxAgeDays: 1_000, compressAfterHours: 24_000 }

type Deaf = ModelDisk['deaf']
/** What happens; from its crucial moment on the disk may be deaf. */
type Story = (world: World, deaf: Deaf) => Promise<void>

async function save({ context, ports, run }: World, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    // Every fourth comes so soon that it is only noted in latest.json.
    ports.time += index % 4 === 3 ? 1_000 : 10_000
    await takeSnapshot(context, run, { kind: 'save', note: `save ${index}` })
    await runDeferredTasks(context)
  }
}

const saves: Story = async (world, deaf) => {
  world.disk.deaf = deaf
  await save(world, 40)
}

const removal: Story = async (world, deaf) => {
  await save(world, 11)
  world.disk.deaf = deaf
  const report = await retainRun(world.context, world.run, { ...NEVER, maxPerRun: 3 })
  expect(report).toMatchObject({ problem: null, kept: 3 })
  expect(report.removed).toHaveLength(7)
}

const compression: Story = async (world, deaf) => {
  await save(world, 11)
  world.ports.time += 2 * DAY_MS
  world.disk.deaf = deaf
  const report = await retainRun(world.context, world.run, { ...NEVER, compressAfterHours: 24 })
  expect(report).toMatchObject({ problem: null, kept: 10 })
  expect(report.compressed).toHaveLength(10)
  claimPlainGone(world.disk, report.compressed)
}

const STORIES = { saves, removal, compression }

async function play(story: Story, deaf: Deaf = null): Promise<World> {
  const disk = new ModelDisk()
  stage.disk = disk
  const world = await startWorld(disk)
  await story(world, deaf)
  return world
}

/** Looks at every state of both profiles, or until enough is wrong: a broken protocol leaves states without end. */
function examine({ disk }: World, enough = 50): { states: number; wrong: string[] } {
  const versions = latestVersions(disk)
  const wrong: string[] = []
  let states = 0
  for (const profile of ['weak', 'ordered'] as const)
    for (const state of cutStates(disk.trace, profile)) {
      states += 1
      for (const what of violations(state, versions)) wrong.push(`${profile}, call ${state.calls}: ${what}`)
      if (wrong.length >= enough) return { states, wrong }
    }
  return { states, wrong }
}

test.each(Object.entries(STORIES))(
  'a power cut at any call of %s loses nothing that was confirmed, shows nothing invalid [004.35] [004.40]',
  async (_, story) => {
    const { states, wrong } = examine(await play(story))
    expect(wrong).toEqual([])
    expect(states).toBeGreaterThan(400)
  },
)

test.each([
  ['saves', 'files', /is visible and invalid/],
  ['saves', 'folders', /is lost/],
  ['removal', 'folders', /is back/],
  ['compression', 'files', /\.gz is visible and invalid/],
  ['compression', 'folders', /\.gz is lost/],
] as const)('the model sees what %s lose where syncing %s does nothing', async (story, deaf, what) => {
  const { wrong } = examine(await play(STORIES[story], deaf), 200)
  expect(wrong.filter((line) => what.test(line)).length).toBeGreaterThan(0)
})

test('after a cut at any call the next command writes all that is owed, whatever lay about', async () => {
  const { disk, context, run } = await play((world) => save(world, 6))
  const views = await context.store.local.listViews({ stream: run.id })
  let states = 0
  for (const state of cutStates([...disk.trace], 'weak')) {
    for (const view of views) await context.store.local.oweView(view)
    await settleRun(context, run, state.disk.root())
    await runDeferredTasks(context)
    for (const { path, hash } of views) expect(sha256(contentAt(state.disk, path))).toBe(hash)
    states += 1
    // A broken protocol leaves states without end.
    expect(states).toBeLessThan(1_000)
  }
  expect(await context.store.local.listViews({ stream: run.id, unsettled: true })).toEqual([])
  expect(states).toBeGreaterThan(80)
})

function contentAt(disk: ModelDisk, path: string): Buffer {
  const names = path.split('/')
  const name = names.pop() ?? ''
  return findFolder(disk.root(), names)?.read(name, 1_000_000) ?? Buffer.alloc(0)
}
