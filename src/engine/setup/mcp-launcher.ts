import type { HookCommand } from '../../core/agent-setup.ts'
import { type Script, scriptIn, shellHead, type Target, targetHere } from './launcher.ts'

/** The small program that the plugin names as its server. */
export interface ServerLauncher extends Script {
  server: HookCommand
}

const ABOUT = ['`savepoint init --plugin` wrote this, and writes it again where Node or Savepoint has moved.']

/** Node and the command line as they are now. */
export const serverTargetHere = (): Target => targetHere('cli.cjs')

export function serverLauncherIn(home: string, target: Target, platform = process.platform): ServerLauncher {
  const texts = { shell: () => scriptForShell(home, target), node: () => scriptForNode(home, target) }
  const { startedWith, ...script } = scriptIn(home, 'savepoint-mcp', texts, platform)
  return { ...script, server: startedWith() }
}

/** The shell becomes Node: the client's signals and the end of its input reach the server itself. */
const scriptForShell = (home: string, target: Target) => `${shellHead(ABOUT, home, target)}
missing() {
  echo "savepoint: $1 is not there. Install Savepoint again, and run: savepoint init --plugin" >&2
  exit 127
}
[ -f "$bundle" ] || missing "$bundle"
[ -x "$node" ] || node=$(command -v node) || missing node
exec "$node" "$bundle" mcp "$@"
`

const scriptForNode = (home: string, target: Target) => `// ${ABOUT.join('\n// ')}
// ${JSON.stringify(target)}
const bundle = ${JSON.stringify(target.bundle)}
process.env.SAVEPOINT_HOME = ${JSON.stringify(home)}
if (!require('node:fs').existsSync(bundle)) {
  console.error(\`savepoint: \${bundle} is not there. Install Savepoint again, and run: savepoint init --plugin\`)
  process.exit(127)
}
process.argv.splice(1, 1, bundle, 'mcp')
require('node:module').runMain()
`
