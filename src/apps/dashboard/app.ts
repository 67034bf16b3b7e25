import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Hono, type Context as RequestContext } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { streamSSE } from 'hono/streaming'
import { instant } from '../../core/ports.ts'
import { errorCode, ReasonError, usageError } from '../../core/reason.ts'
import { type Access, proveKey } from './access.ts'
import type { ServerEvents } from './api.ts'
import type { Asked, ServerPlace } from './asked.ts'
import { callVerb } from './call-verb.ts'
import type { Changes } from './changes.ts'
import { guard, refusalAnswer } from './guard.ts'
import { PAGES } from './pages.ts'

export interface AppParts {
  place: ServerPlace
  port: number
  access: Access
  changes: Changes
  folder: string
  /** Acts, one after the other: two of one process would wait for each other's locks. */
  inTurn<Answer>(act: () => Promise<Answer>): Promise<Answer>
}

/** The files of the page, by the address that each has. Nothing else is ever read for a request. */
const WEB_FILES: Readonly<Record<string, { name: string; type: string }>> = {
  '/': { name: 'index.html', type: 'text/html; charset=utf-8' },
  '/app.js': { name: 'app.js', type: 'text/javascript; charset=utf-8' },
  '/app.css': { name: 'app.css', type: 'text/css; charset=utf-8' },
  '/icon.svg': { name: 'icon.svg', type: 'image/svg+xml' },
}

/** Beside the program, as the build puts it. */
export const webFolder = () => fileURLToPath(new URL('web', import.meta.url))

/** A file of the page; null where it was not built. */
function readWebFile(folder: string, name: string): Buffer | null {
  try {
    return readFileSync(join(folder, name))
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    return null
  }
}

/** A save of all that somebody typed is far smaller. */
const MAX_BODY = 1024 * 1024
/** So often an idle stream says that it lives: a browser that is gone is noticed by that. */
const ALIVE_MS = 15_000
/** A browser opens at most six for one page. */
const MOST_STREAMS = 32

/** The server's routes. No rule of the product is in here: each is one read, or one verb. */
export function dashboardApp(parts: AppParts): Hono {
  const { place, access, changes, folder, inTurn } = parts
  const app = new Hono()
  app.use('*', guard(parts))
  for (const [path, { name, type }] of Object.entries(WEB_FILES))
    app.get(path, (c) => {
      const bytes = readWebFile(folder, name)
      return bytes === null
        ? c.text('The page was not built.', 404)
        : c.body(new Uint8Array(bytes), 200, { 'content-type': type })
    })
  app.get('/enter', (c) => enter(c, access))
  app.post('/link', (c) => {
    const token = access.newToken()
    return c.json({ token, proof: proveKey(access.key, token) })
  })
  for (const [path, page] of Object.entries(PAGES))
    app.get(path, async (c) => c.json(await page(place, readAsked(c))))
  app.post('/api/verbs/:name', bodyLimit({ maxSize: MAX_BODY, onError: tooLarge }), async (c) => {
    const body = await readBody(c)
    const notices: string[] = []
    try {
      return c.json(await inTurn(() => callVerb(place, c.req.param('name'), body, notices)))
    } catch (error) {
      return refusalAnswer(c, error, undefined, notices)
    }
  })
  app.get('/api/events', eventStream(place, changes))
  app.notFound((c) =>
    refusalAnswer(c, new ReasonError('request_refused', { problem: 'There is nothing here.' }), 404),
  )
  app.onError((error, c) => refusalAnswer(c, error))
  return app
}

const readAsked = (c: RequestContext): Asked => ({
  parameter: (name) => c.req.param(name) ?? '',
  query: (name) => c.req.query(name) || undefined,
})

/** The link of the command line, used once: what a browser loads before anybody clicks does not use it up. */
function enter(c: RequestContext, access: Access): Response {
  const isLoadedAhead = c.req.method !== 'GET' || (c.req.header('sec-purpose') ?? '').includes('prefetch')
  const cookie = isLoadedAhead ? null : access.exchange(c.req.query('token') ?? '')
  if (cookie === null)
    return c.text('This link was already used. Run savepoint dashboard for a new one.', 403)
  c.header('set-cookie', cookie)
  return c.redirect('/', 303)
}

const tooLarge = (c: RequestContext) =>
  refusalAnswer(c, new ReasonError('file_too_large', { path: 'What was sent', limit: MAX_BODY }))

async function readBody(c: RequestContext): Promise<unknown> {
  try {
    return await c.req.json()
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw usageError('the body is no JSON')
  }
}

function eventStream({ version, ports }: ServerPlace, changes: Changes) {
  let streams = 0
  return (c: RequestContext) => {
    if (streams >= MOST_STREAMS)
      return refusalAnswer(
        c,
        new ReasonError('request_refused', { problem: 'Too many pages are open.' }),
        503,
      )
    streams += 1
    return streamSSE(c, async (stream) => {
      const send = <Name extends keyof ServerEvents>(event: Name, data: ServerEvents[Name]) =>
        stream.writeSSE({ event, data: JSON.stringify(data) })
      const stop = changes.listen((parts) => void send('changed', { parts, at: instant(ports.now()) }))
      const gone = new Promise<void>((resolve) => stream.onAbort(resolve))
      const alive = setInterval(() => void stream.write(': alive\n\n'), ALIVE_MS)
      try {
        await send('hello', { version, at: instant(ports.now()) })
        await gone
      } finally {
        clearInterval(alive)
        stop()
        streams -= 1
      }
    })
  }
}
