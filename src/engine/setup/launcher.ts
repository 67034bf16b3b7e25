import { lstatSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { HookCommand } from '../../core/agent-setup.ts'
import { parseOrUndefined } from '../../core/json.ts'
import type { Ports } from '../../core/ports.ts'
import { readPlainFile } from '../../fs/disk.ts'
import { writePrivate } from '../context/private-json.ts'

export interface Target {
  node: string
  bundle: string
}

/** A small program in the home that agents name: it never moves, and knows where Node and a file of the build are. */
export interface Launcher {
  path: string
  text: string
  /** How an agent starts it without a shell. */
  start(...args: string[]): HookCommand
  /** How the shell of an agent starts it. */
  inShell(...args: string[]): string
}

const MAX_LAUNCHER = 64 * 1024
const MODE = 0o700

/** Node and a file of the build as they are now: they are built beside the program that runs. */
const targetHere = (file: string): Target => ({
  node: process.execPath,
  bundle: fileURLToPath(new URL(file, import.meta.url)),
})
export const hookTarget = () => targetHere('hook.cjs')

/** What differs between launchers: their name, and what they do behind their head, for a shell and for Node. */
interface Program {
  name: string
  about: string
  shell: string
  node: string
}

export const launcherIn = (home: string, target = hookTarget(), platform = process.platform): Launcher =>
  makeLauncher(HOOK, home, target, platform)

export const serverLauncherIn = (
  home: string,
  target = targetHere('cli.cjs'),
  platform = process.platform,
): Launcher => makeLauncher(SERVER, home, target, platform)

function makeLauncher(
  { name, about, shell, node }: Program,
  home: string,
  target: Target,
  platform: NodeJS.Platform,
): Launcher {
  // On Windows the client starts Node itself: a script for its shell could not be started without that shell.
  const isNode = platform === 'win32'
  const path = join(home, 'bin', isNode ? `${name}.cjs` : name)
  const inShell = isNode ? `node "${path}"` : quoteForShell(path)
  return {
    path,
    text: isNode
      ? `${nodeHead(about, home, target)}\n${node}`
      : `${shellHead(about, home, target)}\n${shell}`,
    start: (...args) => (isNode ? { command: 'node', args: [path, ...args] } : { command: path, args }),
    inShell: (...args) => [inShell, ...args].filter(Boolean).join(' '),
  }
}

/** One word of a shell, whatever is in it. */
const quoteForShell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** NODE_OPTIONS may name what is not there, and certificates of its own make Node start three times as slow. */
const shellHead = (about: string, home: string, target: Target) => `#!/bin/sh
# ${about.replaceAll('\n', '\n# ')}
# ${JSON.stringify(target)}
unset NODE_OPTIONS NODE_EXTRA_CA_CERTS
SAVEPOINT_HOME=${quoteForShell(home)}
export SAVEPOINT_HOME
node=${quoteForShell(target.node)}
bundle=${quoteForShell(target.bundle)}`

const nodeHead = (about: string, home: string, target: Target) => `// ${about.replaceAll('\n', '\n// ')}
// ${JSON.stringify(target)}
const { appendFileSync, existsSync, statSync } = require('node:fs')
const home = ${JSON.stringify(home)}
const bundle = ${JSON.stringify(target.bundle)}
process.env.SAVEPOINT_HOME = home`

const HOOK: Program = {
  name: 'savepoint-hook',
  about: `\`savepoint init\` wrote this, and writes it again where Node or Savepoint has moved.
It ends with 0 whatever happens: the agent goes on as if Savepoint were not there.`,
  // The shell waits for Node instead of becoming it: so even a Node that crashes ends well. That costs a millisecond
  // or two.
  shell: `fault() {
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
`,
  node: `const fault = (reason) => {
  try {
    const file = home + '/faults.jsonl'
    const line = JSON.stringify({ at: new Date().toISOString(), reason }) + '\\n'
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) < 65536) appendFileSync(file, line, { mode: 0o600 })
  } finally {
    process.exit(0)
  }
}
process.on('uncaughtException', () => fault('hook_failed'))
process.argv[1] = bundle
if (existsSync(bundle)) require('node:module').runMain()
else fault('bundle_missing')
`,
}

const SERVER: Program = {
  name: 'savepoint-mcp',
  about: 'Written by `savepoint init --plugin`. Run it again if Node or Savepoint has moved.',
  // The shell becomes Node: the client's signals and the end of its input reach the server itself.
  shell: `missing() {
  echo "savepoint: $1 not found. Install Savepoint again, then run: savepoint init --plugin" >&2
  exit 127
}
[ -f "$bundle" ] || missing "$bundle"
[ -x "$node" ] || node=$(command -v node) || missing node
exec "$node" "$bundle" mcp "$@"
`,
  node: `if (!existsSync(bundle)) {
  console.error(\`savepoint: \${bundle} not found. Install Savepoint again, then run: savepoint init --plugin\`)
  process.exit(127)
}
process.argv.splice(1, 1, bundle, 'mcp')
require('node:module').runMain()
`,
}

/** What a launcher says that it starts; null where it is none of ours. */
export function targetIn(text: string): Target | null {
  const line = /^(?:#|\/\/) (\{"node":".*","bundle":".*"\})$/m.exec(text)?.[1]
  // `as`: the line that every launcher has.
  return (parseOrUndefined(line ?? '') as Target | undefined) ?? null
}

/** What is to be done to the launcher: it is missing, it says something else, or it is as it should be. */
export function launcherChange({ path, text }: Launcher): 'made' | 'changed' | null {
  const standing = readPlainFile(path, MAX_LAUNCHER)
  if (standing === null) return 'made'
  const isSame = standing.toString('utf8') === text && (lstatSync(path).mode & 0o777) === MODE
  return isSame ? null : 'changed'
}

export const writeLauncher = ({ path, text }: Launcher, ports: Ports) =>
  writePrivate(dirname(path), basename(path), Buffer.from(text), ports, { mode: MODE })
