/** How a failure ends a process. One meaning each, listed in docs/reasons.md. */
export const EXIT = {
  problem: 1,
  usage: 2,
  unknown: 3,
  invalid: 4,
  unwritten: 5,
  refused: 6,
  unsafe: 7,
  internal: 70,
  busy: 75,
} as const

interface ReasonRow {
  exit: number
  http: number
  /** The same call may succeed later without anybody changing anything. */
  retry: boolean
  /** A sentence; `{name}` is filled from the error's data. */
  says: string
  /** What to do next. */
  hint: string
}

/**
 * Every refusal and failure, on one page. A code never changes its meaning.
 * The four `checkpoint_*` codes are the snapshot contract's own, word for word.
 */
export const REASONS = {
  checkpoint_schema_invalid: {
    exit: EXIT.invalid,
    http: 422,
    retry: false,
    says: '{path} is not a valid snapshot: {problem}',
    hint: 'Run `savepoint doctor --fix`: it moves the file away and rewrites it from the store.',
  },
  checkpoint_integrity_mismatch: {
    exit: EXIT.invalid,
    http: 422,
    retry: false,
    says: '{path} does not match its checksum: {problem}',
    hint: 'Run `savepoint doctor --fix`: it moves the file away and rewrites it from the store.',
  },
  checkpoint_atomic_write_failed: {
    exit: EXIT.unwritten,
    http: 507,
    retry: true,
    says: 'Could not write {path}: {problem}',
    hint: 'Check free space and permissions. Existing files are unchanged; anything already stored is written by the next command.',
  },
  checkpoint_retention_prune_failed: {
    exit: EXIT.unwritten,
    http: 500,
    retry: true,
    says: 'Could not prune run {run}: {problem}',
    hint: 'Unreadable snapshots were kept. Run `savepoint doctor --fix`, then prune again.',
  },
  usage_invalid: {
    exit: EXIT.usage,
    http: 400,
    retry: false,
    says: '{problem}',
    hint: 'Add --help to see the options.',
  },
  users_word: {
    exit: EXIT.refused,
    http: 403,
    retry: false,
    says: 'Only the user can {act} {item}.',
    hint: 'Ask the user to run `savepoint {act} "…"` in their own terminal.',
  },
  id_invalid: {
    exit: EXIT.usage,
    http: 400,
    retry: false,
    says: 'Invalid {what} {value}: {problem}',
    hint: 'Use at most 128 letters, digits, dots, dashes and underscores, starting with a letter or digit.',
  },
  run_unknown: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'Run not found: {run}',
    hint: 'List runs: savepoint run list. Start one: savepoint run start <plan.md>',
  },
  run_not_taken_in: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: 'Run {run} exists only as files in checkpoints/{run}; it was not imported.',
    hint: 'Show it: savepoint run show {run}. Import it: savepoint import checkpoints/{run}',
  },
  run_foreign: {
    exit: EXIT.unsafe,
    http: 403,
    retry: false,
    says: 'Run {run} came with the repository and has not been reviewed.',
    hint: 'Ask the user to review it (savepoint run show {run}) and import it: savepoint import checkpoints/{run}',
  },
  run_exists: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: 'Run {run} already exists.',
    hint: 'Continue it: savepoint run resume {run}. Or choose another --run-id.',
  },
  run_folder_taken: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: 'The folder {path} already exists, and its run was not imported.',
    hint: 'If the run is yours, import it: savepoint import {path}. Otherwise choose another --run-id.',
  },
  run_transition_refused: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: 'Run {run} is already {progress}.',
    hint: 'Show it: savepoint run show {run}. A failed run continues when a step starts; a completed run cannot change.',
  },
  step_unknown: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'No step {step} in the plan of run {run}: {suggestion}',
    hint: 'If the step is new, add it: savepoint run step {run} {step} … --add',
  },
  run_incomplete: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: 'Run {run} has unfinished steps: {steps}',
    hint: 'Finish or skip them, or end the run with --failed or --incomplete.',
  },
  snapshot_unknown: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'No snapshot {snapshot} in run {run}.',
    hint: 'List its snapshots: savepoint run show {run} --history',
  },
  snapshot_removed: {
    exit: EXIT.unknown,
    http: 410,
    retry: false,
    says: 'Snapshot {snapshot} of run {run} was removed on {removedAt}, because it was old.',
    hint: 'To keep a snapshot for good, pin it: savepoint run pin',
  },
  plan_unreadable: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'Could not read the plan {path}: {problem}',
    hint: 'Give a Markdown file with a checklist, one step per line: "- [ ] s1: First step".',
  },
  plan_invalid: {
    exit: EXIT.invalid,
    http: 422,
    retry: false,
    says: 'Invalid plan {path}: {problem}',
    hint: 'A plan is a Markdown checklist, one step per line: "- [ ] s1: First step".',
  },
  document_unreadable: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'Could not read the document {path}: {problem}',
    hint: 'Give the path of a Markdown file, or no path to check every document in checkpoints/.',
  },
  document_broken: {
    exit: EXIT.invalid,
    http: 422,
    retry: false,
    says: '{path}:{line}: {problem}',
    hint: 'Fix the file. Its last valid version is saved: savepoint show {id}',
  },
  document_conflicted: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: '{path}:{line}: {problem}',
    hint: 'Resolve the conflict and save the file, then try again.',
  },
  document_absent: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: 'The document of {id} is not in this workspace.',
    hint: 'It may be on another branch. Bring it back here: savepoint restore {id}',
  },
  ledger_unknown: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'The ledger of this worktree has no version {at}.',
    hint: 'List its versions: savepoint ledger history',
  },
  document_none: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: '{id} has no document file.',
    hint: 'Create one from what is saved: savepoint new {id}',
  },
  document_taken: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: '{path} already exists, and Savepoint did not write it.',
    hint: 'Move that file, or choose another name. To import documents that came with a clone: savepoint trust',
  },
  stream_unknown: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'No work named {id}.{alike}',
    hint: 'List all work: savepoint list --all. Start a document: savepoint new <name>',
  },
  stream_foreign: {
    exit: EXIT.unsafe,
    http: 409,
    retry: false,
    says: '{id} contains text that came with the repository and has not been reviewed.',
    hint: 'Review it: savepoint trust --review {id}. Or save to other work: --stream <id>',
  },
  stream_exists: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: '{id} already exists.',
    hint: 'Choose another name. Show it: savepoint show {id}. Bring it back if it is not here: savepoint restore {id}',
  },
  stream_archived: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: '{id} is archived.',
    hint: 'Reopen it: savepoint restore {id}',
  },
  budget_too_small: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: '{id} does not fit in {budget} tokens: at least {left} are needed. Nothing was written. Largest sections: {largest}',
    hint: 'Shorten those sections, or use --budget {left}. Without --hard the document is shortened as far as possible.',
  },
  stream_has_children: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: '{id} has open forks: {children}.',
    hint: 'Archive them first, or add --force.',
  },
  checkpoint_unknown: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: '{id} has no checkpoint {at}.',
    hint: 'List its checkpoints: savepoint show {id} --history',
  },
  nothing_in_focus: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'No document is in focus.',
    hint: 'Name a document, or set the focus: savepoint focus <id>. List them: savepoint list',
  },
  nothing_to_undo: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'Nothing to undo in this workspace.',
    hint: 'Older versions: savepoint show <id> --history. Restore one: savepoint restore <id> --at <number>',
  },
  nothing_to_redo: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'Nothing to redo.',
    hint: 'List the last changes: savepoint undo --list',
  },
  undo_overtaken: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: '{id} has changed since: {act} is no longer its newest change (now at #{sequence}).',
    hint: 'History: savepoint show {id} --history. Go back: savepoint restore {id} --at <number>',
  },
  undo_not_yours: {
    exit: EXIT.refused,
    http: 403,
    retry: false,
    says: 'The last change here was not made in this session: {act}',
    hint: 'Ask the user to run `savepoint undo`.',
  },
  archive_unknown: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'Archive not found: {id}',
    hint: 'List the archives of a session: savepoint sessions show <id> --json',
  },
  session_unknown: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'Session not found: {id}',
    hint: 'List sessions: savepoint sessions --all. The first characters of an id are enough.',
  },
  session_ambiguous: {
    exit: EXIT.usage,
    http: 409,
    retry: false,
    says: 'Several sessions start with {id}: {ids}.',
    hint: 'Give more characters of the id.',
  },
  session_none: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'No agent session is active in this workspace.',
    hint: 'Set up recording with `savepoint init`, then start the agent. List earlier sessions: savepoint sessions',
  },
  session_unnamed: {
    exit: EXIT.unknown,
    http: 409,
    retry: false,
    says: 'The agent did not say which session this is.',
    hint: 'Give --session <id>. List sessions: savepoint sessions. A save needs no session.',
  },
  session_unrecorded: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'This session ({id}) is not recorded.',
    hint: 'Run `savepoint init` here, then restart the agent. Check that events arrive: savepoint doctor',
  },
  transcript_none: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'The transcript of session {id} is not known.',
    hint: 'Give the file: savepoint sessions stats <file>',
  },
  git_in_progress: {
    exit: EXIT.refused,
    http: 409,
    retry: true,
    says: 'A git {operation} is in progress: documents are not read or written until it ends.',
    hint: 'Finish or abort it (git status says how), then try again.',
  },
  handoff_unknown: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'Handoff not found: {handoff}',
    hint: 'List handoffs: savepoint pickup --list',
  },
  handoff_invalid: {
    exit: EXIT.invalid,
    http: 422,
    retry: false,
    says: 'Could not read the handoff {path}: {problem}',
    hint: 'A handoff is a Markdown file with sections such as "## Goal" and "## Next". See docs/formats/handoff-md.md.',
  },
  handoff_foreign: {
    exit: EXIT.unsafe,
    http: 403,
    retry: false,
    says: '{path} came with the repository ({note}) and has not been reviewed.',
    hint: 'Read it first. To let an agent read it: savepoint pickup <file> --reviewed',
  },
  handoff_unwritten: {
    exit: EXIT.unwritten,
    http: 507,
    retry: true,
    says: 'Saved {stream} #{sequence}, but could not write the handoff {path}: {problem}',
    hint: 'Nothing is lost: savepoint resume {stream}. Fix the cause (a link, a permission, a full disk), then hand off again.',
  },
  workspace_untrusted: {
    exit: EXIT.unsafe,
    http: 403,
    retry: false,
    says: '{path} was not written by Savepoint, and this workspace is not trusted.',
    hint: 'Review the file. If you trust it: savepoint trust',
  },
  trust_by_agent: {
    exit: EXIT.unsafe,
    http: 403,
    retry: false,
    says: 'Only the user can trust {path}, and an agent ran this command.',
    hint: 'Run it in your own terminal, outside the agent.',
  },
  document_changed: {
    exit: EXIT.unsafe,
    http: 403,
    retry: false,
    says: '{path} was edited, but this workspace is not trusted: the edit is ignored.',
    hint: 'If the edit is yours: savepoint trust',
  },
  command_not_started: {
    exit: 127,
    http: 422,
    retry: false,
    says: 'Could not start {command}: {problem}',
    hint: 'Check the name, and that it is on PATH. The failure is recorded in the run.',
  },
  cancelled: {
    exit: 130,
    http: 499,
    retry: false,
    says: 'Cancelled: the questions were not answered.',
    hint: 'Nothing was saved. Without questions: savepoint save "what you are doing" --next "what comes next"',
  },
  config_invalid: {
    exit: EXIT.usage,
    http: 422,
    retry: false,
    says: 'Invalid settings file {path}: {problem}',
    hint: 'Fix that line. Show every setting and its source: savepoint config explain',
  },
  agent_unknown: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'No agent found: `{program}` is not on PATH, and there is no folder {path}.',
    hint: 'Install {label} and start it once. Set it up anyway: savepoint init --agent {agent}',
  },
  settings_malformed: {
    exit: EXIT.invalid,
    http: 422,
    retry: false,
    says: "{path}:{line}: could not read the agent's settings: {problem}",
    hint: 'Nothing was changed. Fix that line, then run the command again.',
  },
  plugin_not_installed: {
    exit: EXIT.unwritten,
    http: 502,
    retry: true,
    says: 'Set up, but {label} did not install the plugin: {problem}',
    hint: 'In {label}, type: {typed}',
  },
  plugin_not_removed: {
    exit: EXIT.unwritten,
    http: 502,
    retry: true,
    says: '{label} did not remove the plugin: {problem}',
    hint: 'In {label}, type: {typed}. Then: savepoint uninstall',
  },
  settings_busy: {
    exit: EXIT.busy,
    http: 503,
    retry: true,
    says: 'Another program kept changing {path}, so it was not written.',
    hint: 'The file is unchanged. Try again when the agent is not changing its settings.',
  },
  backup_exists: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: '{path} already exists.',
    hint: 'Choose another file name: a backup never overwrites a file.',
  },
  backup_invalid: {
    exit: EXIT.invalid,
    http: 422,
    retry: false,
    says: 'Could not restore {path}: {problem}',
    hint: "Nothing was changed. Daily backups are in the `backups` folder of Savepoint's data folder: savepoint doctor",
  },
  file_exists: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: '{path} already exists.',
    hint: 'Choose another file name, or add --force to replace it.',
  },
  format_unknown: {
    exit: EXIT.invalid,
    http: 422,
    retry: false,
    says: 'Could not convert {path}: {problem}',
    hint: 'It must be a checkpoint document, note, ledger, handoff or run snapshot. Examples: savepoint convert --help',
  },
  conversion_lossy: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: 'Nothing was written. Does not fit into {to}: {lost}',
    hint: 'To write it without these, leave out --strict.',
  },
  export_invalid: {
    exit: EXIT.invalid,
    http: 422,
    retry: false,
    says: '{path} is not a complete export: {problem}',
    hint: 'Nothing was imported. Export again, or import the undamaged part: savepoint import {path} --skip-damaged',
  },
  export_unusable: {
    exit: EXIT.invalid,
    http: 422,
    retry: false,
    says: 'Could not import {path}: {problem}',
    hint: 'Nothing was imported. Export again; for a large store, one repository at a time (without --all).',
  },
  export_unwritten: {
    exit: EXIT.unwritten,
    http: 500,
    retry: true,
    says: 'Could not write the export: {problem}',
    hint: 'The output is incomplete. Check where it goes, and export again.',
  },
  export_newer: {
    exit: EXIT.unsafe,
    http: 409,
    retry: false,
    says: '{path} was exported by a newer Savepoint (format {found}; this version reads up to {known}).',
    hint: 'Update Savepoint on this machine. Nothing was imported.',
  },
  import_by_agent: {
    exit: EXIT.unsafe,
    http: 403,
    retry: false,
    says: 'Only the user can {what}, and an agent ran this command.',
    hint: 'Run it in your own terminal, outside the agent: the imported work counts as your own words.',
  },
  repository_unknown: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'Repository not found: {name}',
    hint: 'Import its export first: savepoint import <file>. Known repositories: {known}',
  },
  clone_required: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: 'This folder is not a git repository, so it cannot adopt the work of {name}.',
    hint: 'Run the command in your clone of {name}.',
  },
  repository_ambiguous: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: 'The store has several repositories called {name}.',
    hint: 'Give an id instead: {known}',
  },
  repository_present: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: 'The work of {name} belongs to the repository in {path} on this machine.',
    hint: 'Work there, or add a worktree: git worktree add. A second clone has its own work.',
  },
  folder_unreadable: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'Could not use the folder {path}: {problem}',
    hint: 'Create the folder first, or choose one that you can access.',
  },
  output_failed: {
    exit: EXIT.unwritten,
    http: 500,
    retry: true,
    says: 'Could not write the output: {problem}',
    hint: 'The command itself succeeded. Check where the output goes, or run: savepoint status',
  },
  recorder_closed: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: 'The recorder of run {run} is closed.',
    hint: 'Continue the run with RunRecorder.resume.',
  },
  store_busy: {
    exit: EXIT.busy,
    http: 503,
    retry: true,
    says: 'The store ({path}) is locked by another process; waited {waitedMs} ms.',
    hint: 'Nothing was written. Try again. If it persists, look for a stopped savepoint process (state T in ps).',
  },
  store_damaged: {
    exit: EXIT.invalid,
    http: 500,
    retry: false,
    says: 'The store {path} is damaged: {problem}',
    hint: 'Run `savepoint doctor --fix`: it moves the file away and restores the newest good backup.',
  },
  store_newer: {
    exit: EXIT.unsafe,
    http: 409,
    retry: false,
    says: 'The store {path} was written by a newer Savepoint (format {found}; this version reads up to {known}).',
    hint: 'Update Savepoint. This version did not change the store.',
  },
  store_older: {
    exit: EXIT.unsafe,
    http: 409,
    retry: false,
    says: 'The store {path} has an older format ({found}, current is {newest}), and hooks never upgrade it.',
    hint: 'Run any command, such as `savepoint status`: it backs up the store and upgrades it.',
  },
  store_unavailable: {
    exit: EXIT.unwritten,
    http: 503,
    retry: true,
    says: 'Could not open the store {path}: {problem}',
    hint: 'Check that the folder exists and is writable, or set SAVEPOINT_HOME to another folder.',
  },
  home_inside_workspace: {
    exit: EXIT.unsafe,
    http: 409,
    retry: false,
    says: 'SAVEPOINT_HOME ({path}) is inside the workspace {workspace}.',
    hint: 'Choose a folder outside every repository: `git clean` could delete it, and a clone could replace it.',
  },
  home_on_network: {
    exit: EXIT.unsafe,
    http: 409,
    retry: false,
    says: 'SAVEPOINT_HOME ({path}) is on a network file system ({type}).',
    hint: 'Choose a local folder: file locks are not reliable over a network.',
  },
  home_insecure: {
    exit: EXIT.unsafe,
    http: 409,
    retry: false,
    says: 'SAVEPOINT_HOME ({path}) is not private: {problem}',
    hint: 'Make it private: chmod 700 {path}',
  },
  path_unsafe: {
    exit: EXIT.unsafe,
    http: 409,
    retry: false,
    says: '{path} is not safe to use: {problem}',
    hint: 'Savepoint does not follow symbolic links inside a workspace. Remove it, or replace it with a folder.',
  },
  path_outside: {
    exit: EXIT.unsafe,
    http: 403,
    retry: false,
    says: '{path} is outside this workspace.',
    hint: 'Use paths relative to the workspace root. Files outside it are not read.',
  },
  file_unknown: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'File not found: {path}',
    hint: 'Check the name. Relative paths start at the current folder.',
  },
  file_unreadable: {
    exit: EXIT.unknown,
    http: 403,
    retry: false,
    says: 'Could not read {path}: {problem}',
    hint: 'Check the name and the permissions.',
  },
  file_too_large: {
    exit: EXIT.invalid,
    http: 413,
    retry: false,
    says: '{path} is larger than {limit} bytes.',
    hint: 'Make it smaller, or move it. The last valid version of a document is saved: savepoint show <id>',
  },
  workspace_unknown: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'No workspace {id} is known here.',
    hint: 'Reload the page. A folder is known once something was saved in it: savepoint save "…"',
  },
  port_unavailable: {
    exit: EXIT.refused,
    http: 409,
    retry: true,
    says: 'Port {port} cannot be used: {problem}',
    hint: 'Choose another port, or leave out --port.',
  },
  request_refused: {
    exit: EXIT.refused,
    http: 403,
    retry: false,
    says: '{problem}',
    hint: 'Run `savepoint dashboard` for a new link.',
  },
  internal_error: {
    exit: EXIT.internal,
    http: 500,
    retry: false,
    says: 'Internal error: {problem}',
    hint: 'Please report it, with the output of the same command run with SAVEPOINT_DEBUG=1.',
  },
} as const satisfies Record<string, ReasonRow>

