import type { ALLOWED } from './call-verb.ts'
import type { PAGES } from './pages.ts'

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
type AnswerTo<Address extends keyof typeof PAGES> = Awaited<ReturnType<(typeof PAGES)[Address]>>

/** Any answer but 2xx. The same reason, message and hint as the command line gives. */
export interface Refusal {
  ok: false
  /** A stable code, as in docs/reasons.md. */
  reason: string
  message: string
  hint: string
  notices?: string[]
}

/** The first view: all of it is one read of the store, and no git command runs for it. */
export type NowPage = AnswerTo<'/api/now'>
export type RepositoryNow = NowPage['repositories'][number]
export type WorkNow = RepositoryNow['works'][number]
export type LiveSession = NowPage['sessions'][number]
export type WindowGauge = LiveSession['window']
export type Warning = NowPage['warnings'][number]

/**
 * `?workspace=`. What only git and the files can tell of a workspace: asked for after the first view, one
 * workspace at a time.
 */
export type StatusPage = AnswerTo<'/api/status'>

/** `?repository=`. The works of one repository: a flat list, where `parent` makes the tree. */
export type WorksPage = AnswerTo<'/api/works'>
export type WorkNode = WorksPage['works'][number]
export type WorkProgress = WorkNode['progress']
/** A worktree of a repository: what an action is performed in. */
export type WorkspaceRef = WorksPage['workspaces'][number]

/** `?at=`. One piece of work at a point of its history; the newest without `at` (a sequence number). */
export type WorkPage = AnswerTo<'/api/works/:id'>
export type WorkPoint = WorkPage['point']
export type CorrectableItem = WorkPage['items'][number]

/** `?from=&to=`. Two points of a work side by side; `from` and `to` are sequence numbers. */
export type DiffPage = AnswerTo<'/api/works/:id/diff'>
export type DiffRow = DiffPage['rows'][number]
export type DiffLine = NonNullable<Exclude<DiffRow, { kind: 'gap' }>['left']>

/** `?repository=&branch=&outcome=&before=`. `before` is `next` of the answer before. */
export type SessionsPage = AnswerTo<'/api/sessions'>
export type SessionLine = SessionsPage['sessions'][number]

/** What one session came to. */
export type SessionPage = AnswerTo<'/api/sessions/:key'>
export type SessionMark = SessionPage['marks'][number]
export type SessionRequest = SessionPage['requests'][number]

/** `?repository=`. The runs of one repository, of all without `repository`. */
export type RunsPage = AnswerTo<'/api/runs'>
export type RunLine = RunsPage['runs'][number]

/** One run: its plan, its snapshots, what its commands came to. */
export type RunPage = AnswerTo<'/api/runs/:id'>
export type RunStep = RunPage['steps'][number]
export type RunSnapshot = RunPage['snapshots'][number]

/**
 * `?workspace=&work=&tokens=`. What the next session in this workspace would be told. `work`: a name from
 * `candidates`; `tokens`: 200 and more, the setting without it.
 */
export type BriefAnswer = AnswerTo<'/api/brief'>
export type BriefLineView = BriefAnswer['lines'][number]

/** `?q=&workspace=&kind=`. Every repository of this user; with `workspace` that repository alone. */
export type SearchPage = AnswerTo<'/api/search'>
export type SearchHitView = SearchPage['hits'][number]

/** `?workspace=&q=`. */
export type LearningsPage = AnswerTo<'/api/learnings'>

// POST /api/verbs/:name, with `content-type: application/json` and a `VerbCall` as its body

/** What the page may ask for, and nothing else. A space in a name is written `run%20verify`. */
export type AllowedVerb = (typeof ALLOWED)[number]

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
