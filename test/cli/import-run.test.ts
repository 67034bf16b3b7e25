import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot, sandbox } from '../support/sandbox.ts'
import { commit, identify, put } from './document-lab.ts'

const AGENT = { env: { CLAUDECODE: '1' } }

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

test.each([[[]], [['.']], [['checkpoints']]])(
  'in a workspace that is not trusted, import %j names a run and leaves it',
  (paths) => {
    const { box } = foundRun()
    const { runs, skipped } = box.json(['import', ...paths])
    expect(runs).toEqual([])
    expect(skipped).toMatchObject({ count: 1 })
    expect(JSON.stringify(skipped)).toContain('savepoint import checkpoints/plan-42')
  },
)

test('snapshots in another place are named with what to do', () => {
  const { box } = foundRun()
  cpSync(box.path('checkpoints'), box.path('old'), { recursive: true })
  const { skipped } = box.json(['import', 'old'])
  const problem = 'a snapshot outside checkpoints/<run>: move its folder there, or use savepoint convert'
  expect(skipped).toMatchObject({ count: 3, files: [{ problem }, { problem }, { problem }] })
})

test('an agent takes in no run that came with a repository, neither by import nor by a repair', () => {
  const { box } = foundRun()
  for (const paths of [['checkpoints/plan-42'], ['checkpoints'], []])
    expect(box.json(['import', ...paths], AGENT)).toMatchObject({ runs: [], skipped: { count: 1 } })
  box.run(['doctor', '--fix'], AGENT)
  expect(box.json(['run', 'list'])).toMatchObject({ runs: [{ place: 'disk' }] })
  box.run(['trust'])
  expect(box.json(['import'], AGENT)).toMatchObject({ runs: [{ run: 'plan-42', count: 2 }] })
})

test('a snapshot that a pull brought does not move a run of the store, unless the user names the run', () => {
  const { box: origin, from } = foundRun()
  identify(origin)
  origin.git('add', 'plan.md')
  origin.git('commit', '--quiet', '-m', 'plan')
  origin.git('clone', '--quiet', '.', `${origin.root}/clone`)
  const box = origin.elsewhere('clone')
  box.run(['trust'])
  box.json(['run', 'start', 'plan.md', '--run-id', 'plan-42'])
  const second = String(from.json(['run', 'resume', 'plan-42']).snapshotId)
  const stepOf = () => box.json(['run', 'resume', 'plan-42']).stepStatus
  const history = `checkpoints/plan-42/history`
  rmSync(origin.path('checkpoints/plan-42/latest.json'))
  for (const name of readdirSync(origin.path(history)))
    if (!name.startsWith(second)) rmSync(origin.path(history, name))
  origin.git('add', '-f', 'checkpoints')
  commit(origin, 'a snapshot')
  box.git('pull', '--quiet')
  const before = box.read('checkpoints/plan-42/latest.json')
  expect(box.json(['import'])).toMatchObject({ runs: [], known: 1 })
  expect(box.json(['import', 'checkpoints'], AGENT)).toMatchObject({ runs: [], known: 1 })
  expect(stepOf()).toBe('pending')
  expect(box.read('checkpoints/plan-42/latest.json')).toBe(before)
  expect(box.json(['import', 'checkpoints/plan-42'])).toMatchObject({ runs: [{ count: 1 }] })
  expect(stepOf()).toBe('done')
})

test('a repair does not take in what a pull brought', () => {
  const { box: origin } = foundRun()
  identify(origin)
  origin.git('add', 'plan.md')
  origin.git('commit', '--quiet', '-m', 'plan')
  origin.git('clone', '--quiet', '.', `${origin.root}/clone`)
  const box = origin.elsewhere('clone')
  box.run(['trust'])
  box.json(['run', 'start', 'plan.md', '--run-id', 'plan-42'])
  rmSync(origin.path('checkpoints/plan-42/latest.json'))
  origin.git('add', '-f', 'checkpoints')
  commit(origin, 'snapshots')
  box.git('pull', '--quiet')
  box.run(['doctor', '--fix'])
  expect(box.json(['run', 'resume', 'plan-42']).stepStatus).toBe('pending')
})

test('a run that another harness carries on is followed, and an import that was cut off goes on', () => {
  const box = sandbox()
  const history = box.path('checkpoints/plan-42/history')
  const LAST = 'cp_20260213T141500Z_a1b2.json'
  const from = join(projectRoot, 'test/fixtures/seeds/004/checkpoints/plan-42')
  cpSync(from, box.path('checkpoints/plan-42'), { recursive: true })
  const first = readdirSync(history).find((name) => name !== LAST) ?? ''
  rmSync(join(history, LAST))
  cpSync(join(history, first), box.path('checkpoints/plan-42/latest.json'))
  const take = () => box.json(['import', 'checkpoints/plan-42'])
  expect(take()).toMatchObject({ runs: [{ began: true, count: 1 }] })
  for (const name of ['latest.json', `history/${LAST}`])
    cpSync(join(from, name), box.path('checkpoints/plan-42', name))
  expect(take()).toMatchObject({ runs: [{ began: false, count: 1 }] })
  expect(take()).toMatchObject({ runs: [], known: 1 })
  expect(box.json(['run', 'resume', 'plan-42'])).toMatchObject({ stepId: 'backfill' })
  expect(box.json(['run', 'verify', 'plan-42']).problems).toEqual([])
})
