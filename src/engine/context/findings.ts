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
  hooks: { who: 'Hooks start', todo: INIT },
  pluginHooks: { who: 'Hooks of the plugin start', todo: INIT_PLUGIN },
  pluginServer: { who: 'The plugin starts', todo: INIT_PLUGIN },
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
  todo: 'It is passed over; what was saved is in the store.',
})

const listNames = (names: readonly string[]) =>
  names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ')

/** Everything that `doctor` can find, by the rooms that look for it. */
export const FINDINGS = {
  // setup: the settings of an agent, the home
  settingsUnreadable: (path: string, problem: string) => ({
    what: `${path} cannot be read: ${problem}`,
    todo: 'Mend it: the client passes over the whole file.',
  }),
  pluginPrepared: (label: string) =>
    pluginFinding(`The plugin is prepared, and ${label} has not installed it.`),
  agentNotSetUp: (label: string) => ({
    what: `${label} is not set up in this workspace.`,
    todo: `To record its sessions: ${INIT}`,
  }),
  hooksHindered: (hindrance: string) => ({ what: hindrance, todo: 'Until then no session is recorded.' }),
  hooksMissing: (events: readonly string[]) => ({
    what: `Hooks are missing: ${events.join(', ')}`,
    todo: INIT,
  }),
  transcriptsDeletedEarly: (label: string, days: number, setting: string, path: string) => ({
    what: `${label} deletes transcripts after ${days} days ("${setting}" in ${path}).`,
    todo: 'What was not saved by then is lost: set more days.',
  }),
  homeNotWritable: (home: string, problem: string) => ({
    what: `The home ${home} cannot be written: ${problem}`,
    todo: 'Nothing is recorded. Set SAVEPOINT_HOME to a folder that can be written, and run savepoint init.',
  }),
  diskFull: (home: string, freeBytes: number) => ({
    what: `There is hardly any space left on the file system of ${home}: ${Math.floor(freeBytes / 1024)} KB.`,
    todo: 'Make room: until then nothing can be recorded, and no fault can be written down.',
  }),
  homeImpermanent: (home: string, where: 'memory' | 'container') => ({
    what: `The home ${home} is ${where === 'memory' ? 'in memory: it is gone when the machine stops' : 'in the container: it goes with it'}.`,
    todo: 'Mount a folder there that stays, or set SAVEPOINT_HOME to one, and run savepoint init.',
  }),

  // setup: the plugin, and what starts the program
  hooksTwice: (path: string) =>
    pluginFinding(`Hooks are in ${path} and in the plugin: each event is recorded twice.`),
  hooksPerhapsTwice: (path: string, committed: string, label: string) =>
    pluginFinding(
      `Hooks are in ${path}, and ${committed} switches on a plugin of our name: where ${label} has it, each event is recorded twice.`,
    ),
  pluginGone: (folder: string) =>
    pluginFinding(`The plugin is read from ${folder}, which is not there: no session is recorded.`),
  pluginChanged: (folder: string) =>
    pluginFinding(`The plugin in ${folder} is not as this Savepoint has it.`),
  pluginOfOtherVersion: (folder: string, theirs: string | null, mine: string | null) =>
    pluginFinding(
      `The plugin in ${folder} is ${theirs ? `of version ${theirs}` : 'not whole'}, this is ${mine}.`,
    ),
  launcherOfOtherHome: (starter: Starter, path: string, home: string) =>
    launcherFinding(starter, `${STARTERS[starter].who} ${path}, which belongs to another home than ${home}.`),
  launcherGone: (starter: Starter, path: string) =>
    launcherFinding(starter, `${STARTERS[starter].who} ${path}, which is not there.`),
  launcherNotRunnable: (starter: Starter, path: string) =>
    launcherFinding(starter, `${STARTERS[starter].who} ${path}, which may not be run.`),
  launcherOfOthers: (starter: Starter, path: string) =>
    launcherFinding(starter, `${path} was not written by savepoint init.`),
  nodeGone: (starter: Starter, path: string, node: string) =>
    launcherFinding(starter, `${path} starts ${node}, which is not there: it takes the node on PATH.`),
  programGone: (starter: Starter, path: string, bundle: string) =>
    launcherFinding(
      starter,
      `${path} starts ${bundle}, which is not there: ${/hook/.test(path) ? 'no hook does anything' : 'no tool is there'}.`,
    ),
  programOfOtherVersion: (starter: Starter, theirs: string | null, mine: string | null) =>
    launcherFinding(starter, `Hooks run Savepoint ${theirs ?? 'of an unknown version'}, this is ${mine}.`),

  // heal: the store, its search index and its backups
  storeGone: (database: string) =>
    fixable(`The store ${database} is gone, its backups are there, or what was set aside is not read yet`),
  storeDamaged: (database: string, problem: string) => fixable(`The store ${database}: ${problem}`),
  searchIndexDamaged: (problem: string) => ({
    what: `The search index is damaged: ${problem}`,
    todo: 'Nothing is lost: it is made anew at the next search.',
  }),
  backupDamaged: (path: string, problem: string) => ({
    what: `The backup ${path} is damaged: ${problem}`,
    todo: 'Move it away; the next backup is made within a day.',
  }),

  // runs: published snapshots, and what lies beside them
  runWorkspaceGone: (root: string, run: string) => ({
    what: `The workspace ${root} of run ${run} is gone`,
    todo: 'Nothing is to be done: the store keeps the run.',
  }),
  runNotRepaired: (run: string, { message, hint }: { message: string; hint: string }) => ({
    what: `Run ${run}: ${message}`,
    todo: hint,
  }),
  snapshotToRemove: (path: string) => fixable(`${path} is still to be removed`),
  snapshotToWrite: (path: string) => fixable(`${path} is still to be written`),
  snapshotMissing: (path: string) => fixable(`${path} is missing`),
  snapshotDamaged: ({ reason, message }: { reason: string; message: string }) =>
    fixable(`${reason}: ${message}`),
  tempLeft: (path: string) => fixable(`${path} was left behind by a writer that died`),
  snapshotUnknown: (path: string) => fixable(`${path} is a snapshot that the store has no record of`),
  fileOfOthers: (path: string) => fixable(`${path} is not a file of this run`),
  runUnknown: (path: string) => ({
    what: `${path} looks like a run that the store does not know`,
    todo: `If it is yours: ${FIX}`,
  }),

  // documents and notes
  documentsToWrite: (count: number) =>
    fixable(`${formatCount(count, 'document change')} in the store and not yet on the disk`),
  leftovers: (count: number) => fixable(`${formatCount(count, 'file')} left by a write that was broken off`),
  severalCurrent: (names: readonly string[]) => ({
    what: `Several documents say they are current: ${names.join(', ')}`,
    todo: `Choose one with \`savepoint focus <id>\`, or keep the newest: ${FIX}`,
  }),
  noneCurrent: (names: readonly string[]) => ({
    what: `No document is current; active: ${listNames(names)}`,
    todo: 'Choose the one you work on: savepoint focus <id>',
  }),
  learningsMissing: (names: readonly string[]) => ({
    what: `Learnings of archived documents are not in checkpoints/LEARNINGS.md: ${listNames(names)}`,
    todo: `To add them: savepoint archive ${names[0]}`,
  }),
  documentTrouble: ({ path, line, what, todo }: FindingWords & { path: string; line: number }) => ({
    what: `${path}:${line}: ${what}`,
    todo,
  }),
  gitOperation: (operation: string) => ({
    what: `A ${operation} is in progress: documents are left alone until it ends`,
    todo: 'Finish it or abort it.',
  }),
  documentsForeign: (count: number) => ({
    what: `${formatCount(count, 'document')} came with the repository, which is not trusted`,
    todo: 'Look at them; if you trust them: savepoint trust',
  }),
  noteChanged: (path: string) => noteFinding(`${path} was changed`),
  noteBroken: (path: string) => noteFinding(`${path} cannot be read any more`),
  noteUnreadable: (path: string, problem: string) => noteFinding(`${path} cannot be read: ${problem}`),

  // sessions: what hooks could not do
  hookFailed: (fault: { times: number; age: string; event: string; reason: string; message: string }) => ({
    what: `A hook could not do its part (${formatCount(fault.times, 'time')}, last ${fault.age} ago, at ${fault.event || 'its start'}): ${fault.reason}${fault.message === '' ? '' : `: ${fault.message}`}`,
    todo: 'The agent went on without it, and its event stands in the journal. Once the cause is mended nothing is left to do; this fades after a day.',
  }),
  hooksSilent: (session: string, age: string) => ({
    what: `The session ${session} went on for ${age} without any of its hooks being heard`,
    todo: 'Look at the settings of the agent (hooks that are switched off, a folder that is not trusted there), then run `savepoint init` again.',
  }),
  sessionsBrokeOff: (count: number) => ({
    what: `${formatCount(count, 'session')} broke off without an end`,
    todo: 'savepoint reconcile',
  }),
  headDamaged: (stream: string) =>
    fixable(`The newest checkpoint of ${stream} does not match its checksum; the one before it is shown`),
  /** What a command would say besides its result. */
  notice: (what: string) => ({ what, todo: '' }),
  sessionsWaiting: (count: number) => ({
    what: `${formatCount(count, 'session')} said something that is not in the store yet`,
    todo: 'The next command takes it in, such as `savepoint sessions`.',
  }),
} as const satisfies Record<string, (...facts: never[]) => FindingWords>

