import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { HookCommand } from '../../core/agent-setup.ts'
import { randomToken } from '../../core/id.ts'
import type { Ports } from '../../core/ports.ts'
import { errorCode } from '../../core/reason.ts'
import { openFolder } from '../../fs/disk.ts'
import { writeDurably } from '../../fs/durable.ts'
import { makePrivateFolder } from '../../fs/private.ts'

/** What a launcher starts. */
export interface Target {
  node: string
  bundle: string
}

/** A program of ours in the home. */
export interface Script {
  folder: string
  name: string
  path: string
  text: string
}

/** The small program that hooks name: it never moves, and knows where Node and the hook are. */
export interface Launcher extends Script {
  /** What the hooks of an agent start. */
  hook(agent: string): HookCommand
  /** For the client's shell. */
  statusLine(key: string): string
}

const MAX_LAUNCHER = 64 * 1024
const MODE = 0o700
const ABOUT = [
  '`savepoint init` wrote this, and writes it again where Node or Savepoint has moved.',
  'It ends with 0 whatever happens: the agent goes on as if Savepoint were not there.',
]

/** Node and a file of the build as they are now: they are built beside the program that runs. */
export const targetHere = (file = 'hook.cjs'): Target => ({
  node: process.execPath,
  bundle: fileURLToPath(new URL(file, import.meta.url)),
})

/** A script of the home in the form that the platform can start, and how a client starts it without a shell. */
export function scriptIn(
  home: string,
  word: string,
  texts: Record<'shell' | 'node', () => string>,
  platform: NodeJS.Platform,
): Script & { startedWith(...args: string[]): HookCommand } {
  const isWindows = platform === 'win32'
  const folder = join(home, 'bin')
  const name = isWindows ? `${word}.cjs` : word
  const path = join(folder, name)
  return {
    ...{ folder, name, path, text: isWindows ? texts.node() : texts.shell() },
    startedWith: (...args) =>
      isWindows ? { command: 'node', args: [path, ...args] } : { command: path, args },
  }
}

export function launcherIn(home: string, target: Target, platform = process.platform): Launcher {
  const texts = { shell: () => scriptForShell(home, target), node: () => scriptForNode(home, target) }
  const { startedWith, ...script } = scriptIn(home, 'savepoint-hook', texts, platform)
  const program = platform === 'win32' ? `node "${script.path}"` : quoteForShell(script.path)
  return {
    ...script,
    hook: (agent) => startedWith(agent),
    statusLine: (key) => `${program} statusline${key === '' ? '' : ` ${key}`}`,
  }
}

/** One word of a shell, whatever is in it. */
export const quoteForShell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/**
 * What every script for a shell begins with. NODE_OPTIONS may name what is not there, and certificates of its own make
 * Node start three times as slow.
 */
export const shellHead = (about: readonly string[], home: string, target: Target) => `#!/bin/sh
# ${about.join('\n# ')}
# ${JSON.stringify(target)}
unset NODE_OPTIONS NODE_EXTRA_CA_CERTS
SAVEPOINT_HOME=${quoteForShell(home)}
export SAVEPOINT_HOME
node=${quoteForShell(target.node)}
bundle=${quoteForShell(target.bundle)}`

/**
 * The shell waits for Node instead of becoming it: so even a Node that crashes ends well. That costs a millisecond or
 * two.
 */
const scriptForShell = (home: string, target: Target) => `${shellHead(ABOUT, home, target)}
fault() {
  size=$(wc -c <"$SAVEPOINT_HOME/faults.jsonl") || size=0
  umask 077
  [ $size -lt 65536 ] &&
    printf '{"at":"%s","reason":"%s"}\\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$1" >>"$SAVEPOINT_HOME/faults.jsonl"
  exit 0
}
[ -f "$bundle" ] || fault bundle_missing 2>/dev/null
[ -x "$node" ] || node=$(command -v node) || fault node_missing 2>/dev/null
"$node" "$bundle" "$@" || fault hook_failed 2>/dev/null
exit 0
`

/** On Windows the client starts Node itself: a script for its shell could not be started without that shell. */
const scriptForNode = (home: string, target: Target) => `// ${ABOUT.join('\n// ')}
// ${JSON.stringify(target)}
const { appendFileSync, existsSync, statSync } = require('node:fs')
const home = ${JSON.stringify(home)}
const bundle = ${JSON.stringify(target.bundle)}
const fault = (reason) => {
  try {
    const file = home + '/faults.jsonl'
    const line = JSON.stringify({ at: new Date().toISOString(), reason }) + '\\n'
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) < 65536) appendFileSync(file, line, { mode: 0o600 })
  } finally {
    process.exit(0)
  }
}
process.env.SAVEPOINT_HOME = home
process.on('uncaughtException', () => fault('hook_failed'))
process.argv[1] = bundle
if (existsSync(bundle)) require('node:module').runMain()
else fault('bundle_missing')
`

/** What a launcher says that it starts; null where it is none of ours. */
export function targetIn(text: string): Target | null {
  const line = /^(?:#|\/\/) (\{"node":".*","bundle":".*"\})$/m.exec(text)?.[1]
  try {
    // `as`: the line that both scripts above have.
    return line === undefined ? null : (JSON.parse(line) as Target)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return null
  }
}

/** The launcher that stands there, or null. */
export function readLauncher(home: string, name: string): { text: string; mode: number } | null {
  const folder = folderIn(home)
  try {
    const bytes = folder?.read(name, MAX_LAUNCHER) ?? null
    return bytes && { text: bytes.toString('utf8'), mode: folder?.entry(name)?.mode ?? 0 }
  } finally {
    folder?.close()
  }
}

function folderIn(home: string) {
  const root = openIfThere(home)
  try {
    return root?.folder('bin') ?? null
  } finally {
    root?.close()
  }
}

function openIfThere(path: string) {
  try {
    return openFolder(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    return null
  }
}

/** What is to be done to the launcher: it is missing, it says something else, or it is as it should be. */
export function launcherChange(home: string, launcher: Script): 'made' | 'changed' | null {
  const standing = readLauncher(home, launcher.name)
  if (standing === null) return 'made'
  return standing.text === launcher.text && (standing.mode & 0o777) === MODE ? null : 'changed'
}

export function writeLauncher({ folder: path, name, text }: Script, ports: Ports): void {
  makePrivateFolder(path)
  const folder = openFolder(path)
  try {
    writeDurably(folder, name, Buffer.from(text), { token: randomToken(ports.random), mode: MODE })
  } finally {
    folder.close()
  }
}
