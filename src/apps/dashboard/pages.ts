import { instant } from '../../core/ports.ts'
import { usageError } from '../../core/reason.ts'
import { SEARCH_KINDS } from '../../core/searchable.ts'
import type { Context, ContextRequest } from '../../engine/context/context.ts'
import { comparePoints } from '../../engine/overview/compare-points.ts'
import { type KnownPlaces, listPlaces, requireWorkspace, workspaceAt } from '../../engine/overview/places.ts'
import { readNow } from '../../engine/overview/read-now.ts'
import { readRunPage, readRuns } from '../../engine/overview/read-runs.ts'
import { readSessionPage } from '../../engine/overview/read-session.ts'
import { readWorkPage, readWorks } from '../../engine/overview/read-works.ts'
import { readSessionTimeline } from '../../engine/overview/session-lines.ts'
import { performOnce, readOnce } from '../../verbs/perform.ts'
import { findLearnings } from '../../verbs/work/search-learnings.ts'
import { status } from '../../verbs/work/status.ts'

/** Where the server was started, and for whom it speaks. */
export type ServerPlace = Pick<ContextRequest, 'cwd' | 'env' | 'ports'> & {
  version: string
  speaker: Context['speaker']
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

/** The workspaces, and the path of the one that is asked for; of any that is there without one. */
export async function findAskedWorkspace(place: ServerPlace, id: string | undefined) {
  return readStore(place, async (context) => {
    const places = await listPlaces(context)
    const first = id ?? places.workspaces.find(({ exists }) => exists)?.id
    const path = first === undefined ? null : await requireWorkspace(context, first)
    return { places, path, workspace: workspaceAt(places, first ?? '') }
  })
}

/** Those in which something can be asked. */
export const presentWorkspaces = ({ workspaces }: KnownPlaces) => workspaces.filter(({ exists }) => exists)

function wholeNumber({ query }: Asked, name: string): number | undefined {
  const text = query(name)
  if (text !== undefined && !/^\d{1,9}$/.test(text)) throw usageError(`${name} takes a whole number`)
  return text === undefined ? undefined : Number(text)
}

function requireQuery({ query }: Asked, name: string): string {
  const text = query(name)
  if (text === undefined) throw usageError(`${name} is missing`)
  return text
}

const requireNumber = (asked: Asked, name: string) => {
  requireQuery(asked, name)
  return wholeNumber(asked, name) ?? 0
}

export const nowPage = (place: ServerPlace) =>
  readStore(place, async (context) => ({
    ...{ version: place.version, speaker: place.speaker, ...(await readNow(context)) },
  }))

export async function statusPage(place: ServerPlace, asked: Asked) {
  const { path, workspace } = await findAskedWorkspace(place, requireQuery(asked, 'workspace'))
  const notices: string[] = []
  const found = await performOnce(status, requestIn(place, path ?? place.cwd, notices), {})
  const { saved } = found
  return {
    ...{ at: instant(place.ports.now()), workspace: workspace.id, trusted: found.trusted },
    ...{ focus: found.focus, branch: found.branch, commit: found.commit, uncommitted: found.uncommitted },
    drift: saved && { stream: saved.stream, savedAt: saved.savedAt, ...saved.drift },
    due: found.due.map(({ what, text, command }) => ({ what, why: text, command })),
    ...{ todo: found.todo, found: found.found, foreign: found.foreign, notices },
  }
}

export const worksPage = (place: ServerPlace, { query }: Asked) =>
  readStore(place, (context) => readWorks(context, query('repository')))

export const workPage = (place: ServerPlace, asked: Asked) =>
  readStore(place, (context) => readWorkPage(context, asked.parameter('id'), wholeNumber(asked, 'at')))

export const diffPage = (place: ServerPlace, asked: Asked) =>
  readStore(place, (context) =>
    comparePoints(context, asked.parameter('id'), requireNumber(asked, 'from'), requireNumber(asked, 'to')),
  )

export const sessionsPage = (place: ServerPlace, { query }: Asked) =>
  readStore(place, (context) => {
    const names = ['repository', 'branch', 'outcome', 'before'] as const
    const given = names.flatMap((name) => {
      const value = query(name)
      return value === undefined ? [] : [[name, value]]
    })
    return readSessionTimeline(context, Object.fromEntries(given))
  })

export const sessionPage = (place: ServerPlace, { parameter }: Asked) =>
  readStore(place, (context) => readSessionPage(context, parameter('key')))

export const runsPage = (place: ServerPlace, { query }: Asked) =>
  readStore(place, (context) => readRuns(context, query('repository')))

export const runPage = (place: ServerPlace, { parameter }: Asked) =>
  readStore(place, (context) => readRunPage(context, parameter('id')))

export async function learningsPage(place: ServerPlace, { query }: Asked) {
  const { places, path, workspace } = await findAskedWorkspace(place, query('workspace'))
  const notices: string[] = []
  const words = (query('q') ?? '').split(/\s+/).filter((word) => word !== '')
  const found =
    path === null
      ? { entries: [], foreign: false }
      : await readOnce(requestIn(place, path, notices), (context) => findLearnings(context, words))
  return {
    ...{ at: instant(place.ports.now()), workspace, workspaces: presentWorkspaces(places) },
    ...{ entries: found.entries, foreign: found.foreign, notices },
  }
}

export const isSearchKind = (word: string): word is (typeof SEARCH_KINDS)[number] =>
  SEARCH_KINDS.some((kind) => kind === word)
