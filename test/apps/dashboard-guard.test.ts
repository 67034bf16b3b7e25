import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Access, proveKey } from '../../src/apps/dashboard/access.ts'
import { dashboardApp } from '../../src/apps/dashboard/app.ts'
import { Changes } from '../../src/apps/dashboard/changes.ts'
import { IndexFiller } from '../../src/apps/dashboard/search-page.ts'
import { testPorts } from '../support/ports.ts'
import { type Sandbox, sandbox } from '../support/sandbox.ts'
import { askOver, type Dashboard, openDashboard, runningIn, startDashboard } from './dashboard-lab.ts'

interface Route {
  method: string
  path: string
}

/** Every route that the server has, as it says itself. */
function listRoutes(): Route[] {
  const home = { path: '/nowhere', database: '/nowhere/db', sessions: '/nowhere/sessions' }
  const changes = new Changes(home)
  const app = dashboardApp({
    place: {
      cwd: '/',
      env: {},
      ports: testPorts(),
      version: '0',
      speaker: 'user',
      filler: new IndexFiller(),
    },
    ...{
      port: 1,
      access: new Access(1),
      changes,
      folder: '/nowhere',
      inTurn: (act) => act(),
    },
  })
  changes.close()
  const routes = app.routes.filter(({ method }) => method !== 'ALL')
  return routes
    .map(({ method, path }) => ({ method, path: path.replace(/:\w+/g, 'focus') }))
    .filter(
      (one, at, all) =>
        all.findIndex((other) => other.path === one.path && other.method === one.method) === at,
    )
}

interface Case {
  name: string
  change: (headers: Record<string, string>, dashboard: Dashboard) => Record<string, string>
  status: number[]
  /** Only these routes are refused for it; all without it. */
  on?: (route: Route) => boolean
}

const isApi = ({ path }: Route) => path.startsWith('/api/')
const isWrite = ({ method, path }: Route) => method === 'POST' && isApi({ method, path })
const isOwners = ({ path }: Route) => path === '/link'

const withHeader =
  (name: string, value: (dashboard: Dashboard) => string): Case['change'] =>
  (headers, dashboard) => ({ ...headers, [name]: value(dashboard) })

const without =
  (...names: string[]): Case['change'] =>
  (headers) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)))

/** Names that lead to this machine, or seem to, and are not the one that was given out. */
const HOSTS: Array<(port: number) => string> = [
  (port) => `evil.example:${port}`,
  () => 'evil.example',
  () => '127.0.0.1',
  () => 'localhost',
  (port) => `127.0.0.1:${port + 1}`,
  (port) => `0.0.0.0:${port}`,
  (port) => `[::1]:${port}`,
  (port) => `127.1:${port}`,
  (port) => `2130706433:${port}`,
  (port) => `127.0.0.1.nip.io:${port}`,
  (port) => `localhost.:${port}`,
  (port) => `LOCALHOST:${port}`,
  (port) => `127.0.0.1:0${port}`,
  (port) => `user@127.0.0.1:${port}`,
  (port) => `127.0.0.1:${port}@evil.example`,
  (port) => `127.0.0.1:${port}, evil.example`,
  (port) => `evil.example, 127.0.0.1:${port}`,
  (port) => `127.0.0.1:${port}#`,
  (port) => `127.0.0.1:${port}/`,
  () => '',
]

const ORIGINS: Array<(port: number) => string> = [
  () => 'http://evil.example',
  () => 'null',
  () => '',
  (port) => `https://127.0.0.1:${port}`,
  (port) => `http://127.0.0.1:${port + 1}`,
  (port) => `http://localhost:${port}`,
  () => 'http://127.0.0.1',
  (port) => `http://127.0.0.1:${port}.evil.example`,
  (port) => `http://127.0.0.1:${port}/`,
  (port) => `http://user@127.0.0.1:${port}`,
  () => 'file://',
  () => 'chrome-extension://abcdefghijklmnop',
]

const TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'text/plain; application/json',
  'application/json-patch+json',
  'application/jsonx',
  '',
]

