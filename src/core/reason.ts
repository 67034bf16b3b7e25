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
    hint: 'Run `savepoint doctor --fix`: it sets the file aside and writes it again from the store.',
  },
  checkpoint_integrity_mismatch: {
    exit: EXIT.invalid,
    http: 422,
    retry: false,
    says: '{path} does not match its checksum: {problem}',
    hint: 'Run `savepoint doctor --fix`: it sets the file aside and writes it again from the store.',
  },
  checkpoint_atomic_write_failed: {
    exit: EXIT.unwritten,
    http: 507,
    retry: true,
    says: 'Writing {path} failed: {problem}',
    hint: 'Check free space and permissions. Nothing older was touched; what the store keeps is written by the next command.',
  },
  checkpoint_retention_prune_failed: {
    exit: EXIT.unwritten,
    http: 500,
    retry: true,
    says: 'Pruning run {run} stopped: {problem}',
    hint: 'Nothing that could not be read was removed. Run `savepoint doctor --fix`, then prune again.',
  },
  usage_invalid: {
    exit: EXIT.usage,
    http: 400,
    retry: false,
    says: '{problem}',
    hint: 'Add --help to see what the command takes.',
  },
  users_word: {
    exit: EXIT.refused,
    http: 403,
    retry: false,
    says: 'Only the user can {act} {item}.',
    hint: 'Ask the user to run `savepoint {act} "…"` in a terminal of their own.',
  },
  id_invalid: {
    exit: EXIT.usage,
    http: 400,
    retry: false,
    says: '{what} {value} cannot be used: {problem}',
    hint: 'Use letters, digits, dot, dash and underscore, 128 at most, beginning with a letter or digit.',
  },
  run_unknown: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'There is no run {run} in this repository.',
    hint: 'Run `savepoint run list` to see the runs, or `savepoint run start <plan.md>` to begin one.',
  },
  run_not_taken_in: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: 'Run {run} is on disk (checkpoints/{run}), not in the store.',
    hint: 'Look at it: savepoint run show {run}. Take it in: savepoint import checkpoints/{run}',
  },
  run_foreign: {
    exit: EXIT.unsafe,
    http: 403,
    retry: false,
    says: 'Run {run} came with the repository, and nobody here has reviewed it.',
    hint: 'Ask the user to look at it, savepoint run show {run}, and to take it in: savepoint import checkpoints/{run}',
  },
  run_exists: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: 'Run {run} exists already in this repository.',
    hint: 'Go on with `savepoint run resume {run}`, or start under another --run-id.',
  },
  run_folder_taken: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: 'The folder {path} is there already, and the store does not know its run.',
    hint: 'If it is a run of yours, take it in: savepoint import {path}. Else choose another --run-id.',
  },
  run_transition_refused: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: 'Run {run} is {progress}: it cannot take "{event}".',
    hint: 'See `savepoint run show {run}`. A failed run goes on when a step starts; a completed one stays as it is.',
  },
  step_unknown: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'The plan of run {run} has no step {step}: {suggestion}',
    hint: 'Add it with --add if the plan grew: savepoint run step {run} {step} … --add',
  },
  run_incomplete: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: 'Run {run} has steps that are not done: {steps}',
    hint: 'Finish or skip them, end it as failed with --failed, or as it is with --incomplete.',
  },
  snapshot_unknown: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'Run {run} has no snapshot {snapshot}.',
    hint: 'Run `savepoint run show {run} --history` to see its snapshots.',
  },
  snapshot_removed: {
    exit: EXIT.unknown,
    http: 410,
    retry: false,
    says: 'Snapshot {snapshot} of run {run} was removed by retention on {removedAt}.',
    hint: 'Pin a snapshot with `savepoint run pin` to keep it for good.',
  },
  plan_unreadable: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'The plan {path} cannot be read: {problem}',
    hint: 'Give the path of a Markdown file with a checklist, a step a line: "- [ ] s1: First step".',
  },
  plan_invalid: {
    exit: EXIT.invalid,
    http: 422,
    retry: false,
    says: 'The plan {path} cannot be used: {problem}',
    hint: 'A plan is a Markdown checklist, a step a line: "- [ ] s1: First step".',
  },
  document_unreadable: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'The document {path} cannot be read: {problem}',
    hint: 'Give the path of a Markdown file; without one, every document in checkpoints/ is checked.',
  },
  document_broken: {
    exit: EXIT.invalid,
    http: 422,
    retry: false,
    says: '{path}:{line}: {problem}',
    hint: 'Mend the file; its last good state is kept: savepoint show {id}',
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
    hint: 'It may be on another branch. To bring it back here: savepoint restore {id}',
  },
  ledger_unknown: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'Nothing with the number {at} has stood in the ledger of this worktree.',
    hint: 'See what has: savepoint ledger history',
  },
  document_none: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: '{id} has no document: it lives in the store alone.',
    hint: 'To give it one, with all that is known: savepoint new {id}',
  },
  document_taken: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: '{path} is there already, and Savepoint did not write it.',
    hint: 'Move that file away, or choose another name. Documents that came with a clone are taken in by `savepoint trust`.',
  },
  stream_unknown: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'No work named {id}.{alike}',
    hint: 'Run `savepoint list --all` to see all work of this repository, or `savepoint new <name>` to begin a document.',
  },
  stream_foreign: {
    exit: EXIT.unsafe,
    http: 409,
    retry: false,
    says: '{id} holds text that came with the repository and that nobody here has reviewed.',
    hint: 'Review it: savepoint trust --review {id}. Or save to other work: --stream <id>',
  },
  stream_exists: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: 'There is work called {id} in this repository already.',
    hint: 'Choose another name. See it with `savepoint show {id}`; if it is not here, bring it back: savepoint restore {id}',
  },
  stream_archived: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: '{id} is archived.',
    hint: 'To open it again: savepoint restore {id}',
  },
  budget_too_small: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: '{id} does not fit {budget} tokens: {left} are left when all that may be cut is cut. Nothing was written. Largest: {largest}',
    hint: 'Shorten those sections yourself, or use --budget {left}. Without --hard it is cut as far as possible.',
  },
  stream_has_children: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: '{id} has open children: {children}.',
    hint: 'Archive them first, or add --force.',
  },
  checkpoint_unknown: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: '{id} has no checkpoint {at}.',
    hint: 'Run `savepoint show {id} --history` to see its checkpoints.',
  },
  nothing_in_focus: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'No checkpoint document is in focus here.',
    hint: 'Name one, or choose one with `savepoint focus <id>`; `savepoint list` shows them.',
  },
  nothing_to_undo: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'Nothing to undo in this workspace.',
    hint: 'What was saved before can be seen with `savepoint show <id> --history`, and brought back with `savepoint restore <id> --at <number>`.',
  },
  nothing_to_redo: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'Nothing to redo: nothing was undone since the last change.',
    hint: '`savepoint undo --list` shows what was done here last.',
  },
  undo_overtaken: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: '{id} changed since: {act} is no longer its newest change (it is at #{sequence}).',
    hint: 'See its history: savepoint show {id} --history. Go back to a point of it: savepoint restore {id} --at <number>',
  },
  undo_not_yours: {
    exit: EXIT.refused,
    http: 403,
    retry: false,
    says: 'The last change here was not made in this session: {act}',
    hint: 'Only the user can undo it: ask them to run `savepoint undo`.',
  },
  archive_unknown: {
    exit: EXIT.usage,
    http: 404,
    retry: false,
    says: 'No session of this repository has an archive {id}.',
    hint: '`savepoint sessions show <id> --json` lists the archives of a session.',
  },
  session_unknown: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'There is no session {id} in this repository.',
    hint: 'Run `savepoint sessions --all` to see them; the beginning of an id is enough.',
  },
  session_ambiguous: {
    exit: EXIT.usage,
    http: 409,
    retry: false,
    says: 'Several sessions begin with {id}: {ids}.',
    hint: 'Write more of the id.',
  },
  session_none: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'No session of an agent is active in this workspace.',
    hint: 'Sessions are recorded once `savepoint init` has set up the agent here and it is started. `savepoint sessions` shows those that were.',
  },
  session_unnamed: {
    exit: EXIT.unknown,
    http: 409,
    retry: false,
    says: 'The agent does not say which session this is.',
    hint: 'Name one with --session: `savepoint sessions` lists them. A save needs none.',
  },
  session_unrecorded: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'This session ({id}) is not recorded.',
    hint: 'Set up the agent here with `savepoint init`, then start it again. `savepoint doctor` tells whether its events arrive.',
  },
  transcript_none: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'Session {id} has not said where its transcript is.',
    hint: 'Name the file: savepoint sessions stats <file>',
  },
  git_in_progress: {
    exit: EXIT.refused,
    http: 409,
    retry: true,
    says: 'A {operation} is in progress in this workspace: its documents are left alone until it ends.',
    hint: 'Finish it or abort it (git status says how), then try again.',
  },
  handoff_unknown: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'There is no handoff {handoff} here.',
    hint: 'Run `savepoint pickup --list` to see what there is.',
  },
  handoff_invalid: {
    exit: EXIT.invalid,
    http: 422,
    retry: false,
    says: '{path} cannot be picked up: {problem}',
    hint: 'A handoff is Markdown with sections such as "## Goal" and "## Next"; docs/formats/handoff-md.md shows one.',
  },
  handoff_foreign: {
    exit: EXIT.unsafe,
    http: 403,
    retry: false,
    says: '{path} came with the repository ({note}), and nobody here has vouched for it.',
    hint: 'Read it yourself. If an agent may read it: savepoint pickup <file> --reviewed',
  },
  handoff_unwritten: {
    exit: EXIT.unwritten,
    http: 507,
    retry: true,
    says: 'The work is saved, number {sequence} of {stream}, but no handoff was written: {path}: {problem}',
    hint: 'Nothing is lost: savepoint resume {stream} tells it. Mend what is in the way (a link, a permission, a full disk) and hand off again.',
  },
  workspace_untrusted: {
    exit: EXIT.unsafe,
    http: 403,
    retry: false,
    says: '{path} did not come from Savepoint, and this workspace is not trusted.',
    hint: 'Look at what is there. If you trust it: savepoint trust',
  },
  trust_by_agent: {
    exit: EXIT.unsafe,
    http: 403,
    retry: false,
    says: 'Only the user can trust {path}, and this command was given by an agent.',
    hint: 'Run it in a terminal of your own, outside of the agent.',
  },
  document_changed: {
    exit: EXIT.unsafe,
    http: 403,
    retry: false,
    says: '{path} was changed, and this workspace is not trusted: the change is not taken in.',
    hint: 'If the change is yours: savepoint trust',
  },
  command_not_started: {
    exit: 127,
    http: 422,
    retry: false,
    says: 'The command {command} could not be started: {problem}',
    hint: 'Check its name and that it is on PATH. Its failure is recorded in the run.',
  },
  cancelled: {
    exit: 130,
    http: 499,
    retry: false,
    says: 'The questions were left unanswered.',
    hint: 'Nothing was saved. To say it in one line: savepoint save "what you are doing" --next "what comes next"',
  },
  config_invalid: {
    exit: EXIT.usage,
    http: 422,
    retry: false,
    says: 'The settings file {path} cannot be used: {problem}',
    hint: 'Mend the line it names. `savepoint config explain` shows every setting, and where its value comes from.',
  },
  agent_unknown: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'No agent was found here: there is no `{program}` on PATH, and no folder {path}.',
    hint: 'Install {label} and start it once. To set it up all the same: savepoint init --agent {agent}',
  },
  settings_malformed: {
    exit: EXIT.invalid,
    http: 422,
    retry: false,
    says: '{path}:{line}: the settings of the agent cannot be read: {problem}',
    hint: 'Nothing was changed. Mend that line, and give the command again.',
  },
  plugin_not_installed: {
    exit: EXIT.unwritten,
    http: 502,
    retry: true,
    says: 'All is prepared, but {label} did not install the plugin: {problem}',
    hint: 'Type in {label}: {typed}',
  },
  plugin_not_removed: {
    exit: EXIT.unwritten,
    http: 502,
    retry: true,
    says: '{label} did not take out the plugin: {problem}',
    hint: 'Type in {label}: {typed}. Then: savepoint uninstall',
  },
  settings_busy: {
    exit: EXIT.busy,
    http: 503,
    retry: true,
    says: '{path} was changed by another program each time that it was to be written.',
    hint: 'Its last content stands. Give the command again when the agent does not change its settings.',
  },
  backup_exists: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: '{path} exists already.',
    hint: 'Choose another file name: a backup never overwrites.',
  },
  backup_invalid: {
    exit: EXIT.invalid,
    http: 422,
    retry: false,
    says: '{path} cannot be restored: {problem}',
    hint: 'Nothing was changed. Backups of every day are in the folder `backups` of the home: savepoint doctor names it.',
  },
  file_exists: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: '{path} exists already.',
    hint: 'Choose another file name, or replace it with --force.',
  },
  format_unknown: {
    exit: EXIT.invalid,
    http: 422,
    retry: false,
    says: '{path} cannot be converted: {problem}',
    hint: 'It must be a checkpoint document, a note, a ledger, a handoff or a run snapshot. `savepoint convert --help` has examples.',
  },
  conversion_lossy: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: 'Nothing was written. No place in {to}: {lost}',
    hint: 'Without --strict it is written all the same.',
  },
  export_invalid: {
    exit: EXIT.invalid,
    http: 422,
    retry: false,
    says: '{path} is not a whole export: {problem}',
    hint: 'Nothing was imported. Make the export again; to take what is sound in this file: savepoint import {path} --skip-damaged',
  },
  export_unusable: {
    exit: EXIT.invalid,
    http: 422,
    retry: false,
    says: '{path} cannot be imported: {problem}',
    hint: 'Nothing was imported. Make the export again; of a large store one repository at a time, without --all.',
  },
  export_unwritten: {
    exit: EXIT.unwritten,
    http: 500,
    retry: true,
    says: 'The export could not be written: {problem}',
    hint: 'What was written of it is not whole. Check where the output goes, and export again.',
  },
  export_newer: {
    exit: EXIT.unsafe,
    http: 409,
    retry: false,
    says: '{path} was exported by a newer Savepoint (format {found}, this one knows {known}).',
    hint: 'Update Savepoint on this machine. Nothing was imported.',
  },
  import_by_agent: {
    exit: EXIT.unsafe,
    http: 403,
    retry: false,
    says: 'Only the user can {what}, and this command was given by an agent.',
    hint: 'Run it in a terminal of your own, outside of the agent: what it brings counts as your own words.',
  },
  repository_unknown: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'No repository {name} is in the store that this clone could take over.',
    hint: 'Import its export first: savepoint import <file>. Known: {known}',
  },
  clone_required: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: 'This folder is not a git repository: it cannot take over the work of {name}.',
    hint: 'Change to your clone of {name}, and give the command again there.',
  },
  repository_ambiguous: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: 'The store has several repositories called {name}.',
    hint: 'Give the id of one: {known}',
  },
  repository_present: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: 'The work of {name} belongs to the repository in {path}, which is on this machine.',
    hint: 'Work there, or make a worktree of it: git worktree add. A second clone keeps work of its own.',
  },
  folder_unreadable: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'The folder {path} cannot be used: {problem}',
    hint: 'Make the folder first, or choose one that exists and that you may use.',
  },
  output_failed: {
    exit: EXIT.unwritten,
    http: 500,
    retry: true,
    says: 'The answer could not be written: {problem}',
    hint: 'What was asked for is done. Check where the output goes; to see how things stand: savepoint status',
  },
  recorder_closed: {
    exit: EXIT.refused,
    http: 409,
    retry: false,
    says: 'The recorder of run {run} is closed.',
    hint: 'Take the run up again with RunRecorder.resume.',
  },
  store_busy: {
    exit: EXIT.busy,
    http: 503,
    retry: true,
    says: 'Another process holds the store ({path}) for more than {waitedMs} ms.',
    hint: 'Nothing was written. Try again; if it lasts, look for a stopped savepoint process (state T in ps).',
  },
  store_damaged: {
    exit: EXIT.invalid,
    http: 500,
    retry: false,
    says: 'The store {path} is damaged: {problem}',
    hint: 'Run `savepoint doctor --fix`: it sets the file aside and restores the newest good backup.',
  },
  store_newer: {
    exit: EXIT.unsafe,
    http: 409,
    retry: false,
    says: 'The store {path} was written by a newer Savepoint (format {found}, this one knows {known}).',
    hint: 'Update Savepoint; this version leaves the store alone.',
  },
  store_older: {
    exit: EXIT.unsafe,
    http: 409,
    retry: false,
    says: 'The store {path} has an older shape ({found}, the newest is {newest}), and a hook does not change it.',
    hint: 'Run any command, such as `savepoint status`: it makes a backup and brings the store to the newest shape.',
  },
  store_unavailable: {
    exit: EXIT.unwritten,
    http: 503,
    retry: true,
    says: 'The store {path} cannot be opened: {problem}',
    hint: 'Check that the folder exists and is writable, or set SAVEPOINT_HOME to one that is.',
  },
  home_inside_workspace: {
    exit: EXIT.unsafe,
    http: 409,
    retry: false,
    says: 'SAVEPOINT_HOME ({path}) lies inside the workspace {workspace}.',
    hint: 'Choose a folder outside every repository: `git clean` would delete it, a clone could ship it.',
  },
  home_on_network: {
    exit: EXIT.unsafe,
    http: 409,
    retry: false,
    says: 'SAVEPOINT_HOME ({path}) is on a network file system ({type}).',
    hint: 'Choose a local folder: file locks over a network lose writes.',
  },
  home_insecure: {
    exit: EXIT.unsafe,
    http: 409,
    retry: false,
    says: 'SAVEPOINT_HOME ({path}) is not private: {problem}',
    hint: 'Make it yours alone: chmod 700 {path}',
  },
  path_unsafe: {
    exit: EXIT.unsafe,
    http: 409,
    retry: false,
    says: '{path} is not safe to use: {problem}',
    hint: 'Savepoint follows no symbolic links below a workspace. Remove it or replace it by a folder.',
  },
  path_outside: {
    exit: EXIT.unsafe,
    http: 403,
    retry: false,
    says: '{path} is not in this workspace.',
    hint: 'Name files by their path from the root of the workspace; what lies outside is not looked at.',
  },
  file_unknown: {
    exit: EXIT.unknown,
    http: 404,
    retry: false,
    says: 'File not found: {path}',
    hint: 'Check the name: a relative path begins at the folder that you are in.',
  },
  file_unreadable: {
    exit: EXIT.unknown,
    http: 403,
    retry: false,
    says: '{path} cannot be read: {problem}',
    hint: 'Check its name and its permissions.',
  },
  file_too_large: {
    exit: EXIT.invalid,
    http: 413,
    retry: false,
    says: '{path} is larger than {limit} bytes.',
    hint: 'Make it smaller, or move it away. The last good state of a document is kept: savepoint show <id>',
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
    says: 'Something failed that should not: {problem}',
    hint: 'Please report it with the output of the same command under SAVEPOINT_DEBUG=1.',
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
