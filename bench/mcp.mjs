// The MCP server: how soon it answers, against bare Node, and how much memory it holds after hundreds of calls.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { inTempFolder, interleaved, median, row, timed } from './measure.mjs'

const CLI = join(dirname(fileURLToPath(import.meta.url)), '..', 'dist', 'cli.cjs')
const ROUNDS = 25
const CALLS = 400
const MOST_TIMES_BARE = 5
const MOST_MB = 90

/** A server, spoken to by lines: the handshake that most clients still use. */
function start(place) {
  const child = spawn(process.execPath, [CLI, 'mcp'], {
    cwd: join(place, 'project'),
    env: { ...process.env, HOME: place, SAVEPOINT_HOME: join(place, 'home'), CLAUDECODE: '' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const waiting = new Map()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line)
    waiting.get(message.id)?.(message)
  })
  let last = 0
  const ask = (method, params) =>
    new Promise((resolve) => {
      last += 1
      waiting.set(last, resolve)
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: last, method, params })}\n`)
    })
  const greet = () =>
    ask('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'bench', version: '1' },
    })
  const end = async () => {
    const exit = once(child, 'exit')
    child.stdin.end()
    await exit
  }
  return { child, ask, greet, end }
}

async function untilAnswered(place, methods) {
  const server = start(place)
  const ms = await timed(async () => {
    await server.greet()
    for (const method of methods) await server.ask(method, {})
  })
  await server.end()
  return ms
}

/** Node's own start, to its end. */
const bare = () => timed(async () => once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit'))

async function call(server, name, input) {
  const { result } = await server.ask('tools/call', { name, arguments: input })
  if (!result || result.isError) throw new Error(`${name}: ${JSON.stringify(result)}`)
}

/** The most memory that a server held, in MB. */
async function memoryOf(place) {
  const server = start(place)
  await server.greet()
  await server.ask('tools/list', {})
  for (let n = 0; n < CALLS; n += 4) {
    await call(server, 'savepoint_save', { summary: `Step ${n}`, decision: [`Choice ${n} because of ${n}`] })
    await call(server, 'savepoint_resume', {})
    await call(server, 'savepoint_search', { words: ['choice'] })
    await call(server, 'savepoint_status', {})
  }
  const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.child.pid}/status`, 'utf8'))?.[1]
  await server.end()
  return Number(peak) / 1024
}

export async function measure() {
  return inTempFolder(async (place) => {
    mkdirSync(join(place, 'project'))
    spawnSync('git', ['init', '--quiet', join(place, 'project')])
    // A home, as `init` and every save make it; what V8 compiled is kept there by the first server.
    const env = { ...process.env, HOME: place, SAVEPOINT_HOME: join(place, 'home'), CLAUDECODE: '' }
    spawnSync(process.execPath, [CLI, 'save', 'Begin'], { cwd: join(place, 'project'), env })
    await untilAnswered(place, ['tools/list'])
    const times = await interleaved(ROUNDS, {
      bare,
      hello: () => untilAnswered(place, []),
      list: () => untilAnswered(place, ['tools/list']),
    })
    const [node, hello, list] = [median(times.bare), median(times.hello), median(times.list)]
    const memory = process.platform === 'linux' ? await memoryOf(place) : null
    return [
      row('start to the answer of the handshake, against bare Node', hello, node, MOST_TIMES_BARE),
      row('start to the list of tools, against bare Node', list, node, MOST_TIMES_BARE),
      ...(memory === null
        ? []
        : [
            {
              ...row(`most memory in ${CALLS} calls, against ${MOST_MB} MB`, memory, MOST_MB, 1),
              unit: 'MB',
            },
          ]),
    ]
  })
}
