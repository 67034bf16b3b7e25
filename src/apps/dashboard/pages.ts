import { instant } from '../../core/ports.ts'
import { comparePoints } from '../../engine/overview/compare-points.ts'
import { readNow } from '../../engine/overview/read-now.ts'
import { readRunPage, readRuns } from '../../engine/overview/read-runs.ts'
import { readSessionPage } from '../../engine/overview/read-session.ts'
import { readWorkPage, readWorks } from '../../engine/overview/read-works.ts'
import { readSessionTimeline } from '../../engine/overview/session-lines.ts'
import { performOnce, readOnce } from '../../verbs/perform.ts'
import { findLearnings } from '../../verbs/work/search-learnings.ts'
import { status } from '../../verbs/work/status.ts'
import {
  type Asked,
  findAskedWorkspace,
  readStore,
  requestIn,
  requireGiven,
  type ServerPlace,
  wholeNumber,
} from './asked.ts'
import { briefPage } from './brief-page.ts'
import { searchPage } from './search-page.ts'

type Page = (place: ServerPlace, asked: Asked) => Promise<object>

/** What is read, by its address. The types of the answers are in api.ts. */
export const PAGES = {
  '/api/now': (place) =>
    readStore(place, async (context) => ({
      ...{ version: place.version, speaker: place.speaker, ...(await readNow(context)) },
    })),
  '/api/status': statusPage,
  '/api/works': (place, { query }) => readStore(place, (context) => readWorks(context, query('repository'))),
  '/api/works/:id': (place, asked) =>
    readStore(place, (context) => readWorkPage(context, asked.parameter('id'), wholeNumber(asked, 'at'))),
  '/api/works/:id/diff': (place, asked) =>
    readStore(place, (context) => {
      const [from, to] = [wholeNumber(asked, 'from'), wholeNumber(asked, 'to')]
      return comparePoints(context, asked.parameter('id'), requireGiven(from, 'from'), requireGiven(to, 'to'))
    }),
  '/api/sessions': (place, { query }) =>
    readStore(place, (context) => {
      const given = ['repository', 'branch', 'outcome', 'before'].map((name) => [name, query(name)])
      return readSessionTimeline(
        context,
        Object.fromEntries(given.filter(([, value]) => value !== undefined)),
      )
    }),
  '/api/sessions/:key': (place, { parameter }) =>
    readStore(place, (context) => readSessionPage(context, parameter('key'))),
  '/api/runs': (place, { query }) => readStore(place, (context) => readRuns(context, query('repository'))),
  '/api/runs/:id': (place, { parameter }) =>
    readStore(place, (context) => readRunPage(context, parameter('id'))),
  '/api/brief': briefPage,
  '/api/search': searchPage,
  '/api/learnings': learningsPage,
} as const satisfies Record<string, Page>

async function statusPage(place: ServerPlace, { query }: Asked) {
  const wanted = requireGiven(query('workspace'), 'workspace')
  const { path, workspace } = await findAskedWorkspace(place, wanted)
  const notices: string[] = []
  const found = await performOnce(status, requestIn(place, path ?? place.cwd, notices), {})
  const { trusted, focus, branch, commit, uncommitted, saved, todo, foreign } = found
  return {
    ...{
      at: instant(place.ports.now()),
      workspace: workspace.id,
      trusted,
      focus,
      branch,
      commit,
      uncommitted,
    },
    drift: saved && { stream: saved.stream, savedAt: saved.savedAt, ...saved.drift },
    due: found.due.map(({ what, text, command }) => ({ what, why: text, command })),
    ...{ todo, found: found.found, foreign, notices },
  }
}

async function learningsPage(place: ServerPlace, { query }: Asked) {
  const { workspaces, path, workspace } = await findAskedWorkspace(place, query('workspace'))
  const notices: string[] = []
  const words = (query('q') ?? '').split(/\s+/).filter((word) => word !== '')
  const { entries, foreign } =
    path === null
      ? { entries: [], foreign: false }
      : await readOnce(requestIn(place, path, notices), (context) => findLearnings(context, words))
  return { at: instant(place.ports.now()), workspace, workspaces, entries, foreign, notices }
}
