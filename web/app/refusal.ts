import type { Refusal } from '../../src/apps/dashboard/api.ts'

const isRefusal = (value: unknown): value is Refusal =>
  typeof value === 'object' && value !== null && typeof Reflect.get(value, 'message') === 'string'

/** Why something was not done, in the words of the command line; an answer that says nothing gets words of ours. */
export function readRefusal(text: string, status: number): Refusal {
  try {
    const body: unknown = JSON.parse(text)
    if (isRefusal(body)) return body
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  return {
    ok: false,
    reason: '',
    message: status === 0 ? 'The server does not answer' : `The server answered ${status}`,
    hint: 'Start it again: savepoint dashboard',
  }
}
