import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type IncomingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import type { NowPage, WorksPage } from '../../src/apps/dashboard/api.ts'
import { readPrivateJson } from '../../src/engine/context/private-json.ts'
import { cliPath, type Sandbox, type Surroundings } from '../support/sandbox.ts'

export interface HttpAnswer {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

interface HttpAsked {
  method?: string
  headers?: Readonly<Record<string, string>>
  body?: string | Buffer
}

/** One request over a real connection, with exactly these headers: `fetch` would not let a test name another host. */
export function askOver(port: number, path: string, asked: HttpAsked = {}): Promise<HttpAnswer> {
  const { method = 'GET', headers = {}, body } = asked
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path, method, setHost: false, agent: false, headers },
      (answer) => {
        let text = ''
        const tell = () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text })
        answer.on('data', (chunk) => {
          text += chunk
          // A stream of events has no end: its beginning tells enough.
          if (answer.headers['content-type']?.startsWith('text/event-stream')) {
            tell()
            sent.destroy()
          }
        })
        answer.on('end', tell)
        answer.on('error', tell)
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

interface Started {
  url: string
  port: number
  pid: number
  reused: boolean
}

/** The built dashboard, and a browser that has opened its link. */
export class Dashboard {
  readonly child: ChildProcess
  readonly port: number
  readonly url: string
  readonly host: string
  readonly origin: string
  cookie = ''

  constructor(child: ChildProcess, { port, url }: Started) {
    this.child = child
    this.port = port
    this.url = url
    this.host = `127.0.0.1:${port}`
    this.origin = `http://${this.host}`
  }

  async enter(): Promise<HttpAnswer> {
    const { pathname, search } = new URL(this.url)
    const answer = await askOver(this.port, `${pathname}${search}`, { headers: { host: this.host } })
    this.cookie = answer.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
    return answer
  }

  /** What the page itself sends. */
  headers(more: Readonly<Record<string, string>> = {}) {
    return { host: this.host, cookie: this.cookie, 'sec-fetch-site': 'same-origin', ...more }
  }

  async get<Page>(path: string): Promise<Page> {
    const { status, text } = await askOver(this.port, path, { headers: this.headers() })
    if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`)
    return JSON.parse(text)
  }

  async getRefusal(path: string) {
    const { status, text } = await askOver(this.port, path, { headers: this.headers() })
    return { status, ...JSON.parse(text) }
  }

  // biome-ignore lint/suspicious/noExplicitAny: a verb may answer anything
  async call(verb: string, workspace: string, input: object = {}): Promise<any> {
    const { status, text } = await askOver(this.port, `/api/verbs/${encodeURIComponent(verb)}`, {
      method: 'POST',
      headers: this.headers({ origin: this.origin, 'content-type': 'application/json' }),
      body: JSON.stringify({ workspace, input }),
    })
    return { status, ...JSON.parse(text) }
  }

  async workspace(): Promise<string> {
    const { repositories } = await this.get<NowPage>('/api/now')
    return repositories[0]?.workspaces[0]?.id ?? ''
  }

  async workNamed(name: string) {
    const { works } = await this.get<WorksPage>('/api/works')
    const found = works.find((one) => one.name === name)
    if (found === undefined) throw new Error(`no work ${name}`)
    return found
  }
}

/** Starts the built command, until the test is over. Its stdin is a pipe that stays open. */
export async function startDashboard(
  box: Sandbox,
  { words = [] as string[], env = {} as NodeJS.ProcessEnv } = {},
): Promise<Dashboard> {
  const child = spawn(process.execPath, [cliPath, 'dashboard', '--json', ...words], {
    ...{ cwd: box.repo, env: { ...box.env, ...env } },
  })
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  return new Dashboard(child, JSON.parse(line))
}

/** The same, with its link opened. */
export async function openDashboard(box: Sandbox): Promise<Dashboard> {
  const dashboard = await startDashboard(box)
  await dashboard.enter()
  return dashboard
}

export const runningIn = (box: Sandbox) => readPrivateJson(box.home, 'dashboard.json')

/** The events of a hook, as the client gives them. */
export const hookEvent = (
  box: Sandbox,
  name: string,
  more: object = {},
  session = SESSION,
  given: Surroundings = {},
) =>
  box.hook(['claude'], {
    ...given,
    input: JSON.stringify({
      ...{ hook_event_name: name, session_id: session, cwd: box.repo },
      ...{ transcript_path: join(box.root, `${session}.jsonl`), ...more },
    }),
  })

export const SESSION = 'aaaa1111-2222-4333-8444-555566667777'
