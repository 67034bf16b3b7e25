import { formatCount } from '../../core/text.ts'

export interface Finding {
  /** A note asks for nothing. */
  level: 'error' | 'warning' | 'note'
  what: string
  todo: string
  fixed: string | null
}

/** What is wrong, and what to do. */
export type FindingWords = Pick<Finding, 'what' | 'todo'>

export const FIX = 'savepoint doctor --fix'
const INIT = 'savepoint init'
const INIT_PLUGIN = `${INIT} --plugin`

/** Who starts a launcher, and what puts it right. */
const STARTERS = {
  hooks: { who: 'Hooks run', todo: INIT },
  pluginHooks: { who: "The plugin's hooks run", todo: INIT_PLUGIN },
  pluginServer: { who: 'The plugin runs', todo: INIT_PLUGIN },
} as const

export type Starter = keyof typeof STARTERS

const fixable = (what: string): FindingWords => ({ what, todo: FIX })
const pluginFinding = (what: string): FindingWords => ({ what, todo: INIT_PLUGIN })
const launcherFinding = (starter: Starter, what: string): FindingWords => ({
  what,
  todo: STARTERS[starter].todo,
})
const noteFinding = (what: string): FindingWords => ({
  what,
  todo: 'It is ignored; what was saved is in the store.',
})

const listNames = (names: readonly string[]) =>
  names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ')