/** What `doctor --fix` did about a finding. */
export const FIXES = {
  removed: 'removed',
  written: 'written',
  writtenAgain: 'written again from the store',
  setAside: (path: string) => `set aside at ${path}`,
  replaced: (path: string) => `set aside at ${path}, written again from the store`,
  givenBack: 'given back to the store',
  runTakenUp: (snapshots: number) => `taken up with ${snapshots} snapshots`,
  storeRestored: (from: string | null) => `restored from ${from}`,
  storeReplaced: (path: string | null) => `set aside at ${path}, restored`,
  indexForgotten: 'thrown away; it is made anew at the next search',
  leftoversKept: 'removed, after what they held was kept in the store',
  focused: (stream: string | null) => `${stream} is the one in focus`,
} as const

/** Why a document is not taken in as it stands, and what to do: told by verbs and by `doctor`. */
export const TROUBLES = {
  frontMatterMissing: { what: 'its front matter is missing', todo: 'Begin it with `---`.' },
  conflicted: (what: string) => ({ what, todo: 'Resolve the conflict; until then it is left alone.' }),
  broken: (what: string, isKnown: boolean) => ({
    what,
    todo: `Mend it; until then ${isKnown ? 'its last good state is used' : 'it is not taken in'}.`,
  }),
  twin: (other: string, id: string) => ({
    what: `${other} has the id ${id} as well`,
    todo: 'Give one of them another id and name, or remove it.',
  }),
  changedUntrusted: {
    what: 'it was changed, and this workspace is not trusted: what is known stays as it was',
    todo: 'If the change is yours: savepoint trust',
  },
} as const
