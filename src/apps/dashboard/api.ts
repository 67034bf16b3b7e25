/**
 * What the dashboard's page and its server say to each other: types alone. One answer is one view of the page.
 *
 * For every route:
 * - `workspace`, `repository`, a work's and a run's `id` are ids from an earlier answer, never a path or a name.
 * - Times are ISO 8601 in UTC. Ages are left to the page: `at` of the answer is the server's own clock.
 * - Every text is plain text or Markdown that somebody else wrote. It is shown as text, never as HTML. `foreign` marks
 *   what came with a repository and was not reviewed.
 * - A refusal has the HTTP status of its reason and is a `Refusal`.
 * - Lists are capped; what a cap cut is counted beside the list.
 */

/** Any answer but 2xx. The same reason, message and hint as the command line gives. */
export interface Refusal {
  ok: false
  /** A stable code, as in docs/reasons.md. */
  reason: string
  message: string
  hint: string
  notices?: string[]
}

export interface RepositoryRef {
  id: string
  /** The name of its folder. */
  name: string
}

/** A worktree of a repository: what an action is performed in. */
export interface WorkspaceRef {
  id: string
  repository: string
  /** For people. */
  path: string
  /** The branch that is checked out; null without one. */
  branch: string | null
  /** Its folder is on this machine; without it nothing can be done there. */
  exists: boolean
}

// GET /api/now

/** The first view: all of it is one read of the store, and no git command runs for it. */
export interface NowPage {
  at: string
  version: string
  /** `agent`: an agent started the server, and what is done on the page counts as that agent's word. */
  speaker: 'user' | 'agent'
  totals: { repositories: number; works: number; sessions: number; runs: number; checkpoints: number }
  /** The one that was worked in last comes first; at most 50. */
  repositories: RepositoryNow[]
  moreRepositories: number
  /** Active, stale and paused sessions, newest first; at most 50. */
  sessions: LiveSession[]
  moreSessions: number
  /** Problems that the store shows by itself; `GET /api/status` and the verb `doctor` find more. */
  warnings: Warning[]
}

export interface RepositoryNow extends RepositoryRef {
  /** Newest first. `workspaces[0]` is the one to act in unless a work names another. */
  workspaces: WorkspaceRef[]
  /** What is focused somewhere, then the newest open work; at most 5. */
  works: WorkNow[]
  moreWorks: number
  archived: number
  /** When anything of it was saved, or a session was heard of. */
  lastActivityAt: string | null
  activeSessions: number
  staleSessions: number
  runsInProgress: number
}

/** Where a piece of work stands. */
export interface WorkNow {
  id: string
  name: string
  repository: string
  /** The workspace to act in: where it is in focus, else where it was begun. */
  workspace: string
  standing: WorkStanding
  branch: string | null
  /** What it is about. */
  problem: string
  goal: string
  now: string
  next: string[]
  blockers: string[]
  openQuestions: number
  unconfirmed: number
  progress: WorkProgress
  stepsDone: number
  steps: number
  savedAt: string
  /** The number of its newest checkpoint. */
  sequence: number
  foreign: boolean
  /** Its newest checkpoint does not match its checksum: what is told is the newest whole one before it. */
  isDamaged: boolean
}

export type WorkStanding = 'focused' | 'open' | 'archived'
export type WorkProgress = 'in_progress' | 'failed' | 'completed' | 'paused'

/** How full a context window is, and how it filled. */
export interface WindowGauge {
  /** Null where nobody can say. */
  usedPercent: number | null
  tokens: number | null
  window: number | null
  /** From 70 % on `medium`, from 85 % on `high`. */
  pressure: 'low' | 'medium' | 'high' | null
  /** Oldest first, at most 120; a smaller number after a larger one is a compaction or a clear. */
  points: FillPoint[]
}

export interface FillPoint {
  at: string
  tokens: number
}

export interface LiveSession extends SessionLine {
  window: WindowGauge
  /** Helpers and background commands that were running at its last event. */
  running: Array<{ kind: string; what: string; since: string }>
}

