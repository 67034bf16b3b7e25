import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { widthOf } from '../../core/width.ts'
import { fieldOf, parseOrUndefined } from './json.ts'
import { SEPARATOR } from './statusline-line.ts'

type Environment = Record<string, string | undefined>

/** Set for the chained command: a status line inside it leaves the line to the one outside. */
const GUARD = 'SAVEPOINT_STATUSLINE_CHAIN'
const MAX_BYTES = 64 * 1024

export const isChained = (env: Environment) => Boolean(env[GUARD])

/**
 * The status line that was there before ours, as a shell's command; null where there was none. One of a project has a
 * key, so that it is never run in another.
 */
export function readChainCommand(home: string, key = ''): string | null {
  const chains = parseOrUndefined(readFileSync(join(home, 'statusline.json'), 'utf8'))
  const chain = key === '' ? fieldOf(chains, 'chain') : fieldOf(fieldOf(chains, 'chains'), key)
  return typeof chain === 'string' && chain.trim() !== '' && !chain.includes('\0') ? chain : null
}

/** What a chained command prints, in its own colours; null where it fails, says nothing or takes too long. */
export function runChain(
  command: string,
  input: string,
  env: Environment,
  { timeoutMs = 2000 } = {},
): string | null {
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  // A command that does not read its input is no failure, though Node calls it an error: only the status counts.
  const { status, stdout } = spawnSync(command, {
    shell: true,
    input,
    env: { ...env, [GUARD]: '1' },
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_BYTES,
    windowsHide: true,
  })
  const said = status === 0 ? stdout.trimEnd() : ''
  return said === '' ? null : said
}

/** Theirs first. Ours goes behind it, or below where theirs has several lines or leaves no room. */
export function joinLines(theirs: string, ours: string, columns: number): string {
  const isRoom = !theirs.includes('\n') && widthOf(bare(theirs + SEPARATOR + ours)) <= columns
  return theirs + (isRoom ? SEPARATOR : '\n') + ours
}

/** Colours and links take no columns. */
const bare = (line: string) => line.replace(SEQUENCES, '')
// biome-ignore lint/suspicious/noControlCharactersInRegex: these sequences begin and end with control characters.
const SEQUENCES = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g
