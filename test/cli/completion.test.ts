import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { completionScript } from '../../src/apps/cli/completion.ts'
import { loadVerbs } from '../../src/verbs/table.ts'
import { cliPath, type Sandbox, sandbox } from '../support/sandbox.ts'

const VERBS = await loadVerbs()

/** What bash offers for the last of these words, in the repository of the box, with our command on its path. */
function offered(box: Sandbox, ...words: string[]): string[] {
  const bin = join(box.root, 'bin')
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, 'savepoint'), `#!/bin/sh\nexec "${process.execPath}" "${cliPath}" "$@"\n`)
  chmodSync(join(bin, 'savepoint'), 0o755)
  const line = words.map((word) => `'${word}'`).join(' ')
  const script = `${completionScript('bash', VERBS)}
COMP_WORDS=(savepoint ${line}); COMP_CWORD=${words.length}; _savepoint; printf '%s\\n' "\${COMPREPLY[@]}"`
  const env = { ...box.env, PATH: `${bin}${delimiter}${process.env.PATH}` }
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { cwd: box.repo, env, encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout.trimEnd().split('\n')
}

function withWork(): Sandbox {
  const box = sandbox()
  box.git('-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '--quiet', '--allow-empty', '-m', 'x')
  box.git('branch', 'feature/pay')
  box.json(['save', 'x', '--stream', 'auth'])
  box.start('release-2')
  return box
}

test('names of work, runs and branches are offered where a value names one', () => {
  const box = withWork()
  expect(offered(box, 'resume', 'a')).toEqual(['auth'])
  expect(offered(box, 'save', '--stream', 'a')).toEqual(['auth'])
  expect(offered(box, 'run', 'step', 'rel')).toEqual(['release-2'])
  expect(offered(box, 'search', '--branch', 'f')).toEqual(['feature/pay'])
  expect(offered(box, 'sess')).toEqual(['sessions'])
})

test('outside of any saved work nothing is offered but words, and nothing is made', () => {
  const box = sandbox({ git: false })
  expect(offered(box, 'resume', 'a')).toEqual([''])
  expect(box.run(['completion', 'names', 'work'])).toMatchObject({ code: 0, stdout: '\n' })
})

test('a branch whose name is a command is not offered, and not run', () => {
  const box = withWork()
  const made = box.path('made')
  box.git('branch', ['f$(touch', '{IFS}made)'].join('$'))
  expect(offered(box, 'search', '--branch', 'f')).toEqual(['feature/pay'])
  expect(spawnSync('ls', [made]).status).not.toBe(0)
})

test.each(['zsh', 'fish'])('the script for %s asks for the same names', (shell) => {
  const script = completionScript(shell, VERBS)
  for (const kind of ['work', 'run', 'session', 'handoff'])
    expect(script).toContain(`savepoint completion names ${kind}`)
  expect(script).toContain('git for-each-ref')
})
