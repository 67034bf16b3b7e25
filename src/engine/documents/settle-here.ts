import type { Context } from '../context/context.ts'
import { type Settled, settle } from '../publish/settle.ts'
import { rebase } from './rebase.ts'

/** Writes what this workspace owes to its files; an edit that came between is merged into the document. */
export const settleHere = (context: Context, options?: { isLate?: boolean }): Promise<Settled> =>
  settle(context, rebase, options)
