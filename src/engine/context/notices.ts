import { NOTES } from '../../core/layout.ts'
import { formatCount, quoteShort } from '../../core/text.ts'
import { visible } from '../../core/visible.ts'
import type { ResumeChoice } from '../../policy/resolve.ts'

/** Why a piece of work was chosen, after its name. */
export const WHY: Record<Extract<ResumeChoice, { kind: 'stream' }>['why'], string> = {
  named: 'it was asked for by its name',
  bound: 'this session is bound to it',
  focused: 'it is in focus',
  plan: 'it is the work of the active plan',
  branch: 'it is the work of this branch',
  main: 'it is the work of the main branch',
  unbranched: 'no branch is checked out',
  origin: 'this branch came from it and has no work of its own yet',
  only: 'it is the only work that is open',
  session: 'it is what the last session worked on',
}

/** A file by its name, with how many lie beside it. */
const nameFile = ({ path, count }: { path: string; count: number }) =>
  `${visible(path)}${count > 1 ? ` (and ${count - 1} more)` : ''}`

/** What `init` and `uninstall` say of a file that they change. */
export const SETUP_CHANGES = {
  trusted: 'savepoint trust --off ends that',
  hookLauncher: 'what the hooks start',
  serverLauncher: 'what the plugin starts as its server',
  plugin: 'the plugin',
  statusLine: 'the status line',
  statusLineRestored: 'the status line as it was',
  hooks: (what: string, changes: ReadonlyArray<{ event: string }>) =>
    `hooks ${what}: ${changes.map(({ event }) => event).join(', ')}`,
  command: (word: string, otherwise: string) => `${word}, which is else a word for ${otherwise}`,
  lineAdded: (line: string) => `one line: ${line}`,
  lineRemoved: (line: string) => `one line less: ${line}`,
  unread: 'nobody reads it any more',
  unused: 'nothing is set up any more',
  folderEmpty: 'nothing else is in it',
  fileEmpty: 'it held nothing else',
  restored: 'as it was before `savepoint init`',
} as const

/**
 * Every sentence that a verb tells besides its result, by the rooms that say it. A `problem` comes from an error or
 * from git. Refusals are in core/reason.ts, findings of `doctor` in findings.ts.
 */
