import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../src/core/canonical.ts'
import { projectRoot, type Sandbox, sandbox } from '../support/sandbox.ts'
import {
  asideFiles,
  contents,
  damageDatabase,
  deleteDatabase,
  doctor,
  idsOf,
  LATEST,
  liveIdsOf,
  type Report,
  ready,
  readyWithGoneWorkspace,
  setAside,
} from './ailing.ts'

/** Doctor tells, doctor --fix mends, then all is well; and what was there before is still there somewhere. */
function provesRepair(box: Sandbox, told: RegExp): Report {
  const before = contents(box.path('checkpoints'))
  const first = doctor(box)
  expect(first.findings.map(({ what }) => what).join('\n')).toMatch(told)
  expect(first).toMatchObject({ code: 1, healthy: false })
  expect(contents(box.path('checkpoints'))).toEqual(before)

  const fixed = doctor(box, '--fix')
  expect(fixed.findings.filter((finding) => finding.fixed === null)).toEqual([])
  expect(fixed).toMatchObject({ code: 0, healthy: true })
  const after = contents(box.path('checkpoints'))
  const kept = new Set(after.values())
  for (const [path, hash] of before) expect(kept.has(hash), `${path} is gone`).toBe(true)
  expect(after.size).toBeGreaterThanOrEqual(before.size)

  expect(doctor(box)).toMatchObject({ code: 0, findings: [] })
  return fixed
}