export interface Warning {
  level: 'error' | 'warning' | 'note'
  what: string
  /** What to do. */
  todo: string
  repository: string | null
  workspace: string | null
  /** What a button does about it; null where only a person can. */
  action: { verb: string; input: Record<string, unknown>; label: string } | null
}

// GET /api/status?workspace=

/** What only git and the files can tell of a workspace: asked for after the first view, one workspace at a time. */
export interface StatusPage {
  at: string
  workspace: string
  trusted: boolean
  focus: string | null
  branch: string | null
  commit: string | null
  /** How many files are not committed; null without git. */
  uncommitted: number | null
  /** What changed in the world since the last save; null where nothing is saved. */
  drift: {
    stream: string
    savedAt: string
    branch: { was: string; now: string } | null
    commitsSince: number | null
    filesChanged: number
    filesGone: number
    planStep: string | null
  } | null
  /** What is due, the most important first. */
  due: Array<{ what: string; why: string; command: string }>
  /** What to do now, as commands of the command line. */
  todo: string[]
  /** Work that files here tell and that is not saved. */
  found: Array<{ kind: string; path: string; at: string; now: string; command: string }>
  /** How many documents came with the repository and were not reviewed. */
  foreign: number
  notices: string[]
}

// GET /api/works?repository=

/** The tree of the works of one repository: a flat list, where `parent` makes the tree. */
export interface WorksPage {
  at: string
  repository: RepositoryRef
  repositories: RepositoryRef[]
  workspaces: WorkspaceRef[]
  works: WorkNode[]
}

export interface WorkNode {
  id: string
  name: string
  /** The work that it was forked from; null without one, or where that is not known here. */
  parent: string | null
  standing: WorkStanding
  /** The workspaces in which it is in focus. */
  focusedIn: string[]
  branch: string | null
  plan: string | null
  /** It was closed because its branch was merged. */
  merged: boolean
  /** The branch that its own was merged into; null where it was not, or where nobody noted that. */
  mergedInto: string | null
  /** A session saved it by itself; nobody named it. */
  isOfSession: boolean
  foreign: boolean
  progress: WorkProgress
  createdAt: string
  updatedAt: string
  /** The number of its newest checkpoint, and how many are still there. */
  sequence: number
  checkpoints: number
  problem: string
  next: string
}

// GET /api/works/:id?at=

/** One piece of work at a point of its history; the newest without `at` (a sequence number). */
export interface WorkPage {
  at: string
  work: WorkNode
  repository: RepositoryRef
  /** The workspace to act in. */
  workspace: WorkspaceRef
  point: WorkPoint
  /** The document as Markdown; where it has no file, what one would say. */
  text: string
  /** Its file, from the workspace's root; null where it has none. */
  path: string | null
  /** The same text by its level-two headings, deltas left out. */
  sections: Array<{ title: string; text: string }>
  /** The `## Delta:` parts, oldest first. */
  deltas: Array<{ title: string; text: string }>
  /** Items that a verb can confirm, reject, reword or remove; only at the newest point. */
  items: CorrectableItem[]
  /** Oldest first; of more than 2,000 the newest. */
  history: WorkPoint[]
  moreHistory: number
  /** The sessions that saved to it, newest first; at most 20. */
  sessions: SessionLine[]
}

export interface CorrectableItem {
  /** What the verbs take as `field`. */
  field: 'decision' | 'constraint' | 'rule' | 'fact' | 'question' | 'next' | 'blocker'
  /** What the verbs take as `text`. */
  text: string
  why: string
  origin: 'user' | 'agent' | 'inferred' | 'file' | 'tool' | null
  confirmed: boolean
}

export interface WorkPoint {
  sequence: number
  checkpoint: string
  at: string
  progress: WorkProgress
  /** Why it was taken, in a line. */
  why: string
  branch: string | null
  removedAt: string | null
  foreign: boolean
}

// GET /api/works/:id/diff?from=&to=

/** Two points of a work side by side; `from` and `to` are sequence numbers. */
export interface DiffPage {
  from: { sequence: number; at: string }
  to: { sequence: number; at: string }
  added: number
  removed: number
  /** In order. A row with both sides is unchanged or was changed; one with one side was added or removed. */
  rows: DiffRow[]
}

