import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { contents } from '../store/ailing.ts'
import { projectRoot, type Sandbox, sandbox } from '../support/sandbox.ts'

const AGENT = { env: { CLAUDECODE: '1' } }
const LATEST = 'checkpoints/plan-42/latest.json'

/** A workspace in which another harness has left a run, with files as the contract shows them. */
function withRun(): Sandbox {
  const box = sandbox()
  const from = join(projectRoot, 'test/fixtures/seeds/004/checkpoints')
  cpSync(from, box.path('checkpoints'), { recursive: true })
  return box
}

const HERE = {
  ...{ runId: 'plan-42', place: 'disk', status: 'in_progress', stepId: 'backfill' },
  ...{ snapshots: 2, updatedAt: '2026-02-13T14:15:00Z', latest: LATEST },
}

test('a run that only its files hold is listed beside those of the store, with the way to take it in [004.33]', () => {
  const box = withRun()
  expect(box.json(['run', 'list'])).toMatchObject({ runs: [HERE] })
  box.start()
  const { runs } = box.json(['run', 'list'])
  expect(runs).toMatchObject([{ runId: 'r1', place: 'store' }, HERE])
  const said = box.run(['run', 'list']).stdout
  expect(said).toMatch(/r1 +in_progress .* store\n/)
  expect(said).toMatch(/plan-42 +in_progress +backfill +- +2 +2026-02-13 14:15 +disk/)
  expect(said).toContain('plan-42 is only on disk. Import: savepoint import checkpoints/plan-42\n')
})

test('it is resumed and shown from its files, and nothing is written [004.33]', () => {
  const box = withRun()
  const before = contents(box.path('checkpoints'))
  expect(box.json(['run', 'resume', 'plan-42'])).toMatchObject({
    ...{ runId: 'plan-42', place: 'disk', status: 'in_progress', eligible: true },
    ...{ planPath: 'plans/plan-42.md', stepId: 'backfill', stepStatus: 'in_progress' },
    ...{ nextActions: ['continue backfill'], snapshotId: 'cp_20260213T141500Z_a1b2' },
  })
  const said = box.run(['run', 'resume', 'plan-42']).stdout
  expect(said).toContain('Plan plans/plan-42.md, at backfill (in_progress)\n')
  expect(said).toContain('Import: savepoint import checkpoints/plan-42\n')
  const shown = box.json(['run', 'show', 'plan-42', 'cp_20260213T141000Z_9f00'])
  expect(shown).toMatchObject({ place: 'disk', snapshot: { step_state: { step_id: 'schema' } } })
  const { snapshots } = box.json(['run', 'show', 'plan-42', '--history'])
  expect(snapshots).toMatchObject([{ status: 'in_progress' }, { snapshotId: 'cp_20260213T141500Z_a1b2' }])
  expect(contents(box.path('checkpoints'))).toEqual(before)
})

test('status names it, with the way to take it in, until it is in the store [004.33]', () => {
  const box = withRun()
  const line =
    /^Runs +plan-42 in_progress at backfill, \d+ days ago, on disk, not in the store: savepoint import checkpoints\/plan-42$/m
  expect(box.run(['status']).stdout).toMatch(line)
  expect(box.run(['status'], AGENT).stdout).not.toContain('plan-42')
  box.json(['import', 'checkpoints/plan-42'])
  expect(box.run(['status']).stdout).toMatch(
    /^Runs +plan-42 in_progress at backfill, 1\/2 steps, \d+ days ago$/m,
  )
})

test('what would write to it is refused, with the way to take it in', () => {
  const box = withRun()
  const refused = box.run(['run', 'step', 'plan-42', 'backfill', 'done', '--json'])
  expect(JSON.parse(refused.stdout)).toMatchObject({
    reason: 'run_not_taken_in',
    hint: expect.stringContaining('savepoint import checkpoints/plan-42'),
  })
})

