import type { briefPage } from './brief-page.ts'
import type {
  diffPage,
  learningsPage,
  nowPage,
  runPage,
  runsPage,
  sessionPage,
  sessionsPage,
  statusPage,
  workPage,
  worksPage,
} from './pages.ts'
import type { searchPage } from './search-page.ts'

/**
 * What the dashboard's page and its server say to each other: types alone. One answer is one view of the page, and has
 * the type of what the server answers; the functions that make its parts say what each means.
 *
 * For every route:
 * - `workspace`, `repository`, a work's and a run's `id` are ids from an earlier answer, never a path or a name.
 * - Times are ISO 8601 in UTC. Ages are left to the page: `at` of the answer is the server's own clock.
 * - Every text is plain text or Markdown that somebody else wrote. It is shown as text, never as HTML. `foreign` marks
 *   what came with a repository and was not reviewed.
 * - A refusal has the HTTP status of its reason and is a `Refusal`.
 * - Lists are capped; what a cap cut is counted beside the list.
 */
type AnswerOf<Page extends (...given: never[]) => Promise<unknown>> = Awaited<ReturnType<Page>>

/** Any answer but 2xx. The same reason, message and hint as the command line gives. */
export interface Refusal {
  ok: false
  /** A stable code, as in docs/reasons.md. */
  reason: string
  message: string
  hint: string
  notices?: string[]
}

/** `GET /api/now`. The first view: all of it is one read of the store, and no git command runs for it. */
export type NowPage = AnswerOf<typeof nowPage>
export type RepositoryNow = NowPage['repositories'][number]
export type WorkNow = RepositoryNow['works'][number]
export type LiveSession = NowPage['sessions'][number]
export type WindowGauge = LiveSession['window']
export type Warning = NowPage['warnings'][number]

/**
 * `GET /api/status?workspace=`. What only git and the files can tell of a workspace: asked for after the first view, one
 * workspace at a time.
 */
export type StatusPage = AnswerOf<typeof statusPage>

/** `GET /api/works?repository=`. The works of one repository: a flat list, where `parent` makes the tree. */
export type WorksPage = AnswerOf<typeof worksPage>
export type WorkNode = WorksPage['works'][number]
export type WorkProgress = WorkNode['progress']
/** A worktree of a repository: what an action is performed in. */
export type WorkspaceRef = WorksPage['workspaces'][number]

/** `GET /api/works/:id?at=`. One piece of work at a point of its history; the newest without `at` (a sequence number). */
export type WorkPage = AnswerOf<typeof workPage>
export type WorkPoint = WorkPage['point']
export type CorrectableItem = WorkPage['items'][number]

/** `GET /api/works/:id/diff?from=&to=`. Two points of a work side by side; `from` and `to` are sequence numbers. */
export type DiffPage = AnswerOf<typeof diffPage>
export type DiffRow = DiffPage['rows'][number]
export type DiffLine = NonNullable<Exclude<DiffRow, { kind: 'gap' }>['left']>

/** `GET /api/sessions?repository=&branch=&outcome=&before=`. `before` is `next` of the answer before. */
export type SessionsPage = AnswerOf<typeof sessionsPage>
export type SessionLine = SessionsPage['sessions'][number]

/** `GET /api/sessions/:key`. What one session came to. */
export type SessionPage = AnswerOf<typeof sessionPage>
export type SessionMark = SessionPage['marks'][number]
export type SessionRequest = SessionPage['requests'][number]

/** `GET /api/runs?repository=`. The runs of one repository, of all without `repository`. */
export type RunsPage = AnswerOf<typeof runsPage>
export type RunLine = RunsPage['runs'][number]

/** `GET /api/runs/:id`. */
export type RunPage = AnswerOf<typeof runPage>
export type RunStep = RunPage['steps'][number]
export type RunSnapshot = RunPage['snapshots'][number]

/**
 * `GET /api/brief?workspace=&work=&tokens=`. What the next session in this workspace would be told. `work`: a name from
 * `candidates`; `tokens`: 200 and more, the setting without it.
 */
export type BriefAnswer = AnswerOf<typeof briefPage>
export type BriefLineView = BriefAnswer['lines'][number]

/** `GET /api/search?q=&workspace=&kind=`. Every repository of this user; with `workspace` that repository alone. */
export type SearchPage = AnswerOf<ReturnType<typeof searchPage>>
export type SearchHitView = SearchPage['hits'][number]

/** `GET /api/learnings?workspace=&q=`. */
export type LearningsPage = AnswerOf<typeof learningsPage>

// POST /api/verbs/:name, with `content-type: application/json` and a `VerbCall` as its body

/** What the page may ask for, and nothing else. A space in a name is written `run%20verify`. */
export type AllowedVerb =
  | ('focus' | 'fork' | 'archive' | 'rename' | 'restore' | 'save' | 'handoff' | 'reconcile' | 'undo')
  | ('confirm' | 'reject' | 'reword' | 'remove' | 'trust' | 'doctor')
  | ('run verify' | 'run prune' | 'run pin' | 'run pause')

export interface VerbCall {
  /** The workspace to act in. */
  workspace: string
  /** The fields of the verb, by the names that docs/commands.md gives without `--`; `maxPerRun` for `--max-per-run`. */
  input: Record<string, unknown>
}

/** What was done; a refusal is a `Refusal`. */
export interface VerbAnswer {
  ok: true
  /** What the command line prints with `--json`. */
  result: unknown
  /** What it prints without. */
  words: string
  notices: string[]
  /** Bad news that comes with a whole result: problems were found. */
  failure: { reason: string; message: string; hint: string } | null
}

// GET /api/events

/**
 * Server-sent events. `hello` comes first and after every reconnect; `changed` when somebody wrote, at most once in
 * 0.7 seconds. The page asks again for what it shows.
 */
export interface ServerEvents {
  hello: { version: string; at: string }
  changed: { parts: ChangedPart[]; at: string }
}

/** `store`: works, sessions, runs; `journal`: an agent's hook was heard, and the store does not have it yet. */
export type ChangedPart = 'store' | 'journal'