describe('doctor', () => {
  test('finds nothing wrong with a sound store', () => {
    const { box } = ready()
    expect(doctor(box)).toMatchObject({ code: 0, healthy: true, findings: [] })
    expect(doctor(box, '--fix')).toMatchObject({ code: 0, findings: [] })
  })

  test('[004.40] repairs a corrupt latest.json', () => {
    const { box, ids } = ready()
    writeFileSync(box.path(LATEST), '{"half": ')
    provesRepair(box, /checkpoint_schema_invalid/)
    expect(box.readJson(LATEST).snapshot_id).toBe(ids[2])
  })

  test('repairs a missing latest.json', () => {
    const { box, ids } = ready()
    rmSync(box.path(LATEST))
    provesRepair(box, /File not found: .*latest\.json/)
    expect(box.readJson(LATEST).snapshot_id).toBe(ids[2])
  })

  test('repairs a missing history file', () => {
    const { box, ids } = ready()
    const file = box.path('checkpoints/r1/history', `${ids[1]}.json`)
    const bytes = readFileSync(file)
    rmSync(file)
    provesRepair(box, /File not found: /)
    expect(readFileSync(file)).toEqual(bytes)
  })

  test('[004.42] repairs a history file that was tampered with', () => {
    const { box, ids } = ready()
    const file = box.path('checkpoints/r1/history', `${ids[1]}.json`)
    const bytes = readFileSync(file, 'utf8')
    writeFileSync(file, bytes.replace('"in_progress"', '"completed"'))
    expect(readFileSync(file, 'utf8')).not.toBe(bytes)
    provesRepair(box, /checkpoint_integrity_mismatch/)
    expect(readFileSync(file, 'utf8')).toBe(bytes)
  })

  test('repairs a run folder that is gone', () => {
    const { box, ids } = ready()
    rmSync(box.path('checkpoints/r1'), { recursive: true })
    provesRepair(box, /File not found: /)
    expect(readdirSync(box.path('checkpoints/r1/history'))).toHaveLength(ids.length)
  })

  test('sets aside a temp file that a dead writer left, and leaves a young one alone', () => {
    const { box } = ready()
    const names = ['.latest.json.old.savepoint-tmp', '.latest.json.young.savepoint-tmp']
    const [old = '', young = ''] = names.map((name) => box.path('checkpoints/r1', name))
    for (const path of [old, young]) writeFileSync(path, 'half')
    const past = Date.now() / 1000 - 3600
    utimesSync(old, past, past)
    const { findings } = provesRepair(box, /old\.savepoint-tmp/)
    expect(findings).toHaveLength(1)
    expect(existsSync(old)).toBe(false)
    expect(existsSync(young)).toBe(true)
  })

  test('takes up a run folder that the store does not know', () => {
    const { box, ids } = ready()
    rmSync(box.home, { recursive: true })
    provesRepair(box, /checkpoints\/r1 looks like a run that is not in the store/)
    expect(idsOf(box)).toEqual(ids)
    expect(box.json(['run', 'step', 'r1', 's2', 'in_progress'])).toMatchObject({ sequence: 4 })
  })

  test('takes up a run whose first snapshots were removed, each with its number [004.31]', () => {
    const { box } = ready()
    for (const state of ['in_progress', 'failed', 'in_progress', 'done'])
      box.json(['run', 'step', 'r1', 's2', state])
    box.json(['run', 'prune', '--max-per-run', '2'])
    const live = liveIdsOf(box, 'r1')
    expect(live.map((id) => /_(\d+)-/.exec(id)?.[1])).toEqual(['5', '6', '7'])
    rmSync(box.home, { recursive: true })
    const { findings } = provesRepair(box, /checkpoints\/r1 looks like a run that is not in the store/)
    expect(findings.map(({ fixed }) => fixed)).toEqual(['imported with 3 snapshots'])
    expect(liveIdsOf(box, 'r1')).toEqual(live)
    expect(box.json(['run', 'resume', 'r1'])).toMatchObject({ status: 'in_progress', eligible: true })
    expect(box.json(['run', 'step', 'r1', 's3', 'in_progress'])).toMatchObject({ sequence: 8 })
    expect(doctor(box)).toMatchObject({ code: 0, findings: [] })
  })

  test('takes up a run of another harness, with files as the contract shows them [004.33]', () => {
    const box = sandbox()
    cpSync(join(projectRoot, 'test/fixtures/seeds/004/checkpoints'), box.path('checkpoints'), {
      recursive: true,
    })
    provesRepair(box, /checkpoints\/plan-42 looks like a run that is not in the store/)
    expect(liveIdsOf(box, 'plan-42')).toEqual(['cp_20260213T141000Z_9f00', 'cp_20260213T141500Z_a1b2'])
    const { plan } = box.json(['run', 'resume', 'plan-42'])
    expect(plan).toMatchObject({
      steps: [
        { id: 'schema', state: 'done' },
        { id: 'backfill', state: 'in_progress' },
      ],
    })
    expect(box.json(['run', 'step', 'plan-42', 'backfill', 'done'])).toMatchObject({ sequence: 3 })
    expect(doctor(box)).toMatchObject({ code: 0, findings: [] })
  })

  test('takes up a run that has only its latest.json, and writes its history [004.34]', () => {
    const box = sandbox()
    const source = join(projectRoot, 'test/fixtures/seeds/004/checkpoints/plan-42/latest.json')
    mkdirSync(box.path('checkpoints/plan-42'), { recursive: true })
    cpSync(source, box.path('checkpoints/plan-42/latest.json'))
    doctor(box, '--fix')
    expect(readdirSync(box.path('checkpoints/plan-42/history'))).toEqual(['cp_20260213T141500Z_a1b2.json'])
    expect(doctor(box)).toMatchObject({ code: 0, findings: [] })
  })

  test('repairs a damaged database, and keeps the damaged file', () => {
    const { box, ids } = ready()
    const noise = damageDatabase(box)
    provesRepair(box, /is damaged/)
    expect(setAside(box)).toContain(sha256(noise))
    expect(idsOf(box)).toEqual(ids)
  })

  test('repairs a checkpoint whose text was changed in the database', () => {
    const { box, ids } = ready()
    const path = join(box.home, 'savepoint.db')
    box.json(['backup', join(box.root, 'copy.db')])
    const bytes = readFileSync(join(box.root, 'copy.db'))
    const at = bytes.indexOf(`"id":"${ids[1]}"`)
    const word = bytes.indexOf('in_progress', at)
    expect(at).toBeGreaterThan(0)
    bytes[word] = (bytes[word] ?? 0) ^ 1
    for (const ending of ['-wal', '-shm']) rmSync(path + ending, { force: true })
    writeFileSync(path, bytes)
    provesRepair(box, new RegExp(`${ids[1]} does not match its checksum`))
    expect(idsOf(box)).toEqual(ids)
    const changed = bytes.subarray(at, word + 'in_progress'.length)
    expect(asideFiles(box).some((file) => file.includes(changed))).toBe(true)
  })

  test('repairs a database that is gone', () => {
    const { box, ids } = ready()
    deleteDatabase(box)
    const { findings } = provesRepair(box, /is missing, but there are backups/)
    expect(findings.map(({ fixed }) => fixed).join()).toContain('restored from')
    expect(idsOf(box)).toEqual(ids)
  })

  test('that only looks at a database that is gone puts no empty one in its place', () => {
    const { box, ids } = ready()
    deleteDatabase(box)
    doctor(box)
    expect(idsOf(box)).toEqual(ids)
  })

  test('gives back to an older store the good snapshots that only their files hold', () => {
    const box = sandbox()
    box.start()
    const copy = join(box.root, 'copy.db')
    box.json(['backup', copy])
    for (const state of ['in_progress', 'done']) box.json(['run', 'step', 'r1', 's1', state])
    const ids = idsOf(box)
    deleteDatabase(box)
    renameSync(copy, join(box.home, 'savepoint.db'))
    expect(idsOf(box)).toEqual(ids.slice(0, 1))
    provesRepair(box, /is not in the store/)
    expect(idsOf(box)).toEqual(ids)
    expect(box.readJson(LATEST).snapshot_id).toBe(ids[2])
  })

  test('mends the other runs where the workspace of one is gone', () => {
    const { box, ids } = readyWithGoneWorkspace()
    writeFileSync(box.path(LATEST), 'nonsense')
    const { findings } = doctor(box, '--fix')
    expect(findings.filter(({ level }) => level === 'error')).toMatchObject([
      { what: expect.stringContaining(LATEST), fixed: expect.stringContaining('moved to') },
    ])
    expect(findings.filter(({ level }) => level === 'note')).toMatchObject([
      { what: expect.stringContaining('theirs') },
    ])
    expect(box.readJson(LATEST).snapshot_id).toBe(ids[2])
  })
})