test('a damaged latest.json of such a run is stepped over and left as it is [004.40]', () => {
  const box = withRun()
  writeFileSync(box.path(LATEST), box.read(LATEST).replace('"backfill"', '"switch"'))
  const changed = readFileSync(box.path(LATEST))
  const { stdout, stderr } = box.run(['run', 'resume', 'plan-42', '--json'])
  expect(JSON.parse(stdout)).toMatchObject({ snapshotId: 'cp_20260213T141500Z_a1b2', stepId: 'backfill' })
  expect(stdout + stderr).toContain('Using the newest good snapshot before it.')
  expect(box.json(['run', 'list'])).toMatchObject({
    runs: [{ problem: expect.stringContaining('latest.json'), stepId: 'backfill' }],
  })
  expect(readFileSync(box.path(LATEST))).toEqual(changed)
  rmSync(box.path('checkpoints/plan-42/history'), { recursive: true })
  const none = box.run(['run', 'resume', 'plan-42', '--json'])
  expect(JSON.parse(none.stdout)).toMatchObject({ reason: 'run_unknown' })
})

test('an agent is told that such a run is there, and nothing that it says, until its user trusts the workspace', () => {
  const box = withRun()
  const { runs } = box.json(['run', 'list'], AGENT)
  expect(runs).toMatchObject([
    { runId: 'plan-42', snapshots: 2, foreign: true, status: 'unknown', stepId: null, updatedAt: '' },
  ])
  // A name may be a sentence: what an agent did not ask for does not name it.
  expect(box.json(['status'], AGENT).runs).toEqual([])
  expect(box.json(['status']).runs).toMatchObject([{ runId: 'plan-42' }])
  for (const verb of ['resume', 'show']) {
    const refused = box.run(['run', verb, 'plan-42', '--json'], AGENT)
    expect(JSON.parse(refused.stdout)).toMatchObject({ ok: false, reason: 'run_foreign' })
    expect(refused.stdout + refused.stderr).not.toContain('backfill')
  }
  box.run(['trust'])
  expect(box.json(['run', 'list'], AGENT)).toMatchObject({ runs: [{ ...HERE, foreign: false }] })
  expect(box.json(['run', 'resume', 'plan-42'], AGENT)).toMatchObject({ stepId: 'backfill' })
})

test('one that git delivered stays foreign in a trusted workspace', () => {
  const box = withRun()
  const commit = ['-c', 'user.name=Eve', '-c', 'user.email=e@x', 'commit', '-q', '--allow-empty', '-m']
  box.git(...commit, 'first')
  const main = box.git('branch', '--show-current').trim()
  box.git('checkout', '-qb', 'theirs')
  box.git('add', '-f', 'checkpoints')
  box.git(...commit, 'a run')
  box.git('checkout', '-q', main)
  const clone = box.elsewhere('clone')
  box.git('clone', '-q', box.repo, clone.repo)
  clone.git('checkout', '-q', 'theirs')
  clone.run(['trust'])
  expect(clone.json(['run', 'list'], AGENT)).toMatchObject({ runs: [{ foreign: true, status: 'unknown' }] })
  const refused = clone.run(['run', 'resume', 'plan-42', '--json'], AGENT)
  expect(JSON.parse(refused.stdout)).toMatchObject({ reason: 'run_foreign' })
  expect(clone.json(['run', 'resume', 'plan-42'])).toMatchObject({ stepId: 'backfill' })
})

test('one that git delivered compressed stays foreign, though its latest.json is damaged', () => {
  const box = withRun()
  const commit = ['-c', 'user.name=Eve', '-c', 'user.email=e@x', 'commit', '-q', '--allow-empty', '-m']
  box.git(...commit, 'first')
  const clone = box.elsewhere('clone')
  box.git('clone', '-q', box.repo, clone.repo)
  const history = box.path('checkpoints/plan-42/history')
  for (const name of readdirSync(history)) {
    writeFileSync(join(history, `${name}.gz`), gzipSync(readFileSync(join(history, name))))
    rmSync(join(history, name))
  }
  writeFileSync(box.path(LATEST), '{}')
  box.git('checkout', '-qb', 'theirs')
  box.git('add', '-f', 'checkpoints')
  box.git(...commit, 'a run')
  clone.run(['trust'])
  clone.git('fetch', '-q')
  clone.git('checkout', '-q', 'theirs')
  const refused = clone.run(['run', 'resume', 'plan-42', '--json'], AGENT)
  expect(JSON.parse(refused.stdout)).toMatchObject({ reason: 'run_foreign' })
  expect(clone.json(['run', 'resume', 'plan-42'])).toMatchObject({ stepId: 'backfill' })
})