export type DiffRow =
  | { kind: 'same' | 'changed'; left: DiffLine; right: DiffLine }
  | { kind: 'removed'; left: DiffLine; right: null }
  | { kind: 'added'; left: null; right: DiffLine }
  /** So many unchanged lines are left out here. */
  | { kind: 'gap'; lines: number }

export interface DiffLine {
  number: number
  text: string
}

// GET /api/sessions?repository=&branch=&outcome=&before=

/** The timeline, newest first, at most 200 in one answer; `before` is `next` of the answer before. */
export interface SessionsPage {
  at: string
  sessions: SessionLine[]
  next: string | null
  /** How many match. */
  total: number
  /** What can be filtered by; only in the first answer (without `before`), else empty. */
  repositories: RepositoryRef[]
  branches: string[]
  outcomes: string[]
  agents: string[]
}

/** A session in a list. `key` names it in a path: `/api/sessions/<key>`. */
export interface SessionLine {
  key: string
  id: string
  agent: string
  repository: string
  workspace: string
  branch: string | null
  model: string | null
  phase: 'active' | 'stale' | 'recent' | 'archived'
  source: string
  startedAt: string
  lastActivityAt: string
  endedAt: string | null
  endReason: string | null
  /** Why it stopped without its user wanting it. */
  paused: { reason: string; at: string } | null
  /** The newest request that says what is to be done, in a line. */
  asked: string
  outcomes: string[]
  /** The work that it saves to; null while it has only its own. */
  work: string | null
  savedAt: string | null
  tokens: number
  usedPercent: number | null
  compactions: number
  commits: number
  files: number
}

// GET /api/sessions/:key

/** What one session came to. */
export interface SessionPage {
  at: string
  session: SessionLine
  repository: RepositoryRef
  workspace: WorkspaceRef
  window: WindowGauge
  /** What happened on the axis of `window.points`: oldest first. */
  marks: SessionMark[]
  /** Oldest first; `moreRequests` older ones are not kept. */
  requests: SessionRequest[]
  moreRequests: number
  /** The end of what the agent said, with its line breaks; Markdown. */
  lastAnswer: { at: string; text: string } | null
  openQuestions: Array<{ question: string; options: string[] }>
  plan: { title: string; outline: string[]; verdict: 'shown' | 'approved' | 'refused' } | null
  tasks: Array<{ text: string; state: 'open' | 'doing' | 'done' }>
  /** By how often each was called. */
  tools: Array<{ name: string; calls: number }>
  files: string[]
  commits: Array<{ at: string; hash: string; subject: string }>
  /** The last outcome of each command. */
  commands: Array<{
    at: string
    name: string
    kind: string
    failed: boolean
    code: number | null
    detail: string
    ms: number
  }>
  accomplishments: string[]
  running: LiveSession['running']
  consumed: { input: number; output: number; cacheRead: number; cacheCreation: number; apiCalls: number }
  events: Array<{ at: string; kind: string; note: string }>
  /** Keys of the session that it goes on from, and of those that went on from it. */
  parent: string | null
  children: string[]
  /** The transcript is gone or was never read: requests and the rest are empty. */
  isUnread: boolean
}

export interface SessionMark {
  at: string
  kind: 'checkpoint' | 'save' | 'compaction' | 'commit' | 'pause' | 'end'
  label: string
  /** Of a checkpoint or a save. */
  work: { id: string; name: string; sequence: number } | null
}

export interface SessionRequest {
  at: string
  how: 'prompt' | 'queued' | 'command' | 'refusal' | 'answer'
  text: string
  /** The command's name, the call that was refused, or the question that was answered. */
  about: string
  /** What the agent said at the end of it, in two sentences at most. */
  outcome: string[]
  effect: 'nothing' | 'calls' | 'changes'
}

// GET /api/runs?repository=

/** The runs of one repository, of all without `repository`; newest first, at most 500. */
export interface RunsPage {
  at: string
  repositories: RepositoryRef[]
  runs: RunLine[]
  moreRuns: number
}

export interface RunLine {
  id: string
  name: string
  repository: string
  workspace: string
  progress: WorkProgress
  step: string | null
  stepsDone: number
  steps: number
  snapshots: number
  createdAt: string
  updatedAt: string
}

