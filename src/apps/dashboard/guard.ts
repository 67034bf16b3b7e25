import type { MiddlewareHandler, Context as RequestContext } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { asReason, REASONS, ReasonError } from '../../core/reason.ts'
import type { Access } from './access.ts'
import type { Refusal } from './api.ts'

/** No script, style, picture or connection but our own; nothing may frame the page, and no form leaves it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export const SAFE_HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
} as const

interface RequestFacts {
  method: string
  path: string
  header(name: string): string | undefined
}

type Refused = { status: 401 | 403 | 405 | 415 | 421; problem: string } | null

/** Pages that another site may lead to, by a link: they hold nothing until a cookie is there. */
const LANDINGS = ['/', '/enter']

/**
 * Why a request is refused, or null. The order is that of what can be trusted least: a name that leads here by another
 * way than ours (DNS rebinding), a page of another origin, then who asks, then what is sent.
 */
export function whyRefused(
  { method, path, header }: RequestFacts,
  { port, access }: { port: number; access: Access },
): Refused {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`]
  const host = header('host') ?? ''
  if (!hosts.includes(host)) return { status: 421, problem: 'Wrong host name.' }
  const origin = header('origin')
  if (origin !== undefined && origin !== `http://${host}`)
    return { status: 403, problem: 'Requests from other pages are refused.' }
  const site = header('sec-fetch-site')
  const isLanding = method === 'GET' && LANDINGS.includes(path) && header('sec-fetch-mode') === 'navigate'
  const isOurs = site === undefined || site === 'same-origin' || (site === 'none' && method === 'GET')
  if (!isOurs && !isLanding) return { status: 403, problem: 'Requests from other pages are refused.' }
  // Only this user's own command asks for another link; no browser can send that header to another origin unasked.
  if (path === '/link' && method === 'POST')
    return access.isOwner(header('authorization')) ? null : { status: 401, problem: 'The key is wrong.' }
  if (path === '/link') return { status: 405, problem: 'There is nothing to read here.' }
  if (!path.startsWith('/api/')) return null
  if (!access.isKnown(header('cookie')))
    return { status: 401, problem: 'This browser has not opened the link that savepoint dashboard printed.' }
  if (method === 'GET') return null
  // A HEAD would open a stream of events that nobody reads, and that never ends.
  if (method !== 'POST') return { status: 405, problem: 'There is nothing to read here.' }
  // A form can send no JSON, and every browser names the origin of what is sent by a script.
  if (origin === undefined && site !== 'same-origin')
    return { status: 403, problem: 'A change must come from the page itself.' }
  return /^application\/json\s*(?:;|$)/i.test(header('content-type') ?? '')
    ? null
    : { status: 415, problem: 'What is sent must be application/json.' }
}

/** Stands before every route, those that are not there included. */
export const guard =
  (facts: { port: number; access: Access }): MiddlewareHandler =>
  async (c, next) => {
    for (const [name, value] of Object.entries(SAFE_HEADERS)) c.header(name, value)
    const refused = whyRefused(
      { method: c.req.method, path: c.req.path, header: (name) => c.req.header(name) },
      facts,
    )
    if (refused === null) return next()
    return refusalAnswer(c, new ReasonError('request_refused', { problem: refused.problem }), refused.status)
  }

/** A failure as the page is told it: the words of the command line, and never where in the program it was. */
export function refusalAnswer(
  c: RequestContext,
  error: unknown,
  status?: ContentfulStatusCode,
  notices: readonly string[] = [],
): Response {
  const { reason, message, hint } = asReason(error)
  const answer: Refusal = {
    ...{ ok: false, reason, message, hint },
    ...(notices.length > 0 ? { notices: [...new Set(notices)] } : {}),
  }
  // `as`: 499, which a cancelled command has, is in no list of the protocol.
  return c.json(answer, status ?? (REASONS[reason].http as ContentfulStatusCode))
}