/** Everything that `doctor` can find, by the rooms that look for it. */
export const FINDINGS = {
  // setup: the settings of an agent, the home
  settingsUnreadable: (path: string, problem: string) => ({
    what: `Could not read ${path}: ${problem}`,
    todo: 'Fix it: the client ignores the whole file.',
  }),
  pluginPrepared: (label: string) => pluginFinding(`The plugin is ready, but ${label} has not installed it.`),
  agentNotSetUp: (label: string) => ({
    what: `${label} is not set up in this workspace.`,
    todo: `To record its sessions, run: ${INIT}`,
  }),
  hooksHindered: (hindrance: string) => ({
    what: hindrance,
    todo: 'Until this is fixed, no session is recorded.',
  }),
  hooksMissing: (events: readonly string[]) => ({ what: `Missing hooks: ${events.join(', ')}`, todo: INIT }),
  transcriptsDeletedEarly: (label: string, days: number, setting: string, path: string) => ({
    what: `${label} deletes transcripts after ${formatCount(days, 'day')} ("${setting}" in ${path}).`,
    todo: 'Anything not saved by then is lost. Set more days.',
  }),
  homeNotWritable: (home: string, problem: string) => ({
    what: `Could not write to Savepoint's data folder ${home}: ${problem}`,
    todo: 'Nothing is recorded. Set SAVEPOINT_HOME to a writable folder, then run savepoint init.',
  }),
  diskFull: (home: string, freeBytes: number) => ({
    what: `The disk of ${home} is almost full: ${Math.floor(freeBytes / 1024)} KB free.`,
    todo: 'Free some space. Until then nothing can be recorded, not even errors.',
  }),
  homeImpermanent: (home: string, where: 'memory' | 'container') => ({
    what: `Savepoint's data folder ${home} is ${where === 'memory' ? 'in memory: it is lost when the machine stops' : 'inside the container: it is lost when the container is removed'}.`,
    todo: 'Mount a permanent folder there, or set SAVEPOINT_HOME to one, then run savepoint init.',
  }),

  // setup: the plugin, and what starts the program
  hooksTwice: (path: string, isForAll: boolean) => ({
    what: `Both ${path} and the plugin have hooks: each event is recorded twice.`,
    todo: isForAll ? `${INIT_PLUGIN} --scope user` : INIT_PLUGIN,
  }),
  hooksPerhapsTwice: (path: string, committed: string, label: string) =>
    pluginFinding(
      `${path} has hooks, and ${committed} enables a plugin named savepoint: where ${label} has it, each event is recorded twice.`,
    ),
  pluginGone: (folder: string) =>
    pluginFinding(`Folder not found: ${folder}, where the plugin should be. No session is recorded.`),
  pluginChanged: (folder: string) =>
    pluginFinding(`The plugin in ${folder} differs from this version of Savepoint.`),
  pluginOfOtherVersion: (folder: string, theirs: string | null, mine: string | null) =>
    pluginFinding(
      `The plugin in ${folder} is ${theirs ? `version ${theirs}` : 'incomplete'}; Savepoint is ${mine}.`,
    ),
  launcherOfOtherHome: (starter: Starter, path: string, home: string) =>
    launcherFinding(
      starter,
      `${STARTERS[starter].who} ${path}, which uses another data folder than ${home}.`,
    ),
  launcherGone: (starter: Starter, path: string) =>
    launcherFinding(starter, `${STARTERS[starter].who} ${path}, which does not exist.`),
  launcherNotRunnable: (starter: Starter, path: string) =>
    launcherFinding(starter, `${STARTERS[starter].who} ${path}, which is not executable.`),
  launcherOfOthers: (starter: Starter, path: string) =>
    launcherFinding(starter, `${path} was not written by savepoint init.`),
  nodeGone: (starter: Starter, path: string, node: string) =>
    launcherFinding(starter, `${path} runs ${node}, which does not exist; the node on PATH is used instead.`),
  programGone: (starter: Starter, path: string, bundle: string) =>
    launcherFinding(
      starter,
      `${path} runs ${bundle}, which does not exist: ${/hook/.test(path) ? 'hooks do nothing' : 'the tools are missing'}.`,
    ),
  programOfOtherVersion: (starter: Starter, theirs: string | null, mine: string | null) =>
    launcherFinding(starter, `Hooks run Savepoint ${theirs ?? 'of an unknown version'}; this is ${mine}.`),

  // heal: the store, its search index and its backups
  storeGone: (database: string) =>
    fixable(`The store ${database} is missing, but there are backups or recovered files to restore it from`),
  storeDamaged: (database: string, problem: string) => fixable(`The store ${database}: ${problem}`),
  searchIndexDamaged: (problem: string) => ({
    what: `The search index is damaged: ${problem}`,
    todo: 'Nothing is lost: the next search rebuilds it.',
  }),
  backupDamaged: (path: string, problem: string) => ({
    what: `The backup ${path} is damaged: ${problem}`,
    todo: 'Move it away. The next backup is made within a day.',
  }),

  // runs: published snapshots, and what lies beside them
  runWorkspaceGone: (root: string, run: string) => ({
    what: `Folder not found: ${root} of run ${run}`,
    todo: 'Nothing to do: the store has the run.',
  }),
  runNotRepaired: (run: string, { message, hint }: { message: string; hint: string }) => ({
    what: `Run ${run}: ${message}`,
    todo: hint,
  }),
  snapshotToRemove: (path: string) => fixable(`${path} was not removed yet`),
  snapshotToWrite: (path: string) => fixable(`${path} was not written yet`),
  snapshotMissing: (path: string) => fixable(`File not found: ${path}`),
  snapshotDamaged: ({ reason, message }: { reason: string; message: string }) =>
    fixable(`${reason}: ${message}`),
  tempLeft: (path: string) => fixable(`${path} was left by an interrupted write`),
  snapshotUnknown: (path: string) => fixable(`${path} is a snapshot that is not in the store`),
  fileOfOthers: (path: string) => fixable(`${path} does not belong to this run`),
  runUnknown: (path: string) => ({
    what: `${path} looks like a run that is not in the store`,
    todo: `If it is yours: ${FIX}`,
  }),

  // documents and notes
  documentsToWrite: (count: number) =>
    fixable(`${formatCount(count, 'document change')} not yet written to disk`),
  leftovers: (count: number) => fixable(`${formatCount(count, 'file')} left by interrupted writes`),
  severalCurrent: (names: readonly string[]) => ({
    what: `Several documents are marked current: ${names.join(', ')}`,
    todo: `Choose one: savepoint focus <id>. Or use the newest: ${FIX}`,
  }),
  noneCurrent: (names: readonly string[]) => ({
    what: `No document is marked current. Active: ${listNames(names)}`,
    todo: 'Choose one: savepoint focus <id>',
  }),
  learningsMissing: (names: readonly string[]) => ({
    what: `Not yet in checkpoints/LEARNINGS.md: the learnings of ${listNames(names)}`,
    todo: `Add them: savepoint archive ${names[0]}`,
  }),
  documentTrouble: ({ path, line, what, todo }: FindingWords & { path: string; line: number }) => ({
    what: `${path}:${line}: ${what}`,
    todo,
  }),
  gitOperation: (operation: string) => ({
    what: `A git ${operation} is in progress: documents are not read or written until it ends`,
    todo: 'Finish or abort it.',
  }),
  documentsForeign: (count: number) => ({
    what: `${formatCount(count, 'document')} came with the repository, which is not trusted`,
    todo: 'Read them. If you trust them: savepoint trust',
  }),
  noteChanged: (path: string) => noteFinding(`${path} was edited`),
  noteBroken: (path: string) => noteFinding(`${path} is no longer readable`),
  noteUnreadable: (path: string, problem: string) => noteFinding(`Could not read ${path}: ${problem}`),

  // sessions: what hooks could not do
  hookFailed: (fault: { times: number; age: string; event: string; reason: string; message: string }) => ({
    what: `A hook failed (${formatCount(fault.times, 'time')}, last ${fault.age} ago, at ${fault.event || 'start'}): ${fault.reason}${fault.message === '' ? '' : `: ${fault.message}`}`,
    todo: 'The agent was not affected, and the event is in the journal. Fix the cause; this message disappears after a day.',
  }),
  hooksSilent: (session: string, age: string) => ({
    what: `Session ${session} ran for ${age} without any hook event`,
    todo: "Check the agent's settings (hooks turned off, or a folder it does not trust), then run `savepoint init` again.",
  }),
  sessionsBrokeOff: (count: number) => ({
    what: `${formatCount(count, 'session')} ended without a clean exit`,
    todo: 'Save and close: savepoint reconcile',
  }),
  headDamaged: (stream: string) =>
    fixable(`The newest checkpoint of ${stream} is damaged; the one before it is shown`),
  /** What a command would say besides its result. */
  notice: (what: string) => ({ what, todo: '' }),
  sessionsWaiting: (count: number) => ({
    what: `${formatCount(count, 'session')} with events that are not in the store yet`,
    todo: 'The next command reads them, such as `savepoint sessions`.',
  }),
} as const satisfies Record<string, (...facts: never[]) => FindingWords>

