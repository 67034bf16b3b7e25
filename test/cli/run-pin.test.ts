import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Sandbox, sandbox } from '../support/sandbox.ts'

const digest = (box: Sandbox) => box.readJson('checkpoints/r1/latest.json').context_digest

test('protected_artifacts takes paths, ids and snapshots, and keeps them until they are taken out [004.11]', () => {
  const box = sandbox()
  box.start()
  mkdirSync(box.path('db'))
  writeFileSync(box.path('db/schema.sql'), '')
  const cwd = { cwd: box.path('db') }
  expect(box.json(['run', 'pin', 'r1', 'schema.sql'], cwd)).toMatchObject({ artifact: 'db/schema.sql' })
  expect(box.run(['run', 'pin', 'r1', 'art_7']).stdout).toMatch(/^Pinned art_7 in run r1 \(snapshot cp_/)
  const { snapshotId } = box.json(['run', 'pin', 'r1', 'latest'])
  box.json(['run', 'step', 'r1', 's1', 'in_progress'])
  expect(digest(box).protected_artifacts).toEqual(['db/schema.sql', 'art_7', snapshotId])
  box.json(['run', 'pin', 'r1', 'db/schema.sql', '--remove'])
  box.json(['run', 'pin', 'r1', String(snapshotId), '--remove'])
  box.json(['run', 'step', 'r1', 's1', 'done'])
  expect(digest(box).protected_artifacts).toEqual(['art_7'])
})

test('no cap takes a protected artifact out: the hundred-and-first is refused [004.11]', () => {
  const box = sandbox()
  box.start()
  for (let at = 0; at < 100; at += 1) box.json(['run', 'pin', 'r1', `art_${at}`])
  const refused = box.run(['run', 'pin', 'r1', 'art_100', '--json'])
  expect(JSON.parse(refused.stdout)).toMatchObject({ reason: 'usage_invalid' })
  expect(digest(box).protected_artifacts).toHaveLength(100)
  expect(digest(box)).toMatchObject({ dropped_items: 0 })
})

test('a file that a run protects stays in the saved work, however many came since [004.11]', () => {
  const box = sandbox()
  box.start()
  const save = (first: number, count: number) =>
    box.run(['save', '--stdin', '--json'], {
      input: JSON.stringify({
        summary: 'More files',
        files: Array.from({ length: count }, (_, at) => `src/f${first + at}.ts`),
      }),
    })
  save(0, 50)
  box.json(['run', 'pin', 'r1', join('src', 'f3.ts')])
  save(50, 100)
  const { work } = box.json(['resume'])
  // `as`: the answer of a command that is tested elsewhere.
  const paths = (work as { artifacts: Array<{ path: string }> }).artifacts.map(({ path }) => path)
  expect(paths).toHaveLength(100)
  expect(paths).toContain('src/f3.ts')
  expect(paths).not.toContain('src/f4.ts')
})
