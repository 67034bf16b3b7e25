import { ReasonError } from '../../core/reason.ts'
import type { Context } from '../context/context.ts'

/** Copies the store to a file that does not exist yet, while others write. */
export async function copyStore({ file, home }: Context, to: string): Promise<void> {
  if (file === null)
    throw new ReasonError('store_unavailable', { path: home.database, problem: 'there is no store yet' })
  await file.copyTo(to)
}