// GET /api/runs/:id

export interface RunPage {
  at: string
  run: RunLine
  repository: RepositoryRef
  workspace: WorkspaceRef
  planPath: string | null
  steps: RunStep[]
  violations: string[]
  fault: { reasonCode: string; recoverable: boolean; message: string } | null
  /** Oldest first, removed ones included; at most the newest 500. */
  snapshots: RunSnapshot[]
  moreSnapshots: number
  /** Oldest first. */
  commands: RunCommandLine[]
}

export interface RunStep {
  id: string
  title: string
  state: 'pending' | 'in_progress' | 'done' | 'failed' | 'skipped'
  planned: boolean
  /** Null where no snapshot shows it. */
  startedAt: string | null
  endedAt: string | null
  durationMs: number | null
}

export interface RunSnapshot {
  id: string
  sequence: number
  at: string
  progress: WorkProgress
  step: string | null
  stepsDone: number
  steps: number
  pinned: boolean
  removedAt: string | null
}

export interface RunCommandLine {
  at: string
  kind: string
  name: string
  result: 'PASS' | 'FAIL' | 'WARN'
  durationMs: number
  reasonCode: string | null
  summary: string
}

// GET /api/brief?workspace=&work=&tokens=

/**
 * What the next session in this workspace would be told. `work`: a name from `candidates`; `tokens`: 200 and more, the
 * setting without it.
 */
export interface BriefAnswer {
  at: string
  workspace: WorkspaceRef
  /** Where the page can ask: every workspace whose folder is there. */
  workspaces: WorkspaceRef[]
  /** `choose`: several could be meant. `offered`: work of another branch is named and not told. `nothing`: none saved. */
  kind: 'brief' | 'found' | 'choose' | 'offered' | 'nothing'
  /** The work that is told. */
  work: string | null
  /** Exactly what an agent gets; empty where nothing is told. */
  text: string
  tokens: number
  budget: number
  budgets: { least: number; usual: number; most: number }
  lines: BriefLineView[]
  cuts: Array<{ title: string; count: number }>
  shortened: number
  candidates: Array<{ name: string; at: string; foreign: boolean }>
  notices: string[]
}

export interface BriefLineView {
  section: string
  text: string
  /** `cut`: no room. `over`: the session that saved it ended with its task done. */
  state: 'told' | 'shortened' | 'cut' | 'over'
  tokens: number
  rank: 'head' | 'must' | 'should' | 'talk'
  /** Whether it still holds; null for what cannot be checked. */
  mark: 'fresh' | 'stale' | 'unverifiable' | 'not found' | null
  note: string
  /** How long ago it was said, in words; empty where nobody can tell. */
  age: string
  /** Where it comes from, in words. */
  source: string
  /** What can be confirmed, rejected, reworded or removed; null for any other line. */
  item: CorrectableItem | null
}

// GET /api/search?q=&workspace=&kind=

/** Every repository of this user; with `workspace` that repository alone. Empty `q`: no hits. */
export interface SearchPage {
  query: string
  total: number
  more: boolean
  /** Nothing has all of the words; these have some of them. */
  relaxed: boolean
  /** The index is being made, which takes a minute over years of work: hits are missing. Ask again after a while. */
  isFilling: boolean
  hits: SearchHitView[]
}

export interface SearchHitView {
  id: string
  kind: 'decision' | 'learning' | 'checkpoint' | 'session' | 'run'
  at: string
  repository: RepositoryRef
  /** The work, the run or the session that says it, in a word. */
  where: string
  /** Where the page shows it. */
  target:
    | { page: 'work'; id: string; sequence: number }
    | { page: 'run'; id: string }
    | { page: 'session'; key: string }
    | null
  branch: string | null
  superseded: string | null
  archived: boolean
  /** What was found, with `**` around each match. */
  snippet: string
}

// GET /api/learnings?workspace=&q=

export interface LearningsPage {
  at: string
  workspace: WorkspaceRef
  workspaces: WorkspaceRef[]
  /** Newest first. */
  entries: Array<{ date: string; id: string; learnings: string[] }>
  /** They came with the repository and were not reviewed. */
  foreign: boolean
  notices: string[]
}

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
