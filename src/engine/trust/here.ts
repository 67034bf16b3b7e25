import { type Head, headOf } from '../../workspace/git-state.ts'
import type { Context } from '../context/context.ts'
import { trustHere } from './trusted.ts'

/** Trust and HEAD, read once at the start of an act and used until its end. */
export interface Here {
  trusted: boolean
  /** The user vouches for what the default branch of the remote brings. */
  vouched: boolean
  /** Where git stands. */
  head: Head
}

/** Called once per act; the result is passed on. */
export async function lookHere(context: Context): Promise<Here> {
  const trust = await trustHere(context)
  return { trusted: trust !== 'none', vouched: trust === 'vouched', head: headOf(context.place) }
}

/** Where in git a checkpoint is made. */
export const provenanceOf = ({ head }: Pick<Here, 'head'>) => ({ ...head, author: null })
