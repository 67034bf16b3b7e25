import { type Head, headOf } from '../../workspace/git-state.ts'
import type { Context } from '../context/context.ts'
import { isTrustedHere } from './trusted.ts'

/** What an act finds out when it begins, and goes by to its end. */
export interface Here {
  trusted: boolean
  /** Where git stands. */
  head: Head
}

/** Asked once in an act: whoever needs it later is given it. */
export async function lookHere(context: Context): Promise<Here> {
  return { trusted: await isTrustedHere(context), head: headOf(context.place) }
}

/** Where in git a checkpoint is made. */
export const provenanceOf = ({ head }: Pick<Here, 'head'>) => ({ ...head, author: null })
