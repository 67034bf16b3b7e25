import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { completionScript } from '../../src/apps/cli/completion.ts'
import { loadVerbs } from '../../src/verbs/table.ts'
import { cliPath, type Sandbox, sandbox } from '../support/sandbox.ts'

const VERBS = await loadVerbs()

/** What a shell is given: the words of the line, and how it then says what it would offer. */
const ASK = {
  bash: (words: string[]) =>
    `COMP_WORDS=(${words.map(quote).join(' ')}); COMP_CWORD=${words.length - 1}; _savepoint; printf '%s\\n' "\${COMPREPLY[@]}"`,
  // The completion system runs only at a prompt: these stand for the two functions of it that the script calls.
  zsh: (
    words: string[],
  ) => `function compadd { print -rl -- \${(M)\${(P)2}:#\${words[CURRENT]}*} }; function _files { : }
words=(${words.map(quote).join(' ')}); CURRENT=${words.length}; _savepoint`,
  fish: (words: string[]) => `complete -C ${quote(words.join(' '))}`,
}
const SHELLS = ['bash', 'zsh', 'fish'] as const
const quote = (word: string) => `'${word}'`
const has = (shell: string) => spawnSync(shell, ['-c', ':']).status === 0

/** What a shell offers for the last of these words, in the repository of the box, with our command on its path. */
function offered(box: Sandbox, shell: keyof typeof ASK, ...words: string[]): string[] {
  const bin = join(box.root, 'bin')
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, 'savepoint'), `#!/bin/sh\nexec "${process.execPath}" "${cliPath}" "$@"\n`)
  chmodSync(join(bin, 'savepoint'), 0o755)
  const before = shell === 'zsh' ? 'function compdef { : }\n' : ''
  const script = `${before}${completionScript(shell, VERBS)}\n${ASK[shell](['savepoint', ...words])}`
  const env = { ...box.env, PATH: `${bin}${delimiter}${process.env.PATH}` }
  const args = shell === 'bash' ? [] : shell === 'zsh' ? ['-f'] : ['--no-config']
  const { stdout, stderr } = spawnSync(shell, [...args, '-c', script], {
    ...{ cwd: box.repo, env, encoding: 'utf8' },
  })
  expect(stderr).toBe('')
  // Fish says what an option is for behind a tab.
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '')
}

function withWork(): Sandbox {
  const box = sandbox()
  box.git('-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '--quiet', '--allow-empty', '-m', 'x')
  box.git('branch', 'feature/pay')
  box.json(['save', 'x', '--stream', 'auth'])
  box.start('release-2')
  return box
}

describe.each(SHELLS)('%s', (shell) => {
  test.runIf(has(shell))('offers names of work, runs and branches where a value names one', () => {
    const box = withWork()
    expect(offered(box, shell, 'resume', 'a')).toEqual(['auth'])
    expect(offered(box, shell, 'save', '--stream', 'a')).toEqual(['auth'])
    expect(offered(box, shell, 'run', 'step', 'rel')).toEqual(['release-2'])
    expect(offered(box, shell, 'search', '--branch', 'f')).toEqual(['feature/pay'])
    expect(offered(box, shell, 'sess')).toEqual(['sessions'])
    expect(offered(box, shell, 'completion', 'f')).toEqual(['fish'])
    expect(offered(box, shell, 'resume', '--ex')).toEqual(['--explain'])
    expect(offered(box, shell, 'resume', '--st')).toEqual([''])
  })
})

test('outside of any saved work nothing is offered but words, and nothing is made', () => {
  const box = sandbox({ git: false })
  expect(offered(box, 'bash', 'resume', 'a')).toEqual([''])
  expect(box.run(['completion', 'names', 'work'])).toMatchObject({ code: 0, stdout: '\n' })
})

test.for(SHELLS.filter(has))('%s does not run a branch whose name is a command, nor offer it', (shell) => {
  const box = withWork()
  const made = box.path('made')
  box.git('branch', ['f$(touch', '{IFS}made)'].join('$'))
  expect(offered(box, shell, 'search', '--branch', 'f')).toEqual(['feature/pay'])
  expect(existsSync(made)).toBe(false)
})

test.each(['zsh', 'fish'])('the script for %s asks for the same names', (shell) => {
  const script = completionScript(shell, VERBS)
  for (const kind of ['work', 'run', 'session', 'handoff'])
    expect(script).toContain(`savepoint completion names ${kind}`)
  expect(script).toContain('git for-each-ref')
})
