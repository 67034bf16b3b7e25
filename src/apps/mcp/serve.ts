import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { describe } from '../../core/reason.ts'
import { visible } from '../../core/visible.ts'
import { realPorts, workingFolder } from '../real-ports.ts'
import { mcpServer, turns } from './server.ts'

declare const SAVEPOINT_VERSION: string

/** A message that is longer ends the connection: nothing that is saved is nearly as long. */
const MAX_MESSAGE = 4 * 1024 * 1024
/** A client that sends garbage is told so often, and no more. */
const MOST_COMPLAINTS = 10

/** Serves until the client closes stdin, or says that it ends; what was begun is finished. Stdout is the protocol's. */
export async function serve(folder: string | undefined): Promise<number> {
  const { env } = process
  const place = { cwd: folder ?? (env.CLAUDE_PROJECT_DIR || workingFolder()), env, ports: realPorts }
  const queue = turns()
  const wire = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MAX_MESSAGE })
  let complaints = 0
  serveStdio(() => mcpServer({ ...place, version: SAVEPOINT_VERSION }, queue), {
    transport: wire,
    onerror(error) {
      complaints += 1
      if (complaints <= MOST_COMPLAINTS) console.error(`savepoint: ${visible(describe(error))}`)
    },
  })
  await ended(wire)
  await queue.done()
  return 0
}

/** When the connection is over, by whatever of the many ways. */
function ended(wire: StdioServerTransport): Promise<void> {
  return new Promise((resolve) => {
    const closed = wire.onclose
    wire.onclose = () => {
      closed?.()
      resolve()
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve())
  })
}
