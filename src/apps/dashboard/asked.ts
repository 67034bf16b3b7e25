import { usageError } from '../../core/reason.ts'
import type { Context, ContextRequest } from '../../engine/context/context.ts'
import { listPlaces, requireWorkspace, workspaceAt } from '../../engine/overview/places.ts'
import { readOnce } from '../../verbs/perform.ts'
import type { IndexFiller } from './search-page.ts'

/** Where the server was started, and for whom it speaks. */
export type ServerPlace = Pick<ContextRequest, 'cwd' | 'env' | 'ports'> & {
  version: string
  speaker: Context['speaker']
  filler: IndexFiller
}

/** What a route was given: the parts of its path, and what stands behind the question mark. */
export interface Asked {
  parameter(name: string): string
  /** Undefined where it is not there or empty. */
  query(name: string): string | undefined
}

/** What is asked in one workspace. No session of an agent asks: a person does, beside all of them. */
export const requestIn = ({ env, ports, speaker }: ServerPlace, cwd: string, notices: string[]) => ({
  ...{ cwd, env, ports, speaker, notices, session: null },
})

/** One read of the store, of no workspace: the folder that the server was started in may be gone. */
export const readStore = <Answer>(
  place: ServerPlace,
  read: (context: Context) => Promise<Answer>,
): Promise<Answer> => readOnce({ ...requestIn(place, place.cwd, []), nowhere: true }, read)

/** The workspace that is asked for, any that is there without one, with its path; and all that can be asked for. */
export const findAskedWorkspace = (place: ServerPlace, id: string | undefined) =>
  readStore(place, async (context) => {
    const places = await listPlaces(context)
    const workspaces = places.workspaces.filter(({ exists }) => exists)
    const first = id ?? workspaces[0]?.id
    const path = first === undefined ? null : await requireWorkspace(context, first)
    return { places, workspaces, path, workspace: workspaceAt(places, first ?? '') }
  })

export function wholeNumber({ query }: Asked, name: string): number | undefined {
  const text = query(name)
  if (text !== undefined && !/^\d{1,9}$/.test(text)) throw usageError(`${name} takes a whole number`)
  return text === undefined ? undefined : Number(text)
}

export function requireGiven<Value>(value: Value | undefined, name: string): Value {
  if (value === undefined) throw usageError(`${name} is missing`)
  return value
}