export type Reason = keyof typeof REASONS
export type ReasonData = Readonly<Record<string, string | number | boolean | null>>

const fill = (template: string, data: ReasonData) =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => String(data[name] ?? `<${name}>`))

/** A broken promise or a refusal, with a stable code, the facts, and what to do next. */
export class ReasonError extends Error {
  readonly reason: Reason
  readonly data: ReasonData
  override readonly name = 'ReasonError'

  constructor(reason: Reason, data: ReasonData = {}, options?: { cause?: unknown }) {
    super(fill(REASONS[reason].says, data), options)
    this.reason = reason
    this.data = data
  }

  get hint(): string {
    return fill(REASONS[this.reason].hint, this.data)
  }

  get exitCode(): number {
    return REASONS[this.reason].exit
  }

  toJSON() {
    return { reason: this.reason, message: this.message, hint: this.hint, data: this.data }
  }
}

/** A refusal of what a caller gave: `problem` says what is wrong with it. */
export const usageError = (problem: string) => new ReasonError('usage_invalid', { problem })

/** Any thrown value as a ReasonError, so that every door can show it the same way. */
export function asReason(error: unknown): ReasonError {
  if (error instanceof ReasonError) return error
  // We make no such name ourselves: it was given.
  if (errorCode(error) === 'ENAMETOOLONG') return usageError('the name of a file is too long')
  return new ReasonError('internal_error', { problem: describeError(error) }, { cause: error })
}

/** One line about a thrown value: its message; of a system error its words, and its code behind them. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const [line = error.name] = error.message.split('\n', 1)
  // Node adds the call and the path to a system error; the reason names the path already, and better.
  return errorCode(error)?.startsWith('E')
    ? line.replace(/^(E[A-Z0-9]+): ([^,]+)(?:, .*)?$/, '$2 ($1)')
    : line
}

/** The `code` of a Node system error (`ENOENT`), or undefined. */
export function errorCode(error: unknown): string | undefined {
  // `as`: Node adds `code` to its errors without a type to test for.
  return error instanceof Error ? (error as Error & { code?: string }).code : undefined
}

/** What `act` gives; null where the system refuses it, or a reason does. A mistake of ours is thrown. */
export function unlessRefused<T>(act: () => T): T | null {
  try {
    return act()
  } catch (error) {
    if (error instanceof ReasonError || errorCode(error) !== undefined) return null
    throw error
  }
}