test('a snapshot that git delivered into the folder of an own run is shown to no agent', () => {
  const box = withRun()
  const commit = ['-c', 'user.name=Eve', '-c', 'user.email=e@x', 'commit', '-q', '--allow-empty', '-m']
  const THEIRS = 'cp_20260213T141000Z_9f00'
  box.git(...commit, 'first')
  const clone = box.elsewhere('clone')
  box.git('clone', '-q', box.repo, clone.repo)
  box.git('checkout', '-qb', 'theirs')
  box.git('add', '-f', `checkpoints/plan-42/history/${THEIRS}.json`)
  box.git(...commit, 'a snapshot')
  clone.run(['trust'])
  clone.git('fetch', '-q')
  clone.git('checkout', '-q', 'theirs')
  cpSync(box.path(LATEST), clone.path(LATEST))
  expect(clone.json(['run', 'show', 'plan-42', '--history'], AGENT).snapshots).toEqual([])
  const refused = clone.run(['run', 'show', 'plan-42', THEIRS, '--json'], AGENT)
  expect(JSON.parse(refused.stdout)).toMatchObject({ reason: 'snapshot_unknown' })
  expect(clone.json(['run', 'show', 'plan-42', THEIRS])).toMatchObject({ place: 'disk' })
})

test.each(['a link', 'a file'])(
  '%s in the place of the history hides no run, and fails no command',
  (what) => {
    const box = withRun()
    const history = box.path('checkpoints/plan-42/history')
    rmSync(history, { recursive: true })
    if (what === 'a link') symlinkSync(box.home, history)
    else writeFileSync(history, '')
    expect(box.json(['run', 'list'])).toMatchObject({ runs: [{ ...HERE, snapshots: 1 }] })
    expect(box.json(['status'])).toMatchObject({ runs: [{ runId: 'plan-42' }] })
    expect(box.json(['run', 'resume', 'plan-42'])).toMatchObject({ stepId: 'backfill' })
  },
)

test('of very large files a list reads so much and no more', () => {
  const box = withRun()
  const large = gzipSync(Buffer.alloc(4_000_000, '['))
  for (const run of ['a1', 'a2', 'a3']) {
    mkdirSync(box.path('checkpoints', run, 'history'), { recursive: true })
    writeFileSync(box.path('checkpoints', run, 'latest.json'), '{}')
    for (let at = 0; at < 200; at += 1)
      writeFileSync(box.path('checkpoints', run, 'history', `cp_${at}_a.json.gz`), large)
  }
  const { runs } = box.json(['run', 'list'])
  expect(runs).toContainEqual(expect.objectContaining({ runId: 'a1', snapshots: 200, status: 'unknown' }))
  // What comes after them is listed, and not read.
  expect(runs).toContainEqual(expect.objectContaining({ runId: 'plan-42', status: 'unknown' }))
})

test('folders that are no runs are not listed', () => {
  const box = withRun()
  cpSync(box.path('checkpoints/plan-42'), box.path('checkpoints/active'), { recursive: true })
  mkdirSync(box.path('checkpoints/notes'))
  writeFileSync(box.path('checkpoints/notes/latest.json'), '{"mine": true}')
  expect(box.json(['run', 'list'])).toMatchObject({ runs: [HERE] })
})

test.skipIf(process.getuid?.() === 0)('a folder that is closed fails no command', () => {
  const box = withRun()
  for (const mode of [0o000, 0o444]) {
    chmodSync(box.path('checkpoints'), mode)
    expect(box.json(['run', 'list'])).toMatchObject({ runs: [] })
    expect(box.json(['status'])).toMatchObject({ runs: [] })
  }
  chmodSync(box.path('checkpoints'), 0o755)
})
