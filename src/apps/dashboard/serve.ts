import { fstatSync } from 'node:fs'
import type { Server } from 'node:http'
import { isatty } from 'node:tty'
import { createAdaptorServer } from '@hono/node-server'
import { AGENTS, speakerOf } from '../../agents/table.ts'
import { describeError, errorCode, ReasonError } from '../../core/reason.ts'
import type { DashboardDoor, DashboardInput } from '../process/dashboard-command.ts'
import { realPorts } from '../process/real-ports.ts'
import { collectAbove } from '../process/small-heap.ts'
import { makeTurns } from '../process/turns.ts'
import { Access } from './access.ts'
import { dashboardApp, webFolder } from './app.ts'
import { readStore } from './asked.ts'
import { openBrowser, openerFor, tunnelCommand } from './browser.ts'
import { Changes } from './changes.ts'
import { askForLink, forgetRunning, noteRunning, readRunning } from './running.ts'
import { IndexFiller } from './search-page.ts'

/** Only this machine can reach it. */
const ADDRESS = '127.0.0.1'
/** Above this, garbage of an answer is collected as soon as it is sent. */
const SMALL_BYTES = 80 * 1024 * 1024
/** Nobody has looked for so long: it ends by itself. */
const IDLE_MS = 12 * 3_600_000

/** Serves the page until somebody ends it; where one is served already, shows the way to that one. */
export async function serveDashboard(input: DashboardInput, door: DashboardDoor): Promise<void> {
  const { cwd, env, version } = door
  const speaker = speakerOf(AGENTS, env)
  const filler = new IndexFiller()
  const place = { cwd, env, version, speaker, filler, ports: realPorts }
  const home = await readStore(place, async (context) => context.home)
  const running = readRunning(home.path)
  const isOfOurs = running?.speaker === speaker
  // On the page that an agent started, users could not speak for themselves: they get one of their own.
  const token = running && (isOfOurs || speaker === 'agent') ? await askForLink(running) : null
  // A link to what the user started would let an agent speak as the user.
  if (running && token !== null)
    return announce(door, input, { ...running, token: isOfOurs ? token : null, isReused: true })
  const turns = makeTurns(() => undefined)
  let app: ReturnType<typeof dashboardApp> | null = null
  let heardMs = realPorts.now()
  const server = createAdaptorServer({
    fetch: (request, bindings) => {
      heardMs = realPorts.now()
      return app?.fetch(request, bindings) ?? new Response(null, { status: 503 })
    },
  }) as Server
  const collect = collectAbove(SMALL_BYTES)
  server.on('request', (_, answer) => answer.once('close', collect))
  const port = await listen(server, input.port ?? 0)
  const access = new Access(port)
  const changes = new Changes(home)
  app = dashboardApp({
    ...{ place, port, access, changes, folder: webFolder() },
    inTurn: (act) => turns.take(act),
  })
  const mine = { port, pid: process.pid, key: access.key, speaker }
  noteRunning(home.path, mine, realPorts)
  const ended = waitForEnd(() => changes.isWatched || realPorts.now() - heardMs < IDLE_MS)
  await announce(door, input, { port, pid: process.pid, token: access.newToken(), isReused: false })
  if (speaker === 'agent') door.err(BY_AGENT)
  await ended
  forgetRunning(home.path, mine)
  changes.close()
  filler.end()
  server.close()
  await turns.done()
  server.closeAllConnections()
}

const BY_AGENT =
  "savepoint: Started by an agent: actions on the page count as the agent's. To act as yourself, run it in your own terminal\n"

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const isTaken = errorCode(error) === 'EADDRINUSE'
      const problem = isTaken ? 'another program listens there' : describeError(error)
      reject(new ReasonError('port_unavailable', { port, problem }, { cause: error }))
    })
    server.listen(port, ADDRESS, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

/**
 * Says where the page is, and opens it where there is a browser. Without a token only a browser that has opened the page
 * before may use it.
 */
async function announce(
  door: DashboardDoor,
  input: DashboardInput,
  at: { port: number; pid: number; token: string | null; isReused: boolean },
): Promise<void> {
  const { port, pid, token, isReused } = at
  const url = `http://${ADDRESS}:${port}/${token === null ? '' : `enter?token=${token}`}`
  if (door.json) return door.out(`${JSON.stringify({ ok: true, url, port, pid, reused: isReused })}\n`)
  if (isReused) {
    const other = input.port !== undefined && input.port !== port ? `, on port ${port}` : ''
    door.out(`The dashboard is already running${other} (process ${pid})\n`)
  }
  door.out(`Dashboard: ${url}\n`)
  const opener = openerFor(door.env, process.platform)
  if (opener === null)
    door.out(
      `No browser here. Run this on your own machine, then open the address there:\n  ${tunnelCommand(door.env, port)}\n`,
    )
  else if (!input.noOpen && !(await openBrowser(url, opener)))
    door.out('Could not start a browser. Open the address yourself\n')
  if (!isReused) door.out('The link works once. Stop with Ctrl-C\n')
}

const LOOK_EVERY_MS = 60_000
const LOOK_FOR_STARTER_MS = 1_000

/** Until a signal, the end of what started it, or a long time in which nobody looked. */
function waitForEnd(isUsed: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const idle = setInterval(() => {
      if (!isUsed()) resolve()
    }, LOOK_EVERY_MS)
    idle.unref()
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve())
    if (isatty(0)) return
    // An agent or a script gives the null device, which never ends: who started it is then seen by its process alone.
    const starter = process.ppid
    setInterval(() => {
      if (process.ppid !== starter) resolve()
    }, LOOK_FOR_STARTER_MS).unref()
    if (!isPipe()) return
    // Whoever started it holds the other end, and is gone when that is closed.
    process.stdin.on('end', () => resolve()).on('error', () => resolve())
    process.stdin.resume()
  })
}

/** Neither a terminal nor the null device nor a file: those never end, or have ended. */
function isPipe(): boolean {
  try {
    const found = fstatSync(0)
    return found.isFIFO() || found.isSocket()
  } catch (error) {
    if (errorCode(error) !== 'EBADF') throw error
    return false
  }
}
