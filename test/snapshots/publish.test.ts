import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openContext, settleIdentity } from '../../src/engine/context/context.ts'
import { findRun } from '../../src/engine/runs/find-run.ts'
import { publishRun } from '../../src/engine/runs/publish-run.ts'
import { lab } from './lab.ts'

test('what stands in the place of a history file that is owed is set aside, not written over [004.34]', async () => {
  const world = lab()
  await (await world.start()).close()
  const { box, ports } = world
  const context = await openContext({ cwd: box.repo, env: box.env, ports, access: 'write' })
  context.identity = await settleIdentity(context, 'write')
  try {
    const run = await findRun(context, 'r1')
    const [view] = (await context.store.local.listViews({ stream: run.id })).filter(({ path }) =>
      path.includes('/history/'),
    )
    const file = join(box.repo, view?.path ?? '')
    const right = readFileSync(file, 'utf8')
    writeFileSync(file, 'somebody else was here')
    await context.store.local.oweView({ workspace: run.workspace, path: view?.path ?? '' })
    expect(await publishRun(context, run)).toBe('published')
    expect(readFileSync(file, 'utf8')).toBe(right)
    const aside = box.path('checkpoints/r1/set-aside')
    expect(readdirSync(aside).map((name) => readFileSync(join(aside, name), 'utf8'))).toEqual([
      'somebody else was here',
    ])
  } finally {
    await context.store.close()
  }
})
