import { chmodSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Finding } from '../../src/engine/context/findings.ts'
import { impermanenceOf } from '../../src/engine/setup/examine-setup.ts'
import { SetupLab } from './init-lab.ts'

/** What the doctor says of the set-up; where the tests run, the home may be in a container or in memory. */
function findings({ box }: SetupLab): string[] {
  const { stdout } = box.run(['doctor', '--json'])
  const found: Finding[] = JSON.parse(stdout).findings
  return found
    .filter(({ what }) => !what.includes("Savepoint's data folder "))
    .map(({ level, what }) => `${level}: ${what}`)
}

test('where nothing is set up, that is a note; where all is, nothing is said', () => {
  const lab = new SetupLab()
  expect(findings(lab)).toEqual(['note: Claude Code is not set up in this workspace.'])
  lab.init()
  expect(findings(lab)).toEqual([])
})

test('without the client there is nothing to say', () => {
  const lab = new SetupLab()
  rmSync(join(lab.user, '..'), { recursive: true })
  expect(findings(lab)).toEqual([])
})

test('hooks that are missing, or cannot run, are told', () => {
  const lab = new SetupLab()
  lab.init()
  const { hooks, ...rest } = JSON.parse(lab.local())
  const { Stop: _stop, ...others } = hooks
  lab.local(
    `${JSON.stringify({ ...rest, hooks: others, disableAllHooks: true, cleanupPeriodDays: 1 })}// end`,
  )
  lab.users('{"a"}')
  const told = findings(lab).join('\n')
  expect(told).toContain(`warning: Could not read ${lab.user}: line 1: missing colon`)
  expect(told).toContain('warning: Missing hooks: Stop')
  expect(told).toContain('turns all hooks off. Remove it there.')
  expect(told).toContain('silently ignores the whole file')
  expect(told).toContain('warning: Claude Code deletes transcripts after 1 day (')
})

test('fewer days for transcripts are a note', () => {
  const lab = new SetupLab()
  lab.users('{"cleanupPeriodDays": 7}')
  lab.init()
  expect(findings(lab)).toEqual([
    expect.stringMatching(/^note: Claude Code deletes transcripts after 7 days/),
  ])
})

test('a launcher that cannot start anything is told', () => {
  const lab = new SetupLab()
  lab.init()
  const text = lab.file(lab.launcher)
  writeFileSync(
    lab.launcher,
    text.replaceAll(/hook\.cjs/g, 'gone.cjs').replaceAll(process.execPath, '/gone/node'),
  )
  expect(findings(lab)).toEqual([
    expect.stringMatching(/^warning: .* runs \/gone\/node, which does not exist/),
    expect.stringMatching(/^error: .*gone\.cjs, which does not exist: hooks do nothing/),
  ])
  chmodSync(lab.launcher, 0o600)
  expect(findings(lab)).toContainEqual(expect.stringMatching(/^error: .* is not executable/))
  rmSync(lab.launcher)
  expect(findings(lab)).toEqual([`error: Hooks run ${lab.launcher}, which does not exist.`])
  expect(lab.init().changes).toMatchObject([{ what: 'made', path: lab.launcher }])
  expect(findings(lab)).toEqual([])
})

test('hooks of another home are told', () => {
  const lab = new SetupLab()
  lab.init()
  const done = lab.box.run(['doctor'], { env: { SAVEPOINT_HOME: join(lab.box.root, 'other') } })
  expect(done.stdout).toContain('uses another data folder')
})

const EXT4 = 0xef53
const OVERLAY = 0x794c7630
const TMPFS = 0x01021994

test.each([
  ['the root of a container', OVERLAY, true, true, 'container'],
  ['the root of a machine', EXT4, true, false, null],
  ['a disk that is mounted into a container', EXT4, false, true, null],
  ['memory', TMPFS, false, false, 'memory'],
  ['memory, in a container', TMPFS, false, true, 'memory'],
])('what is on %s is thrown away with it, or lasts', (_, type, isRoot, isContainer, fate) => {
  expect(impermanenceOf(type, isRoot, isContainer)).toBe(fate)
})

test.runIf(process.platform === 'linux')('memory is known by the number of its file system', () => {
  expect(impermanenceOf(statfsSync('/dev/shm').type, false, false)).toBe('memory')
  expect(impermanenceOf(statfsSync('/proc').type, false, false)).toBeNull()
})
