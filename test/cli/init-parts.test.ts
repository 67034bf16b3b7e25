import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Context } from '../../src/engine/context/context.ts'
import { launcherIn } from '../../src/engine/setup/launcher.ts'
import { putFile, readSetupFile } from '../../src/engine/setup/setup-run.ts'
import { planLine, statusLinesOf, wantsLine } from '../../src/engine/setup/statusline-plan.ts'
import { testPorts } from '../support/ports.ts'
import { sandbox } from '../support/sandbox.ts'
import { LOCAL, SetupLab } from './init-lab.ts'
import { withAnswers } from './transfer-lab.ts'

// `as`: these parts use no more of a context than this.
const context = (ask: Context['ask'] = null) => ({ ports: testPorts(), ask }) as unknown as Context

test('settings that somebody changed meanwhile are left to them', async () => {
  const box = sandbox({ git: false })
  const path = join(box.repo, 'settings.json')
  writeFileSync(path, '{"a": 1}')
  const file = readSetupFile({ path, root: box.repo })
  writeFileSync(path, '{"a": 2}')
  expect(await putFile(context(), file, Buffer.from('ours'))).toBe(false)
  expect(await putFile(context(), file, null)).toBe(false)
  expect(readFileSync(path, 'utf8')).toBe('{"a": 2}')
  expect(await putFile(context(), readSetupFile({ path, root: box.repo }), Buffer.from('ours'))).toBe(true)
  expect(readFileSync(path, 'utf8')).toBe('ours')
})

test('a file that came into being meanwhile is left, too', async () => {
  const box = sandbox({ git: false })
  const path = join(box.repo, 'settings.json')
  const file = readSetupFile({ path, root: null })
  writeFileSync(path, 'theirs')
  expect(await putFile(context(), file, Buffer.from('ours'))).toBe(false)
  expect(readFileSync(path, 'utf8')).toBe('theirs')
})

const NONE = statusLinesOf({ kind: 'none' }, [], 'user')
const OTHER = statusLinesOf({ kind: 'other', command: 'x', raw: '"x"', rest: {} }, [], 'user')
const OURS = statusLinesOf({ kind: 'ours', command: 'x' }, [], 'user')

test('a person is asked once, and only where there is something to decide', async () => {
  const asked: string[] = []
  const answering = (answer: string) =>
    context(async (questions) => {
      asked.push(...questions)
      return [answer]
    })
  expect(await wantsLine(answering('y'), NONE, null)).toBe(true)
  expect(await wantsLine(answering('Yes '), OTHER, null)).toBe(true)
  expect(asked).toEqual([
    expect.stringContaining('in the status line?'),
    expect.stringContaining('after your own?'),
  ])
  for (const answer of ['', 'n', 'no', 'later'])
    expect(await wantsLine(answering(answer), NONE, null)).toBe(false)
  asked.length = 0
  expect(await wantsLine(answering('y'), OURS, null)).toBeNull()
  expect(await wantsLine(answering('y'), NONE, false)).toBe(false)
  expect(await wantsLine(context(), NONE, null)).toBeNull()
  expect(asked).toEqual([])
})

test('ours follows a home that moved, also where nobody asks for it', () => {
  const launcher = launcherIn('/new', { node: 'node', bundle: 'hook.cjs' }, 'linux')
  expect(planLine(OURS, false, launcher, 'k')).toEqual({
    command: "'/new/bin/savepoint-hook' statusline k",
    rest: {},
    chain: undefined,
  })
  expect(planLine(OTHER, false, launcher, 'k')).toBeNull()
})

test('a person sees what would be done before it is done, and can say no', async () => {
  for (const [answer, isSetUp] of [
    ['n', false],
    ['', true],
  ] as const) {
    const lab = new SetupLab()
    const words = ['init', '--without-plugin', '--without-statusline']
    const { asked, told, code } = await withAnswers(lab.box, words, [answer])
    expect(asked).toEqual([
      expect.stringMatching(/^Set up Claude Code:\n {2}would create[\s\S]*\nContinue\? \(Y\/n\)$/),
    ])
    expect([code, existsSync(lab.box.path(LOCAL))]).toEqual([0, isSetUp])
    expect(told).toContain(isSetUp ? '\nNext: start Claude Code and work as usual.' : 'Nothing changed.\n')
  }
})
