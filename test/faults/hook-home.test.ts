import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { faultsOf, filesBelow, heard, idOf, payload, UNNOTICED, words } from '../cli/hook-lab.ts'
import { stoppedHolder } from '../store/lock-holder.ts'
import { asNobody, canBeNobody, NOBODY } from '../support/nobody.ts'
import { type Sandbox, sandbox } from '../support/sandbox.ts'
import { hasCompiler, readLog, watch } from './shim.ts'

const A = idOf('a')
const B = idOf('b')

/** Work that was saved, and a session that began before. */
function worked(): Sandbox {
  const box = sandbox()
  box.json(['save', 'Tokens are rotated', '--decision', 'Tokens over cookies'])
  heard(box, A, 'SessionStart')
  return box
}

/** The bytes of every file in the home; what is asked of the kernel is no part of it. */
const homeOf = (box: Sandbox) =>
  Object.fromEntries(filesBelow(box.home).map((path) => [path, readFileSync(path).toString('base64')]))

describe('a home that is not the user’s own', () => {
  const OTHERS: Array<[string, (box: Sandbox) => void]> = [
    ['a group may write to', (box) => chmodSync(box.home, 0o720)],
    ['anybody may write to', (box) => chmodSync(box.home, 0o702)],
    ...(canBeNobody
      ? [
          ['another user has', (box: Sandbox) => chownSync(box.home, NOBODY, NOBODY)] as [
            string,
            (box: Sandbox) => void,
          ],
        ]
      : []),
  ]

  test.each(OTHERS)('that %s is neither read nor written by a hook or the status line', (_, share) => {
    const box = worked()
    expect(words(heard(box, B, 'SessionStart'))).toContain('Tokens over cookies')
    writeFileSync(join(box.home, 'statusline.json'), JSON.stringify({ chain: 'echo theirs' }))
    share(box)
    const before = homeOf(box)
    for (const name of ['SessionStart', 'UserPromptSubmit', 'PreCompact', 'Stop', 'SessionEnd'])
      expect(heard(box, B, name, { prompt: 'Go' }), name).toEqual(UNNOTICED)
    const status = JSON.stringify({
      session_id: B,
      context_window: { context_window_size: 1_000, used_percentage: 9 },
    })
    expect(box.hook(['statusline'], { input: status })).toEqual(UNNOTICED)
    expect(homeOf(box)).toEqual(before)
    expect(box.run(['resume']).stderr).toContain('home_insecure')
  })
})

describe('where nothing can be written', () => {
  test.skipIf(!hasCompiler).each(['ENOSPC', 'EROFS', 'EIO'] as const)(
    'a start is told the brief: every write fails with %s',
    (mode) => {
      const box = worked()
      const log = join(box.root, 'calls.log')
      const env = watch(box, log, { at: 1, mode, sticky: true })
      const before = homeOf(box)
      const told = heard(box, B, 'SessionStart', {}, { env })
      expect(told).toMatchObject({ code: 0, stderr: '' })
      expect(words(told)).toContain('Tokens over cookies')
      expect(readLog(log).fired.length).toBeGreaterThan(0)
      expect(homeOf(box)).toEqual(before)
      // Every other event is passed over.
      for (const name of ['UserPromptSubmit', 'PreCompact', 'Stop', 'SessionEnd'])
        expect(heard(box, B, name, { prompt: 'Go' }, { env }), name).toEqual(UNNOTICED)
      expect(box.json(['doctor'])).toMatchObject({ healthy: true })
    },
  )

  test.skipIf(!canBeNobody)('a start is told the brief: the home is read-only', () => {
    const box = worked()
    spawnSync('chown', ['-R', `${NOBODY}:${NOBODY}`, box.home, box.repo])
    spawnSync('chmod', ['-R', 'a-w', box.home])
    const told = asNobody(box, ['claude'], {}, { file: 'hook.cjs', input: payload(box, B, 'SessionStart') })
    expect(told).toMatchObject({ code: 0, stderr: '' })
    expect(words(told)).toContain('Tokens over cookies')
    expect(existsSync(join(box.home, 'sessions', 'claude', `${B}.jsonl`))).toBe(false)
  })

  test('a start is told the brief where only the journals cannot be written, and doctor says why', () => {
    const box = worked()
    const journal = join(box.home, 'sessions', 'claude', `${B}.jsonl`)
    spawnSync('mkdir', [journal])
    const told = heard(box, B, 'SessionStart')
    expect(words(told)).toContain('Tokens over cookies')
    expect(faultsOf(box).map(({ event }) => event)).toContain('start')
    expect(faultsOf(box)[0]?.reason).toBe('EISDIR')
  })

  test('a start is told the brief while a stopped process holds the store, and doctor says so', async () => {
    const box = worked()
    await stoppedHolder(join(box.home, 'savepoint.db'))
    expect(words(heard(box, B, 'SessionStart'))).toContain('Tokens over cookies')
    expect(faultsOf(box).map(({ event, reason }) => [event, reason])).toEqual([['start', 'store_busy']])
  })
})
