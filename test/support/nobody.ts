import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cliPath, type Finished, projectRoot, type Sandbox } from './sandbox.ts'

export const NOBODY = 65_534

/** Only root may become somebody else. */
export const canBeNobody = process.getuid?.() === 0 && spawnSync('setpriv', ['--version']).status === 0

const PREBUILDS = 'node_modules/@photostructure/sqlite/prebuilds'

/**
 * The command line as a user without rights of their own, in a sandbox that everybody may enter. The project, and the
 * Node that runs the tests, may lie where only their owner can go: the program is copied into the sandbox.
 */
export function asNobody(
  box: Sandbox,
  words: string[],
  env: NodeJS.ProcessEnv = {},
  { file = 'cli.cjs', input = '' } = {},
): Finished {
  chmodSync(box.root, 0o755)
  const open = join(box.root, 'open')
  if (!existsSync(open)) copyProgram(open)
  const program = [nodeFor(open), join(open, 'dist', file), ...words]
  const done = spawnSync('setpriv', [...AS, ...program], {
    ...{ cwd: box.repo, env: { ...box.env, ...env }, encoding: 'utf8', timeout: 120_000, input },
  })
  return { code: done.status, signal: done.signal, stdout: done.stdout, stderr: done.stderr }
}

const AS = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups']

function copyProgram(open: string): void {
  cpSync(dirname(cliPath), join(open, 'dist'), { recursive: true })
  const binaries = join(PREBUILDS, `${process.platform}-${process.arch}`)
  if (existsSync(join(projectRoot, binaries)))
    cpSync(join(projectRoot, binaries), join(open, binaries), { recursive: true })
  spawnSync('chmod', ['-R', 'a+rX', open])
}

function nodeFor(open: string): string {
  const { execPath } = process
  if (spawnSync('setpriv', [...AS, execPath, '--version']).status === 0) return execPath
  const node = join(open, 'bin', 'node')
  mkdirSync(dirname(node), { recursive: true })
  copyFileSync(execPath, node)
  spawnSync('chmod', ['-R', 'a+rX', open])
  return node
}
