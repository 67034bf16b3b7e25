import type { Context as RequestContext } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { asReason, REASONS } from '../../core/reason.ts'
import type { Refusal } from './api.ts'

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
