import { expect, test } from 'vitest'
import { ARCHIVE_IN_GIT, SCENES } from './document-scenes.ts'
import { leastOf } from './sample.ts'
import { hasCompiler, type LoggedCall } from './shim.ts'
import { type Fault, pointsOf, type Scene, sweep } from './sweep.ts'

const LONG = 240_000
const inRepo = ({ path }: LoggedCall) => path.startsWith('repo/')

/** Dead before every call, and in the middle of every write to the workspace. */
function everywhere(calls: LoggedCall[]): Fault[] {
  // Git counts its own calls from one again: each number is taken once.
  const numbers = new Set(pointsOf(calls).map(({ number }) => number))
  return [...[...numbers].map((at): Fault => ({ at, mode: 'kill' })), ...torn(calls)]
}

const torn = (calls: LoggedCall[]): Fault[] =>
  calls
    .filter((call) => inRepo(call) && call.call === 'write')
    .map(({ number }) => ({ at: number, mode: 'torn' }))

/** The store's calls are those of a delta: only what is done to the workspace is another. */
const inWorkspace = (calls: LoggedCall[]): Fault[] => [
  ...calls.filter(inRepo).map(({ number }): Fault => ({ at: number, mode: 'kill' })),
  ...torn(calls),
]

async function expectSound(
  scene: Scene,
  choose: (calls: LoggedCall[]) => Fault[],
  floor: number,
): Promise<void> {
  const all = await sweep(scene, choose)
  expect(all.flatMap(({ wrong }) => wrong)).toEqual([])
  expect(all.length).toBeGreaterThanOrEqual(leastOf(floor))
  expect(all.filter(({ hit }) => hit?.path.includes('/checkpoints/')).length).toBeGreaterThanOrEqual(
    leastOf(10),
  )
}

const { compress, 'restore of a point': restore, ...others } = SCENES
const FLOORS = { delta: 25, focus: 38, archive: 40, 'restore from the archive': 25, new: 35 }

test.skipIf(!hasCompiler).each(Object.entries(others))(
  '%s survives a kill at every call: old or new, never neither, nothing twice [000.76]',
  { timeout: LONG },
  async (verb, scene) => {
    const floors: Record<string, number> = FLOORS
    await expectSound(scene, everywhere, floors[verb] ?? 0)
  },
)

test.skipIf(!hasCompiler).each(Object.entries({ compress, restore }))(
  '%s survives a kill at every call to the workspace: old or new, never neither',
  { timeout: LONG },
  async (_, scene) => {
    await expectSound(scene, inWorkspace, 10)
  },
)

test.skipIf(!hasCompiler)(
  'archive of a tracked document survives a kill at every call to the workspace, and git follows it [000.84]',
  { timeout: LONG },
  async () => {
    await expectSound(ARCHIVE_IN_GIT, inWorkspace, 20)
  },
)