export const NOTICES = {
  /** Something after a commit: what is stored stays confirmed. */
  stepFailed: (what: string, problem: string) => `${what} failed: ${problem}`,

  // context: settings
  settingsPassedOver: (message: string, isFile: boolean, hint: string) =>
    `${message}. ${isFile ? 'The file' : 'That line'} is passed over, all other settings count. ${hint}`,

  // trust: who wrote a document, and whether this workspace is trusted
  authorsUnknown: (problem: string) =>
    `Git could not be asked who wrote the documents (${problem}); they count as foreign.`,
  nestedRepository: (folder: string) => `${folder} is another repository; its documents count as foreign.`,
  workspaceUntrusted:
    'This workspace is not trusted: edits of its documents are not taken in. See: savepoint trust --help',
  workspaceTrusted:
    'This workspace is trusted from now on: edits of its documents are taken in (savepoint trust --off ends that).',
  unreviewedText: (stream: string) =>
    `${stream} holds text that nobody here has reviewed: savepoint trust --review`,
  newerTextUnreviewed: (stream: string) =>
    `Newer text of it came by git and is not told before you review it: savepoint trust --review ${stream}`,
  nothingToReview: (stream: string) => `${stream} is not foreign.`,
  textUnseen: (stream: string) => `${stream} has text that you have not seen yet; look at it, and try again.`,
  learningsForeign: (isWithheld: boolean, isTrusted: boolean) =>
    `${isWithheld ? 'Learnings are left out: they' : 'These learnings'} came with the repository, and ${isTrusted ? 'nobody here vouches for them' : 'this workspace is not trusted'}.`,
  trustByUserOnly:
    'This workspace is not trusted by that: only you can do it, in a terminal of your own: savepoint trust',

  // publish: files that are written, and git
  ledgerEditedMeanwhile: (path: string) =>
    `${path} was edited meanwhile: the edit stands, and the next save takes it in.`,
  changedSoItStays: (path: string) => `${path} was changed since, so it stays.`,
  entryStays: (path: string, id: string) => `${path} was changed since, so the entry of ${id} stays in it.`,
  notHiddenFromGit: (path: string, problem: string) => `${path} could not be hidden from git: ${problem}`,
  tempsNotHiddenFromGit: (problem: string) => `Temporary files could not be hidden from git: ${problem}`,
  moveUnknownToGit: (from: string, to: string, problem: string) =>
    `Git was not told that ${from} is ${to} now: ${problem}`,
  notePlaceTaken: (path: string) =>
    `${path} is somebody else's file: the note was not written, its text is in the store.`,
  registryNotWritten: (path: string, problem: string) => `${path} was not written: ${problem}`,
  registryTracked: (path: string) => `${path} was not written: git tracks it. Take it out of git's index.`,
  registryPlaceTaken: (path: string) =>
    `${path} was not written: the file there is not ours. Move it, or set registry to false.`,
  registrySetAside: (path: string, where: string) =>
    `${path} was changed by hand: it is kept as ${where}, and rebuilt.`,
  indexUnchanged: (path: string, problem: string) =>
    `${path} was left as it is: ${problem}. Mend it, and the next save sets its time.`,
  leftover: (path: string) => `${path} was left by a write that was broken off; look at it, then remove it.`,
  leftoverUnreadable: (path: string, problem: string) =>
    `${path} was left by a write that was broken off: ${problem}`,
  leftoverKept: (path: string, stream: string) =>
    `${path} was edited during a write that was broken off; that text is kept: savepoint show ${stream} --history`,

  // documents: edits that are taken in, the focus
  documentsBusy: 'Another process is at work on the documents; this is how they were before.',
  filesPending: 'What is saved is in the store; its file is written by the next command that can.',
  documentTrouble: (path: string, line: number, what: string, todo: string) =>
    `${path}:${line}: ${what}. ${todo}`,
  gitOperation: (operation: string) =>
    `A ${operation} is in progress: documents are left alone until it ends.`,
  learningsOwed: (stream: string, count: number) =>
    `${formatCount(count, 'learning')} of ${stream} not in checkpoints/LEARNINGS.md, which git tracks. Add: savepoint archive ${stream}`,
  severalCurrent: (names: readonly string[]) =>
    `Several documents say they are current: ${names.join(', ')}. Choose one: savepoint focus <id>`,
  stillCurrent: (path: string | undefined, problem: unknown) =>
    `${path} still says that it is current: ${problem}`,
  editUnmerged: (path: string, stream: string) =>
    `${path} was changed meanwhile and cannot be merged; both texts are kept: savepoint show ${stream} --history`,
  editAtSamePlace: (path: string, sequence: number) =>
    `${path} was edited at the same place meanwhile: the edit stands, ours is number ${sequence} in its history.`,
  otherVersion: (path: string, sequence: number, stream: string) =>
    `${path} is another version now: number ${sequence} of ${stream} stays in its history.`,
  setToVersion: (
    path: string,
    sequence: number,
    { isBack, commit, author }: { isBack: boolean; commit: string | null; author: string | null },
  ) =>
    `${path} was set ${isBack ? 'back ' : ''}to number ${sequence}${commit === null ? '' : ` by commit ${commit.slice(0, 10)} of ${author}`}.`,
  checkpointDamaged: (damaged: number | undefined, used: number) =>
    `Number ${damaged} of this work is damaged; number ${used} is used. See: savepoint doctor`,
  changesNotAsked: 'Git was not asked which files changed, because this workspace is not trusted.',
  changesUnknown: (problem: string) => `Git could not say which files changed: ${problem}`,
  parentsInCircle: (ids: readonly string[]) =>
    `Parents go in a circle: ${[...ids, ids[0]].join(' → ')}. Change \`parent\` in one of them.`,
  parentUnknown: (id: string, parent: string) => `The parent of ${id}, ${parent}, is not known here.`,

  // surroundings: git, the folder of the agent
  uncommittedUnknown: (problem: string) => `Git could not say which files are uncommitted: ${problem}`,
  commitsUnknown: (problem: string) => `Git could not say which commits came since: ${problem}`,
  plansLeftAlone: (path: string, problem: string) => `${path} is left alone: ${problem}`,

  // save: whose words they are, notes and the ledger
  agentSpeaksForItself:
    'These words are taken for the agent’s: it cannot speak for its user. What its user said in this session counts by itself.',
  notConfirmed: (text: string) =>
    `Not confirmed: ${quoteShort(text)}. Only the user can, in a terminal of their own: savepoint confirm "…"`,
  notReplaced: (text: string) =>
    `Not replaced: ${quoteShort(text)} was confirmed by the user, so both stand. Only the user can replace it, in a terminal of their own: savepoint save --decision "…" --supersedes "…"`,
  rejectedBefore: (text: string, why: string) =>
    `Not recorded: ${quoteShort(text)} was rejected${why === '' ? '' : `, because ${quoteShort(why)}`}.`,
  planCannotNameFolder: (plan: string, problem: string) =>
    `The active plan ${JSON.stringify(plan.slice(0, 60))} cannot name a folder: ${problem}. The note goes to ${NOTES.join('/')}.`,
  ledgerOfFinishedWork: (path: string) =>
    `What was written into ${path} is about work that is over: it is kept in the history of the ledger.`,
  ledgerTakenIn: (path: string, stream: string) => `What was written into ${path} was taken into ${stream}.`,
  answersLeftOver: (text: string) => `typed after the last answer, and not taken: ${text}`,

  // brief: what is resumed, handoffs
  chosenWork: (stream: string, why: keyof typeof WHY) => `This is ${stream}: ${WHY[why]}.`,
  ledgerEditCounts: (path: string) =>
    `${path} was edited by hand: what it says counts, and the next save keeps it.`,
  filePassedOver: (path: string, problem: string) => `${visible(path)} was passed over: ${problem}.`,
  noteUnreviewed: (isTrusted: boolean) =>
    `This note came with the repository, and ${isTrusted ? 'nobody here has reviewed it' : 'this workspace is not trusted'}.`,
  filesUnreviewed: (files: ReadonlyArray<{ path: string; count: number }>, isTrusted: boolean) =>
    `Not told, because ${isTrusted ? 'git brought it and nobody here has reviewed it' : 'this workspace is not trusted'}: ${files.map(nameFile).join(', ')}. ${isTrusted ? 'To review: savepoint import, then savepoint trust --review' : 'If it is yours: savepoint trust'}`,
  ledgerPassedOver: (path: string, problem: string) => `${path} was passed over: ${problem}.`,
  manyHandoffs: (path: string, count: number, most: number) =>
    `${path} has ${count} handoffs; the newest ${most} are looked at.`,
  handoffsLeftAlone: (path: string, problem: string) => `${path} is left alone: ${problem}.`,
  handoffHere: (problem: string) => `The handoff is written here: ${problem}.`,
  fileNotWritten: (path: string, problem: string | null) =>
    `${path} was not written${problem === null ? '' : `: ${problem}`}.`,
  chosenHandoff: (path: string) => `This is the handoff ${path}.`,
  newerHandoff: (refusal: string | undefined) => `Passed over, though newer: ${refusal}`,
  moreNewerHandoffs: (count: number) => `Passed over: ${count} more. See: savepoint pickup --list`,

  // sessions
  noActiveSession: (last: string) => `No session is active here: this is the last one, ${last}.`,
  severalSessions: (count: number, newest: string) =>
    `${formatCount(count, 'session')} are active here: this is ${newest}, the newest. All of them: savepoint sessions`,
  sessionUnreadable: (id: string, problem: string) => `Session ${id} cannot be read: ${problem}`,
  transcriptUnreadable: (path: string | null, problem: string) =>
    `${path} cannot be read: ${problem}. What is told is what was read before.`,

  // runs
  runFoldersUnread: (count: number) =>
    `${formatCount(count, 'more folder')} in checkpoints/ ${count === 1 ? 'was' : 'were'} not looked at.`,
  runSteppedBack: (message: string) => `${message}. This is the newest good snapshot before it.`,
  retentionSkipped: (run: string, problem: string) => `Retention of run ${run} did not run: ${problem}`,
  workspaceBusy:
    'Another process is writing in this workspace; what is saved is in the store, its files follow.',
  runWorkspaceGone: (run: string) => `The workspace of run ${run} is gone; what is saved is in the store.`,
  verifiedWorkspaceGone: (root: string, run: string) =>
    `The workspace ${root} of run ${run} is gone; its snapshots are in the store.`,
  readFromStore: (message: string) => `${message}. What follows comes from the store.`,
  readFromStoreWhileBusy: (message: string) =>
    `${message}. Another process is writing in this workspace; what follows comes from the store.`,
  latestWritten: (message: string, from: string) => `${message}. It was written again from ${from}.`,
  snapshotDamaged: (id: string) => `Snapshot ${id} is damaged; this is the newest good one before it.`,
  notSavedBeside: (signal: string | null, problem: string) =>
    `${signal === null ? 'A heartbeat' : `The stop by ${signal}`} was not saved: ${problem}`,
  endNotSaved: (problem: string) => `The end of the command was not saved: ${problem}`,

  // import: what other tools left here
  importQuestion: (count: number) =>
    `${formatCount(count, 'document')} of other tools here (notes, ledger, handoffs). Import ${count === 1 ? 'it' : 'them'}? (y/N)`,

  // transfer: work of another machine
  cloneOfKnown: (name: string, work: string, short: string) =>
    `This looks like a clone of ${quoteShort(name)}, whose work is in the store (${work}). To take it over: savepoint import --adopt ${short}`,
  adoptQuestion: (name: string, work: string) =>
    `This looks like a clone of ${quoteShort(name)}, whose work is in the store (${work}). Take it over? (y/N)`,
  adopted: (name: string, work: string) =>
    `This clone has the work of ${quoteShort(name)} from now on: ${work}.`,
  workRenamed: (was: string, now: string) => `${was} was in both: yours of this clone is ${now} now.`,
  noPlaceIn: (target: string, fields: string) => `No place in ${target}: ${fields}`,
  exportedWithout: (what: readonly string[]) =>
    `Damaged in the store, and not in the export: ${what.slice(0, 5).join(', ')}${what.length > 5 ? ` and ${what.length - 5} more` : ''}. See: savepoint doctor`,

  // heal, search
  storeRestored: (
    {
      setAside,
      backup,
      checkpoints,
    }: { setAside: string | null; backup: string | null; checkpoints: number },
    readmitted: number,
  ) =>
    [
      'The store was damaged.',
      setAside ? `The damaged file is kept at ${setAside}.` : '',
      backup ? `It was restored from ${backup}.` : 'There was no backup.',
      `${formatCount(checkpoints, 'checkpoint')} came from backup and old file, ${readmitted} from snapshot files.`,
    ]
      .filter(Boolean)
      .join(' '),
  searchIncomplete: (problem: string) => `What was saved last may be missing: ${problem}`,

  // setup: agents, their settings and the plugin
  settingsNotPlain: (path: string, label: string) =>
    `${path} has comments or a comma too many: ${label} passes over the whole file, silently.`,
  hooksStopped: (path: string, setting: string) =>
    `No hook runs while "${setting}" is set in ${path}: take it out there.`,
  hooksManaged: (path: string, setting: string) =>
    `${path} has "${setting}": only hooks run that your administrator has set.`,
  settingsUnreadable: (path: string, problem: string) =>
    `${path} cannot be read, and the client will not read it either: ${problem}`,
  pluginHasHooks: 'The plugin of Savepoint is switched on: it has the hooks, and they are not put in twice.',
  hooksBesidePlugin:
    'This workspace has the plugin: hooks for all projects are run besides it. To have it for all: savepoint init --plugin --scope user',
  hooksBesideCommittedPlugin: (path: string, label: string) =>
    `${path} comes with the repository and switches on a plugin of our name; where ${label} has it, hooks are run twice. To have the plugin alone: savepoint init --plugin`,
  settingsBesidePlugin: (path: string, root: string) =>
    `${path} has hooks besides the plugin: run savepoint init in ${root}.`,
  programMissing: (path: string) =>
    `${path} is not there: no hook does anything until Savepoint is installed again.`,
  programInCache:
    'Savepoint runs from a cache that npx empties: install it with `npm install -g savepoint`, and run init again.',
  pluginNotInstallable: (problem: string) => `The plugin would not be installed: ${problem}`,
  commandOfOthers: (path: string, word: string, besides: string) =>
    `${path} is not ours and stays: ${word} does what it says. Ours answers to ${besides}.`,
  marketMoved: (market: string, old: string, now: string) =>
    `The marketplace \`${market}\` was ${old}, which is not there: now it is ${now}.`,
  marketStays: (copy: string, label: string, readers: readonly string[]) =>
    `${copy} stays, with what it starts: ${label} may still read plugins from it${readers.length > 0 ? `, for ${readers.join(', ')}` : ''}.`,
  settingsTracked: (path: string) =>
    `${path} is tracked by git: what was added is committed with it, unless you take care.`,
  settingsNotHidden: (path: string, problem: string) => `${path} could not be kept out of git: ${problem}`,
} as const
