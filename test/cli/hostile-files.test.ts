import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { canonicalJson, sha256 } from '../../src/core/canonical.ts'
import { contents, doctor, idsOf, LATEST, ready } from '../store/ailing.ts'
import { type Finished, PLAN, type Sandbox, sandbox } from '../support/sandbox.ts'

const HISTORY = 'checkpoints/r1/history'

/** Runs a command that must not hang: an endless file is noticed long before the limit. */
function quick(box: Sandbox, args: string[], limitMs = 60_000): Finished {
  const before = performance.now()
  const done = box.run(args)
  expect(performance.now() - before, `${args.join(' ')}: ${done.stderr}`).toBeLessThan(limitMs)
  expect(done.signal).toBeNull()
  return done
}

function pipe(path: string): void {
  rmSync(path, { force: true })
  const { status, stderr } = spawnSync('mkfifo', [path], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`mkfifo ${path}: ${stderr}`)
}

/** A good snapshot with some fields changed and a checksum that is right. */
function forge(box: Sandbox, changes: Record<string, unknown>): string {
  const { integrity, ...body } = { ...box.readJson(LATEST), ...changes }
  const checksum = `sha256:${sha256(canonicalJson(body))}`
  return `${JSON.stringify({ ...body, integrity: { ...integrity, checksum } }, null, 2)}\n`
}

const forgedId = (sequence: string) => `cp_20260101T000000000Z_${sequence}-aaaaaaaa`

describe('a forged snapshot', () => {
  test.each([['9007199254740993'], ['50000000'], ['9'.repeat(80)], ['9000000']])(
    'with the number %s is set aside by doctor --fix, and the run stays as it is',
    (sequence) => {
      const { box, ids } = ready()
      const id = forgedId(sequence)
      writeFileSync(box.path(HISTORY, `${id}.json`), forge(box, { snapshot_id: id }))
      const fixed = quick(box, ['doctor', '--fix'])
      expect(fixed.code, fixed.stdout + fixed.stderr).toBe(0)
      expect(quick(box, ['run', 'list']).code).toBe(0)
      expect(doctor(box)).toMatchObject({ code: 0, findings: [] })
      expect(idsOf(box)).toEqual(ids)
      expect(readdirSync(box.path(HISTORY))).not.toContain(`${id}.json`)
      expect(box.json(['run', 'step', 'r1', 's2', 'in_progress'])).toMatchObject({ sequence: 4 })
    },
  )

  test('in a folder with a reserved name makes no run', () => {
    const { box } = ready()
    const snapshot_id = forgedId('1')
    const text = forge(box, { snapshot_id, run_id: 'active' })
    mkdirSync(box.path('checkpoints/active/history'), { recursive: true })
    for (const name of ['latest.json', `history/${snapshot_id}.json`])
      writeFileSync(box.path('checkpoints/active', name), text)
    const { findings } = doctor(box, '--fix')
    expect(findings.filter(({ fixed }) => fixed !== null)).toEqual([])
    expect(box.json(['run', 'list']).runs).toMatchObject([{ runId: 'r1' }])
    expect(box.read('checkpoints/active/latest.json')).toBe(text)
  })
})

describe('a file that never ends', () => {
  const ENDLESS: Array<[string, (path: string) => void]> = [
    ['a link to /dev/zero', (path) => symlinkSync('/dev/zero', path)],
    ['a pipe', pipe],
  ]

  test.each(ENDLESS)('as settings is config_invalid with exit 2: %s', (_, put) => {
    const box = sandbox()
    put(box.path('.agents.yml'))
    const { code, stdout } = quick(box, ['run', 'list', '--json'])
    expect(code).toBe(2)
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, reason: 'config_invalid' })
  })

  test.each(ENDLESS)('as the repository id is no id: %s', (_, put) => {
    const box = sandbox()
    put(box.path('.git/savepoint-id'))
    writeFileSync(box.path('plan.md'), PLAN)
    expect(quick(box, ['run', 'list']).code).toBe(0)
    expect(quick(box, ['run', 'start', 'plan.md', '--run-id', 'r1']).code).toBe(0)
    expect(idsOf(box)).toHaveLength(1)
  })

  test.each(ENDLESS)('as git exclude file is left alone: %s', (_, put) => {
    const box = sandbox()
    const exclude = box.path('.git/info/exclude')
    rmSync(exclude, { force: true })
    put(exclude)
    writeFileSync(box.path('plan.md'), PLAN)
    expect(quick(box, ['run', 'start', 'plan.md', '--run-id', 'r1']).code).toBe(0)
    expect(lstatSync(exclude).isFile()).toBe(false)
  })

  test.each(ENDLESS)('in place of the plan does not keep a run from resuming: %s', (_, put) => {
    const { box, ids } = ready()
    rmSync(box.path('plan.md'))
    put(box.path('plan.md'))
    const { code, stdout, stderr } = quick(box, ['run', 'resume', 'r1', '--json'])
    expect(code, stdout + stderr).toBe(0)
    const { drift, snapshotId } = JSON.parse(stdout)
    expect(drift).toEqual([expect.stringContaining('plan.md')])
    expect(snapshotId).toBe(ids.at(-1))
  })
})

