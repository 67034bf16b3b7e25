import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sandbox } from '../support/sandbox.ts'
import { put } from './document-lab.ts'

/** A run folder that another store wrote, in a workspace of its own. */
function foundRun() {
  const from = sandbox()
  put(from, 'plan.md', '- [ ] Load\n- [ ] Parse\n')
  from.json(['run', 'start', 'plan.md', '--run-id', 'plan-42'])
  from.json(['run', 'step', 'plan-42', 'step-1', 'done'])
  const box = sandbox()
  put(box, 'plan.md', '- [ ] Load\n- [ ] Parse\n')
  cpSync(from.path('checkpoints'), box.path('checkpoints'), { recursive: true })
  return { box, from }
}

test('a run folder becomes a run of the store, once', () => {
  const { box } = foundRun()
  expect(box.json(['import', '--dry-run', 'checkpoints/plan-42']).runs).toEqual([
    { run: 'plan-42', began: true, count: null },
  ])
  expect(box.json(['import', 'checkpoints/plan-42'])).toMatchObject({
    runs: [{ run: 'plan-42', began: true, count: 2 }],
  })
  expect(box.json(['import', 'checkpoints/plan-42'])).toMatchObject({ runs: [], known: 1 })
  expect(box.json(['run', 'verify', 'plan-42']).problems).toEqual([])
  expect(box.json(['run', 'step', 'plan-42', 'step-2', 'done'])).toMatchObject({ sequence: 3 })
})

test('a snapshot whose checksum is wrong is not taken', () => {
  const { box } = foundRun()
  const latest = box.path('checkpoints/plan-42/latest.json')
  rmSync(box.path('checkpoints/plan-42/history'), { recursive: true })
  writeFileSync(latest, readFileSync(latest, 'utf8').replace('"step-1"', '"step-2"'))
  const { runs, skipped } = box.json(['import', 'checkpoints/plan-42'])
  expect(runs).toEqual([])
  expect(skipped).toMatchObject({ count: 1 })
})

test('without paths, in a workspace that is not trusted, a run is named and left', () => {
  const { box } = foundRun()
  const { runs, skipped } = box.json(['import'])
  expect(runs).toEqual([])
  expect(skipped).toMatchObject({ files: [{ path: 'checkpoints/plan-42/latest.json' }] })
})

test('snapshots in another place are named with what to do', () => {
  const { box } = foundRun()
  cpSync(box.path('checkpoints'), box.path('old'), { recursive: true })
  const { skipped } = box.json(['import', 'old'])
  const problem =
    'a snapshot that is not in checkpoints/<run>: move its folder there, or use savepoint convert'
  expect(skipped).toMatchObject({ count: 3, files: [{ problem }, { problem }, { problem }] })
})