const COOKIES: Record<string, Case['change']> = {
  'no cookie': without('cookie'),
  'an empty cookie': withHeader('cookie', ({ port }) => `savepoint_${port}=`),
  'a wrong cookie': withHeader('cookie', ({ port }) => `savepoint_${port}=${'A'.repeat(43)}`),
  'a longer cookie': withHeader('cookie', ({ cookie }) => `${cookie}x`),
  'a shorter cookie': withHeader('cookie', ({ cookie }) => cookie.slice(0, -1)),
  'the cookie of another port': withHeader('cookie', ({ cookie }) => cookie.replace(/_\d+=/, '_1=')),
  'the cookie under a longer name': withHeader('cookie', ({ cookie }) => `x${cookie}`),
}

const CASES: Case[] = [
  ...HOSTS.map((host) => ({
    name: `host ${JSON.stringify(host(7777))}`,
    change: withHeader('host', ({ port }) => host(port)),
    status: [400, 421],
  })),
  { name: 'no host', change: without('host'), status: [400, 421] },
  ...ORIGINS.map((origin) => ({
    name: `origin ${JSON.stringify(origin(7777))}`,
    change: withHeader('origin', ({ port }) => origin(port)),
    status: [403],
  })),
  ...['cross-site', 'same-site', 'anything'].map((site) => ({
    name: `a request from a page of the ${site}`,
    change: withHeader('sec-fetch-site', () => site),
    status: [403],
  })),
  ...['cross-site', 'same-site'].map((site) => ({
    name: `a link on a page of the ${site}`,
    change: (headers: Record<string, string>) => ({
      ...without('origin')(headers, {} as Dashboard),
      ...{ 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    }),
    status: [403],
    // These two hold nothing, and may be led to.
    on: ({ method, path }: Route) => !(method === 'GET' && (path === '/' || path === '/enter')),
  })),
  ...Object.entries(COOKIES).map(([name, change]) => ({ name, change, status: [401], on: isApi })),
  ...TYPES.map((type) => ({
    name: `content type ${JSON.stringify(type)}`,
    change: withHeader('content-type', () => type),
    status: [415],
    on: isWrite,
  })),
  { name: 'no content type', change: without('content-type'), status: [415], on: isWrite },
  {
    name: 'a change that names no origin and no site',
    change: without('origin', 'sec-fetch-site'),
    status: [403],
    on: isWrite,
  },
  {
    name: 'a key of nobody',
    change: withHeader('authorization', () => 'Bearer x'),
    status: [401],
    on: isOwners,
  },
]

/** A request as the page sends it. */
const asPage = ({ method }: Route, dashboard: Dashboard) =>
  dashboard.headers(method === 'POST' ? { origin: dashboard.origin, 'content-type': 'application/json' } : {})

const saved = (box: Sandbox) => box.json(['list', '--all'])

describe('every route', () => {
  test('is refused to every request that is not of the page itself', async () => {
    const box = sandbox()
    box.json(['save', 'One', '--decision', 'Keep it'])
    const dashboard = await openDashboard(box)
    const routes = listRoutes()
    expect(routes.length).toBeGreaterThan(15)
    expect(CASES.length).toBeGreaterThan(40)
    const before = saved(box)
    const wrong: string[] = []
    for (const route of routes) {
      const { method, path } = route
      const good = asPage(route, dashboard)
      const body = method === 'POST' ? '{"workspace":"x","input":{}}' : ''
      const ask = (headers: Record<string, string>) =>
        askOver(dashboard.port, path, { method, headers, body })
      for (const { name, change, status, on = () => true } of CASES) {
        if (!on(route)) continue
        const answer = await ask(change(good, dashboard))
        const what = `${method} ${path} with ${name}`
        if (!status.includes(answer.status)) wrong.push(`${what}: ${answer.status}`)
        if (answer.headers['access-control-allow-origin'] !== undefined)
          wrong.push(`${what}: it allows others`)
        if (answer.headers['set-cookie'] !== undefined) wrong.push(`${what}: it gives a cookie`)
        if (/\n\s+at /.test(answer.text)) wrong.push(`${what}: it tells of the program`)
      }
      const answer = await ask(good)
      const isThere = isOwners(route) ? answer.status === 401 : ![401, 415, 421].includes(answer.status)
      if (!isThere) wrong.push(`${method} ${path} as the page asks: ${answer.status} ${answer.text}`)
    }
    expect(wrong).toEqual([])
    expect(saved(box)).toEqual(before)
  })

  test('answers with a policy that lets in nothing from elsewhere', async () => {
    const dashboard = await openDashboard(sandbox())
    for (const route of [
      ...listRoutes(),
      { method: 'GET', path: '/nothing' },
      { method: 'GET', path: '/api/x' },
    ]) {
      const { headers } = await askOver(dashboard.port, route.path, {
        ...{ method: route.method, headers: asPage(route, dashboard), body: '' },
      })
      expect(headers, route.path).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cache-control': expect.stringMatching(/no-store|no-cache/),
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      })
      const policy = headers['content-security-policy'] as string
      expect(policy).toMatch(/^default-src 'none';/)
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).toContain("form-action 'none'")
      expect(policy).not.toMatch(/unsafe|https?:|\*|data:/)
    }
  })

  test('has no other method', async () => {
    const dashboard = await openDashboard(sandbox())
    for (const { path } of listRoutes())
      for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
        const headers = dashboard.headers({ origin: dashboard.origin, 'content-type': 'application/json' })
        const { status } = await askOver(dashboard.port, path, { method, headers })
        expect([400, 401, 404, 405], `${method} ${path}`).toContain(status)
      }
  })

  test('of events is not taken up by requests that read nothing', async () => {
    const dashboard = await openDashboard(sandbox())
    const headers = dashboard.headers({ origin: dashboard.origin, 'content-type': 'application/json' })
    for (let count = 0; count < 33; count += 1) {
      const { status } = await askOver(dashboard.port, '/api/events', { method: 'HEAD', headers })
      expect(status).toBe(405)
    }
    expect((await askOver(dashboard.port, '/api/events', { headers })).status).toBe(200)
  })

  test('knows its cookie beside one of the same name that another port has set', async () => {
    const dashboard = await openDashboard(sandbox())
    const [name = ''] = dashboard.cookie.split('=')
    for (const cookie of [`${name}=other; ${dashboard.cookie}`, `${dashboard.cookie}; ${name}=other`]) {
      const { status } = await askOver(dashboard.port, '/api/now', { headers: dashboard.headers({ cookie }) })
      expect(status, cookie).toBe(200)
    }
  })
})

