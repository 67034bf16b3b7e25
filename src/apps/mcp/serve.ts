import { existsSync } from 'node:fs'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { AGENTS, projectIn } from '../../agents/table.ts'
import { asReason, describeError, ReasonError } from '../../core/reason.ts'
import { visible } from '../../core/visible.ts'
import { realPorts, workingFolder } from '../process/real-ports.ts'
import { smallHeap } from '../process/small-heap.ts'
import { makeTurns } from '../process/turns.ts'
import { answersTo, flushAnswers, paceInput } from './pace-input.ts'
import { mcpServer } from './server.ts'

declare const SAVEPOINT_VERSION: string

/** A client that sends garbage is told so often, and no more. */
const MOST_COMPLAINTS = 10

const AT_TERMINAL =
  'savepoint: This is a server for agents, waiting for messages (Ctrl-D to quit). To set it up: savepoint init --plugin'

/** Serves the workspace around a folder to its end; where it is not there, the client is told, and has no server. */
export async function serveWorkspace(folder: string | undefined): Promise<number> {
  try {
    await serveIn(folder ?? projectIn(AGENTS, process.env) ?? workingFolder())
    return 0
  } catch (error) {
    const { message, hint, exitCode } = asReason(error)
    console.error(`savepoint: ${visible(message)} ${visible(hint)}`)
    return exitCode
  }
}

/** Until the client closes stdin, or says that it ends; what was begun is finished. Stdout is the protocol's. */
async function serveIn(cwd: string): Promise<void> {
  if (!existsSync(cwd)) throw new ReasonError('folder_unreadable', { path: cwd, problem: 'folder not found' })
  const place = { cwd, env: process.env, ports: realPorts }
  const queue = makeTurns(smallHeap())
  if (process.stdin.isTTY) console.error(AT_TERMINAL)
  const answers = answersTo(process.stdout)
  const said = paceInput(process.stdin, answers, queue)
  const wire = new StdioServerTransport(said, answers)
  let complaints = 0
  serveStdio(() => mcpServer({ ...place, version: SAVEPOINT_VERSION }, queue), {
    transport: wire,
    onerror(error) {
      complaints += 1
      if (complaints <= MOST_COMPLAINTS) console.error(`savepoint: ${complaintOf(error)}`)
    },
  })
  await waitForClose(wire)
  await queue.done()
  await flushAnswers(answers)
}

/** Of a message that is none of the protocol's, its package tells every rule that it breaks: nobody reads that. */
const complaintOf = (error: Error) =>
  error.name.endsWith('ZodError')
    ? 'ignored a message that is not part of the protocol'
    : visible(describeError(error))

/** When the connection is over, by whatever of the many ways. */
function waitForClose(wire: StdioServerTransport): Promise<void> {
  return new Promise((resolve) => {
    const closed = wire.onclose
    wire.onclose = () => {
      closed?.()
      resolve()
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve())
  })
}
