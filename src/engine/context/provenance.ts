import { headOf } from '../../workspace/git-state.ts'
import type { Context } from './context.ts'

/** Where in git this is done, as git's files tell. */
export const provenanceHere = ({ place }: Context) => ({ ...headOf(place), author: null })