describe('the link', () => {
  test('opens the page once, and gives a cookie that no script and no other site can use', async () => {
    const dashboard = await startDashboard(sandbox())
    const { search } = new URL(dashboard.url)
    const open = (more: Record<string, string> = {}, method = 'GET') =>
      askOver(dashboard.port, `/enter${search}`, { method, headers: { host: dashboard.host, ...more } })
    expect((await open({}, 'HEAD')).status).toBe(403)
    expect((await open({ 'sec-purpose': 'prefetch;prerender' })).status).toBe(403)
    const first = await open({ 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' })
    expect(first).toMatchObject({ status: 303, headers: { location: '/' } })
    const [cookie = ''] = first.headers['set-cookie'] ?? []
    expect(cookie).toMatch(
      new RegExp(`^savepoint_${dashboard.port}=[\\w-]{43}; Path=/api; HttpOnly; SameSite=Strict$`),
    )
    const again = await open()
    expect(again.status).toBe(403)
    expect(again.headers['set-cookie']).toBeUndefined()
    expect(again.text).toContain('savepoint dashboard')
    const wrong = await askOver(dashboard.port, '/enter?token=', { headers: { host: dashboard.host } })
    expect(wrong.status).toBe(403)
  })

  test('of another start is given to whoever knows the key in the private home', async () => {
    const box = sandbox()
    const dashboard = await startDashboard(box)
    const { key } = runningIn(box) as { key: string }
    const ask = (headers: Record<string, string>) =>
      askOver(dashboard.port, '/link', { method: 'POST', headers: { host: dashboard.host, ...headers } })
    expect((await ask({})).status).toBe(401)
    expect((await ask({ authorization: 'Bearer ' })).status).toBe(401)
    expect((await ask({ authorization: `Bearer ${key}` })).status).toBe(401)
    const authorization = `Bearer ${proveKey(key, 'link')}`
    const given = await ask({ authorization })
    expect(given.status).toBe(200)
    expect(JSON.parse(given.text).token).toMatch(/^[\w-]{43}$/)
    expect((await ask({ authorization, origin: 'http://evil.example' })).status).toBe(403)
    expect(statSync(join(box.home, 'dashboard.json')).mode & 0o777).toBe(0o600)
  })
})

test('only this machine can reach it', async () => {
  const dashboard = await startDashboard(sandbox())
  const table = readFileSync('/proc/net/tcp', 'utf8') + readFileSync('/proc/net/tcp6', 'utf8')
  const port = dashboard.port.toString(16).toUpperCase().padStart(4, '0')
  const listening = [...table.matchAll(/^\s*\d+: ([0-9A-F]+):([0-9A-F]{4}) \S+ 0A /gm)].filter(
    ([, , at]) => at === port,
  )
  expect(listening.map(([, address]) => address)).toEqual(['0100007F'])
})

test('what is too large or no JSON is refused, and not read on', async () => {
  const box = sandbox()
  box.json(['save', 'One'])
  const dashboard = await openDashboard(box)
  const send = (body: string) =>
    askOver(dashboard.port, '/api/verbs/save', {
      ...{ method: 'POST', headers: asPage({ method: 'POST', path: '' }, dashboard), body },
    })
  // Whoever still sends meanwhile may meet a closed connection in place of the answer.
  const large = await send(`{"workspace":"x","input":{"text":"${'x'.repeat(1_100_000)}"}}`).catch(() => null)
  if (large !== null) expect(JSON.parse(large.text).reason).toBe('file_too_large')
  for (const [body, status, reason] of [
    ['{', 400, 'usage_invalid'],
    ['[]', 400, 'usage_invalid'],
    ['null', 400, 'usage_invalid'],
    ['{"workspace":7}', 400, 'usage_invalid'],
    ['{"workspace":"x","more":1}', 400, 'usage_invalid'],
    ['{"workspace":"../../etc"}', 404, 'workspace_unknown'],
    [JSON.stringify({ workspace: box.repo }), 404, 'workspace_unknown'],
    ['{"__proto__":{"workspace":"x"}}', 400, 'usage_invalid'],
  ] as const) {
    const answer = await send(body)
    expect([answer.status, JSON.parse(answer.text).reason], body.slice(0, 60)).toEqual([status, reason])
  }
})

test('whatever is asked for, the server answers in its own words and goes on', async () => {
  const box = sandbox()
  box.json(['save', 'One'])
  const dashboard = await openDashboard(box)
  const words = [
    '%E0%A4%A',
    '%00',
    '..%2f..%2fetc%2fpasswd',
    '__proto__',
    'constructor',
    "'%20OR%201=1--",
    '%F0%9F%98%80',
    'x'.repeat(3_000),
  ]
  const paths = words.flatMap((word) => [
    ...[`/${word}`, `/api/${word}`, `/api/works/${word}`, `/api/works/${word}/diff?from=1&to=2`],
    ...[`/api/works?repository=${word}`, `/api/sessions/${word}`, `/api/sessions/claude~${word}`],
    ...[
      `/api/sessions?branch=${word}&outcome=${word}&before=${word}`,
      `/api/runs/${word}`,
      `/api/runs?repository=${word}`,
    ],
    ...[`/api/status?workspace=${word}`, `/api/brief?workspace=${word}&tokens=${word}&work=${word}`],
    ...[
      `/api/search?q=${word}`,
      `/api/search?q=x&kind=${word}`,
      `/api/learnings?q=${word}&workspace=${word}`,
    ],
  ])
  for (const path of paths) {
    const { status, text } = await askOver(dashboard.port, path, { headers: dashboard.headers() })
    expect([200, 400, 404], `${path.slice(0, 90)}: ${text.slice(0, 200)}`).toContain(status)
    expect(text).not.toMatch(/\n\s+at |internal_error|SQLITE/)
  }
  for (const verb of words) {
    const headers = asPage({ method: 'POST', path: '' }, dashboard)
    const { status } = await askOver(dashboard.port, `/api/verbs/${verb}`, {
      method: 'POST',
      headers,
      body: '{}',
    })
    expect([400, 403, 404], verb.slice(0, 40)).toContain(status)
  }
  expect((await askOver(dashboard.port, '/api/now', { headers: dashboard.headers() })).status).toBe(200)
})