/** What `doctor --fix` did about a finding. */
export const FIXES = {
  removed: 'removed',
  written: 'written',
  writtenAgain: 'rewritten from the store',
  setAside: (path: string) => `moved to ${path}`,
  replaced: (path: string) => `moved to ${path}, rewritten from the store`,
  givenBack: 'added to the store',
  runTakenUp: (snapshots: number) => `imported with ${snapshots} snapshots`,
  storeRestored: (from: string | null) => `restored from ${from}`,
  storeReplaced: (path: string | null) => `moved to ${path}, restored`,
  indexForgotten: 'removed; the next search rebuilds it',
  leftoversKept: 'removed; their content was saved in the store',
  focused: (stream: string | null) => `focused ${stream}`,
} as const

/** Why a document is not taken in as it stands, and what to do: told by verbs and by `doctor`. */
export const TROUBLES = {
  frontMatterMissing: { what: 'missing front matter', todo: 'Start the file with `---`.' },
  conflicted: (what: string) => ({ what, todo: 'Resolve the conflict. Until then the file is ignored.' }),
  broken: (what: string, isKnown: boolean) => ({
    what,
    todo: `Fix it. Until then ${isKnown ? 'its last valid version is used' : 'it is ignored'}.`,
  }),
  twin: (other: string, id: string) => ({
    what: `${other} has the same id, ${id}`,
    todo: 'Change the id and file name of one of them, or delete it.',
  }),
  changedUntrusted: {
    what: 'edited, but this workspace is not trusted: the edit is ignored',
    todo: 'If the edit is yours: savepoint trust',
  },
} as const