test('a git exclude file that is a link to a private file stays one, and nothing of it is copied', () => {
  const box = sandbox()
  const secret = join(box.root, 'secret')
  writeFileSync(secret, 'TOPSECRET\n')
  chmodSync(secret, 0o600)
  const exclude = box.path('.git/info/exclude')
  rmSync(exclude, { force: true })
  symlinkSync(secret, exclude)
  box.start()
  expect(lstatSync(exclude).isSymbolicLink()).toBe(true)
  expect(readFileSync(secret, 'utf8')).toBe('TOPSECRET\n')
  for (const path of contents(box.path('.git')).keys())
    expect(readFileSync(path, 'latin1'), path).not.toContain('TOPSECRET')
})

test('a long and strange .git file is read quickly, or not at all', () => {
  const box = sandbox({ git: false })
  writeFileSync(box.path('.git'), `gitdir: a ${' '.repeat(200_000)}b\n${'\n'.repeat(200_000)}c`)
  expect(quick(box, ['run', 'list']).code).toBe(0)
})

test.each([['a\\b'], [`${'0'.repeat(249)}1`]])('a file %s in a history is told, and set aside', (name) => {
  const { box, ids } = ready()
  writeFileSync(box.path(HISTORY, name), 'strange')
  expect(doctor(box)).toMatchObject({ healthy: false, findings: [{ level: 'warning', fixed: null }] })
  expect(doctor(box, '--fix')).toMatchObject({ code: 0, findings: [{ fixed: expect.any(String) }] })
  expect(readdirSync(box.path(HISTORY)).sort()).toEqual(ids.map((id) => `${id}.json`).sort())
  const aside = [...contents(box.path('checkpoints/r1/set-aside')).keys()]
  expect(aside.map((path) => readFileSync(path, 'utf8'))).toEqual(['strange'])
})

describe('a folder that became a link', () => {
  test('is set aside where it was a history, and its files come back', () => {
    const { box, ids } = ready()
    const elsewhere = join(box.root, 'elsewhere')
    renameSync(box.path(HISTORY), elsewhere)
    const before = contents(elsewhere)
    symlinkSync(elsewhere, box.path(HISTORY))
    expect(doctor(box)).toMatchObject({ healthy: false })
    const fixed = doctor(box, '--fix')
    expect(fixed, JSON.stringify(fixed.findings)).toMatchObject({ code: 0, healthy: true })
    expect(lstatSync(box.path(HISTORY)).isDirectory()).toBe(true)
    expect(readdirSync(box.path(HISTORY)).sort()).toEqual(ids.map((id) => `${id}.json`).sort())
    expect(contents(elsewhere)).toEqual(before)
    expect(doctor(box)).toMatchObject({ code: 0, findings: [] })
  })

  test('and is named checkpoints is nothing of ours in a repository without runs', () => {
    const box = sandbox()
    const other = join(box.root, 'other')
    mkdirSync(other)
    writeFileSync(join(other, 'plan.md'), PLAN)
    box.json(['run', 'start', 'plan.md'], { cwd: other })
    symlinkSync(other, box.path('checkpoints'))
    expect(doctor(box)).toMatchObject({ code: 0, findings: [] })
    expect(doctor(box, '--fix')).toMatchObject({ code: 0, findings: [] })
  })

  test('and was one run keeps doctor --fix from no other', () => {
    const { box } = ready()
    box.json(['run', 'start', 'plan.md', '--run-id', 'r2'])
    const good = box.read('checkpoints/r2/latest.json')
    writeFileSync(box.path('checkpoints/r2/latest.json'), 'damaged')
    renameSync(box.path('checkpoints/r1'), join(box.root, 'r1'))
    symlinkSync(join(box.root, 'r1'), box.path('checkpoints/r1'))
    const { healthy, findings } = doctor(box, '--fix')
    expect(healthy).toBe(false)
    expect(findings.filter(({ fixed }) => fixed === null)).toMatchObject([
      { what: expect.stringContaining('r1') },
    ])
    expect(box.read('checkpoints/r2/latest.json')).toBe(good)
  })
})
