import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fieldOf, parseOrUndefined } from '../../core/json.ts'

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
  const { status, stdout, error } = spawnSync(command, {
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
  // Node also reports an error for a command that does not read its input: that one is no failure. A command that said
  // too much may have ended with 0 before Node could end it.
  const saidTooMuch = fieldOf(error, 'code') === 'ENOBUFS'
  const said = status === 0 && !saidTooMuch ? stdout.trimEnd() : ''
  return said === '' ? null : said
}
