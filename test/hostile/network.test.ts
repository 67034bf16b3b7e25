import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadVerbs } from '../../src/verbs/table.ts'
import { textOf } from '../cli/document-lab.ts'
import { payload } from '../cli/hook-lab.ts'
import { compiler, hasCompiler } from '../faults/shim.ts'
import { cliPath, projectRoot, type Sandbox, sandbox } from '../support/sandbox.ts'
import { isWhole } from './sample.ts'

const NAMES = (await loadVerbs()).map(({ name }) => name)

/** How a command is run in a network without any interface; null where this machine has no such thing. */
const APART = [[], ['--map-root-user']]
  .map((rights) => ['unshare', '--net', ...rights, '--'])
  .find(([program = '', ...words]) => spawnSync(program, [...words, 'true']).status === 0)

let library = ''

/** A command with a library that writes down whoever reaches out; what it wrote down. */
function reachedOut(box: Sandbox, words: string[], input = ''): { attempts: boolean; code: number | null } {
  const log = join(box.root, 'network.log')
  const [program = '', ...rest] = [...(APART ?? []), process.execPath, ...words]
  // npm, which an example runs, asks for news of itself.
  const env = { ...box.env, LD_PRELOAD: library, NETWORK_LOG: log, npm_config_update_notifier: 'false' }
  const done = spawnSync(program, rest, { cwd: box.repo, env, input, encoding: 'utf8', timeout: 120_000 })
  return { attempts: existsSync(log), code: done.status }
}

describe.skipIf(!hasCompiler || !APART)('without a network', () => {
  beforeAll(() => {
    library = join(projectRoot, 'dist', 'network-log.so')
    const source = join(projectRoot, 'test', 'hostile', 'network.c')
    const done = spawnSync(compiler ?? '', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl'], {
      encoding: 'utf8',
    })
    if (done.status !== 0) throw new Error(done.stderr)
  })

  test('an attempt to reach out is seen', () => {
    const box = sandbox()
    const program = "require('net').connect(9, '192.0.2.1').on('error', () => process.exit(0))"
    expect(reachedOut(box, ['-e', program])).toEqual({ attempts: true, code: 0 })
  })

  /** Every eighth of them, or all. */
  test.each(NAMES.filter((_, at) => isWhole || at % 8 === 0))('%s does not reach out', async (name) => {
    const verb = (await loadVerbs()).find((one) => one.name === name)
    const box = sandbox()
    box.start('release-2')
    box.json(['save', 'Build the login', '--decision', 'Tokens over cookies'])
    writeFileSync(box.path('login.md'), textOf('login'))
    const [example = ''] = verb?.examples ?? []
    // As a shell would part it: an example has plain words and words in double quotes.
    const words = [...example.matchAll(/"([^"]*)"|(\S+)/g)]
      .map(([, quoted, plain]) => quoted ?? plain ?? '')
      .slice(1)
    expect(reachedOut(box, [cliPath, ...words]).attempts).toBe(false)
  })

  test.each(['SessionStart', 'UserPromptSubmit', 'PreCompact', 'SessionEnd'])(
    'the hook %s does not reach out',
    (name) => {
      const box = sandbox()
      const input = payload(box, 'a0000000-aaaa-4bbb-8ccc-000000000000', name, {
        source: 'startup',
        prompt: 'go on',
      })
      expect(reachedOut(box, [join(projectRoot, 'dist', 'hook.cjs'), 'claude'], input)).toEqual({
        attempts: false,
        code: 0,
      })
    },
  )
})
