import { expect, test } from 'vitest'
import { SCENES } from './document-scenes.ts'
import { leastOf } from './sample.ts'
import { hasCompiler, type LoggedCall, type Mode } from './shim.ts'
import { type Fault, type Faulted, pointsOf, sweep } from './sweep.ts'

const LONG = 240_000
const MODES: Mode[] = ['EIO', 'ENOSPC', 'EROFS']
const inRepo = ({ path }: LoggedCall) => path.startsWith('repo/')

/** Every file call in the workspace, with the modes in turn. */
const inTurn = (calls: LoggedCall[]): Fault[] =>
  calls
    .filter(inRepo)
    .map(({ number }, index) => ({ at: number, mode: MODES[index % MODES.length] ?? 'EIO' }))

const { delta, focus, archive, new: begin } = SCENES

/** A temp that does not go away is swept by the next command; every other call is told where it fails. */
const isSilent = ({ done, hit }: Faulted) => done.code === 0 && hit?.call !== 'unlink'

test.skipIf(!hasCompiler).each(Object.entries({ delta, focus, archive, begin }))(
  '%s tells every failed file call as checkpoint_atomic_write_failed, and nothing is lost',
  { timeout: LONG },
  async (_, scene) => {
    const all = await sweep(scene, inTurn)
    expect(all.flatMap(({ wrong }) => wrong)).toEqual([])
    expect(all.filter(isSilent).map(({ hit }) => hit)).toEqual([])
    expect(all.length).toBeGreaterThanOrEqual(leastOf(10))
  },
)

test.skipIf(!hasCompiler)(
  'an archive on a disk that is read-only from some call on is finished by the next command',
  { timeout: LONG },
  async () => {
    const all = await sweep(archive, (calls) =>
      inTurn(calls)
        .filter((_, index) => index % 3 === 0)
        .map(({ at }) => ({ at, mode: 'EROFS', sticky: true })),
    )
    expect(all.flatMap(({ wrong }) => wrong)).toEqual([])
    expect(all.filter(({ done }) => done.code === 0)).toEqual([])
    expect(all.length).toBeGreaterThanOrEqual(leastOf(6))
  },
)

test.skipIf(!hasCompiler)(
  'a delta tells every failed call of the store, and nothing is lost',
  { timeout: LONG },
  async () => {
    const all = await sweep(delta, (calls) =>
      pointsOf(calls)
        .filter((call) => !inRepo(call))
        .map(({ number }) => ({ at: number, mode: 'EIO' })),
    )
    expect(all.flatMap(({ wrong }) => wrong)).toEqual([])
    expect(all.length).toBeGreaterThanOrEqual(leastOf(15))
  },
)
