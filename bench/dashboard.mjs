// The dashboard over years of work: how soon each view is answered, and how much memory the server holds.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { root } from '../scripts/setup.mjs'
import { fillDashboardStore } from './dashboard-store.mjs'
import { inTempFolder, median, row, timed } from './measure.mjs'

const ROUNDS = 15
/** The first view is there within 1,500 ms; the page itself needs some of them. */
const FIRST_MS = 1_000
const VIEW_MS = 500
const MOST_MB = 120

/** Every limit, measured in one go. */
export function measure() {
  return inTempFolder(async (place) => {
    const { env, repos } = await fillDashboardStore(place)
    const begun = performance.now()
    const { child, get, end } = await start(repos[0], env)
    const started = performance.now() - begun
    try {
      const first = await timed(() => get('/api/now'))
      const { repositories, totals } = await get('/api/now')
      const largest = repositories.toSorted((a, b) => b.archived - a.archived)[0]
      const workspace = largest.workspaces[0].id
      const { works } = await get(`/api/works?repository=${largest.id}`)
      const { sessions } = await get('/api/sessions')
      const views = {
        now: '/api/now',
        works: `/api/works?repository=${largest.id}`,
        'one work': `/api/works/${works[5].id}`,
        'a diff': `/api/works/${works[5].id}/diff?from=3&to=40`,
        sessions: '/api/sessions',
        'sessions of a branch': '/api/sessions?branch=release',
        'one session': `/api/sessions/${sessions[30].key}`,
        runs: '/api/runs',
        status: `/api/status?workspace=${workspace}`,
        brief: `/api/brief?workspace=${workspace}&work=${works[5].name}`,
      }
      const filling = await timed(() => untilFilled(get))
      const rows = []
      for (const [name, path] of Object.entries({ ...views, 'search as you type': '/api/search?q=migra*' })) {
        const times = []
        for (let round = 0; round < ROUNDS; round += 1) times.push(await timed(() => get(path)))
        rows.push(row(`${name}, median / ${VIEW_MS} ms`, median(times), VIEW_MS, 1))
      }
      const amount = `${totals.works} works, ${totals.sessions} sessions, ${totals.checkpoints} checkpoints`
      return [
        row(
          `${amount}: from the start of the command to the first view / ${FIRST_MS} ms`,
          started + first,
          FIRST_MS,
          1,
        ),
        ...rows,
        row('until the first search finds everything / 60 s', filling, 60_000, null),
        { ...row(`memory after all of it / ${MOST_MB} MB`, memoryOf(child.pid), MOST_MB, 1), unit: 'MB' },
      ]
    } finally {
      await end()
    }
  })
}

/** The index is filled beside the server, which goes on answering. */
async function untilFilled(get) {
  while ((await get('/api/search?q=token')).isFilling)
    await new Promise((resolve) => setTimeout(resolve, 250))
}

/** The built command, and a client that has opened its link. */
async function start(cwd, env) {
  const child = spawn(process.execPath, [join(root, 'dist/cli.cjs'), 'dashboard', '--json'], {
    ...{ cwd, env, stdio: ['pipe', 'pipe', 'inherit'] },
  })
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const { url } = JSON.parse(line)
  const entered = await fetch(url, { redirect: 'manual' })
  const cookie = entered.headers.get('set-cookie').split(';')[0]
  const get = async (path) => {
    const answer = await fetch(new URL(path, url), { headers: { cookie } })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    return answer.json()
  }
  const end = async () => {
    const exit = once(child, 'exit')
    child.stdin.end()
    await exit
  }
  return { child, get, end }
}

/** The most that it ever held. */
function memoryOf(pid) {
  const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) / 1_024
}
