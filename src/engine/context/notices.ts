import { NOTES } from '../../core/layout.ts'
import { formatCount, quoteShort } from '../../core/text.ts'
import { visible } from '../../core/visible.ts'
import type { ResumeChoice } from '../../policy/resolve.ts'

/** Why a piece of work was chosen, after its name. */
export const WHY: Record<Extract<ResumeChoice, { kind: 'stream' }>['why'], string> = {
  named: 'you named it',
  bound: 'this session works on it',
  focused: 'it is in focus',
  plan: 'the active plan',
  branch: 'this branch',
  main: 'the main branch',
  unbranched: 'no branch is checked out',
  origin: 'this branch started from it and has nothing saved yet',
  only: 'the only open work',
  session: 'the last session worked on it',
}

/** Nobody asks why this work was chosen. */
export const OBVIOUS_WORK: ReadonlySet<keyof typeof WHY> = new Set(['named', 'branch', 'main'])

/** A file by its name, with how many lie beside it. */
const nameFile = ({ path, count }: { path: string; count: number }) =>
  `${visible(path)}${count > 1 ? ` (and ${count - 1} more)` : ''}`

/** What `init` and `uninstall` say of a file that they change. */
export const SETUP_CHANGES = {
  trusted: 'undo: savepoint trust --off',
  hookLauncher: 'started by the hooks',
  serverLauncher: 'started by the plugin as its server',
  plugin: 'the plugin',
  statusLine: 'the status line',
  statusLineRestored: 'the previous status line',
  hooks: (what: string, changes: ReadonlyArray<{ event: string }>) =>
    `hooks ${what}: ${changes.map(({ event }) => event).join(', ')}`,
  command: (word: string, otherwise: string) => `${word}, otherwise an alias of ${otherwise}`,
  lineAdded: (line: string) => `one line added: ${line}`,
  lineRemoved: (line: string) => `one line removed: ${line}`,
  unread: 'no longer used',
  unused: 'nothing is set up here now',
  folderEmpty: 'now empty',
  fileEmpty: 'now empty',
  restored: 'restored to its content before `savepoint init`',
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
    `${message}. ${isFile ? 'The file' : 'That line'} is ignored; other settings apply. ${hint}`,

  // trust: who wrote a document, and whether this workspace is trusted
  authorsUnknown: (problem: string) =>
    `Could not ask git who wrote the documents (${problem}); they count as unreviewed.`,
  nestedRepository: (folder: string) => `${folder} is another repository; its documents count as unreviewed.`,
  workspaceUntrusted:
    'This workspace is not trusted: edits to its documents are ignored. See: savepoint trust --help',
  workspaceTrusted:
    'Trusted this workspace: your edits to its documents will be imported. Undo: savepoint trust --off',
  unreviewedText: (stream: string) =>
    `${stream} contains unreviewed text. Review it: savepoint trust --review`,
  newerTextUnreviewed: (stream: string) =>
    `Newer text came from git and is hidden until you review it: savepoint trust --review ${stream}`,
  nothingToReview: (stream: string) => `${stream} needs no review.`,
  textUnseen: (stream: string) =>
    `${stream} has new text that you have not seen yet. Read it, then try again.`,
  learningsForeign: (isWithheld: boolean, isTrusted: boolean) =>
    `${isWithheld ? 'Learnings are left out: they' : 'These learnings'} came with the repository, and ${isTrusted ? 'have not been reviewed' : 'this workspace is not trusted'}.`,
  trustByUserOnly: 'This does not trust the workspace. Only you can, in your own terminal: savepoint trust',

  // publish: files that are written, and git
  ledgerEditedMeanwhile: (path: string) =>
    `${path} was edited at the same time. The edit is kept; the next save imports it.`,
  changedSoItStays: (path: string) => `${path} has changed since, so it was kept.`,
  entryStays: (path: string, id: string) => `${path} has changed since, so the entry for ${id} was kept.`,
  notHiddenFromGit: (what: string, problem: string) => `Could not exclude ${what} from git: ${problem}`,
  moveUnknownToGit: (from: string, to: string, problem: string) =>
    `Could not record the move from ${from} to ${to} in git: ${problem}`,
  notePlaceTaken: (path: string) =>
    `${path} belongs to another tool. The note was not written; its text is saved in the store.`,
  registryNotWritten: (path: string, problem: string) => `Could not write ${path}: ${problem}`,
  registryTracked: (path: string) =>
    `${path} was not written because git tracks it. Untrack it: git rm --cached`,
  registryPlaceTaken: (path: string) =>
    `${path} was not written: another tool's file is there. Move it, or set registry to false.`,
  registrySetAside: (path: string, where: string) =>
    `${path} was edited by hand. The edited file was moved to ${where}, and ${path} was rebuilt.`,
  indexUnchanged: (path: string, problem: string) =>
    `${path} was not updated: ${problem}. Fix the file; the next save updates it.`,
  leftover: (path: string) => `${path} was left by an interrupted write. Check it, then delete it.`,
  leftoverUnreadable: (path: string, problem: string) =>
    `${path} was left by an interrupted write: ${problem}`,
  leftoverKept: (path: string, stream: string) =>
    `${path} was edited during an interrupted write. That text is saved: savepoint show ${stream} --history`,

  // documents: edits that are taken in, the focus
  documentsBusy: 'Another process is changing the documents; this shows them as they were before.',
  filesPending: 'Saved in the store. The file will be written by the next command that can.',
  documentTrouble: (path: string, line: number, what: string, todo: string) =>
    `${path}:${line}: ${what}. ${todo}`,
  gitOperation: (operation: string) =>
    `A git ${operation} is in progress: documents are not read or written until it ends.`,
  learningsOwed: (stream: string, count: number) =>
    `${formatCount(count, 'learning')} of ${stream} not yet in checkpoints/LEARNINGS.md, which git tracks. Add: savepoint archive ${stream}`,
  severalCurrent: (names: readonly string[]) =>
    `Several documents are marked current: ${names.join(', ')}. Choose one: savepoint focus <id>`,
  stillCurrent: (path: string | undefined, problem: unknown) => `${path} is still marked current: ${problem}`,
  editUnmerged: (path: string, stream: string) =>
    `${path} was changed at the same time and could not be merged. Both versions are saved: savepoint show ${stream} --history`,
  editAtSamePlace: (path: string, sequence: number) =>
    `${path} was edited in the same place at the same time. The file has that edit; this save is #${sequence} in its history.`,
  otherVersion: (path: string, sequence: number, stream: string) =>
    `${path} now has another version; ${stream} #${sequence} is still in its history.`,
  setToVersion: (
    path: string,
    sequence: number,
    { isBack, commit, author }: { isBack: boolean; commit: string | null; author: string | null },
  ) =>
    `${path} went ${isBack ? 'back ' : ''}to #${sequence}${commit === null ? '' : ` with commit ${commit.slice(0, 10)} by ${author}`}.`,
  checkpointDamaged: (damaged: number | undefined, used: number) =>
    `Checkpoint #${damaged} is damaged; using #${used} instead. See: savepoint doctor`,
  changesNotAsked: 'Changed files are not listed, because this workspace is not trusted.',
  changesUnknown: (problem: string) => `Could not list changed files: ${problem}`,
  parentsInCircle: (ids: readonly string[]) =>
    `These documents are each other's parents: ${[...ids, ids[0]].join(' → ')}. Change \`parent\` in one of them.`,
  parentUnknown: (id: string, parent: string) => `The parent of ${id} was not found: ${parent}`,

  // surroundings: git, the folder of the agent
  uncommittedUnknown: (problem: string) => `Could not list uncommitted files: ${problem}`,
  commitsUnknown: (problem: string) => `Could not list the commits since: ${problem}`,
  plansLeftAlone: (path: string, problem: string) => `Skipped ${path}: ${problem}`,

  // save: whose words they are, notes and the ledger
  agentSpeaksForItself:
    "Recorded as the agent's words: an agent cannot speak for the user. What the user said in this session counts by itself.",
  notConfirmed: (text: string) =>
    `Not confirmed: ${quoteShort(text)}. Only the user can confirm it, in their own terminal: savepoint confirm "…"`,
  notReplaced: (text: string) =>
    `Not replaced: ${quoteShort(text)} was confirmed by the user, so both are kept. Only the user can replace it, in their own terminal: savepoint save --decision "…" --supersedes "…"`,
  rejectedBefore: (text: string, why: string) =>
    `Not recorded: ${quoteShort(text)} was rejected${why === '' ? '' : `, because ${quoteShort(why)}`}.`,
  planCannotNameFolder: (plan: string, problem: string) =>
    `The name of the active plan, ${JSON.stringify(plan.slice(0, 60))}, cannot be a folder name: ${problem}. The note goes to ${NOTES.join('/')}.`,
  ledgerOfFinishedWork: (path: string) =>
    `The edit to ${path} is about finished work. It is kept in the ledger's history.`,
  ledgerTakenIn: (path: string, stream: string) => `Imported your edit of ${path} into ${stream}.`,
  answersLeftOver: (text: string) => `ignored text after the last answer: ${text}`,

  // brief: what is resumed, handoffs
  chosenWork: (stream: string, why: keyof typeof WHY) => `Work: ${stream} (${WHY[why]})`,
  ledgerEditCounts: (path: string) =>
    `${path} was edited by hand. The edit is used here, and the next save keeps it.`,
  filePassedOver: (path: string, problem: string) => `Skipped ${visible(path)}: ${problem}.`,
  noteUnreviewed: (isTrusted: boolean) =>
    `This note came with the repository, and ${isTrusted ? 'has not been reviewed' : 'this workspace is not trusted'}.`,
  filesUnreviewed: (files: ReadonlyArray<{ path: string; count: number }>, isTrusted: boolean) =>
    `Hidden, because ${isTrusted ? 'it came from git and has not been reviewed' : 'this workspace is not trusted'}: ${files.map(nameFile).join(', ')}. ${isTrusted ? 'Review: savepoint import, then savepoint trust --review' : 'If it is yours: savepoint trust'}`,
  ledgerPassedOver: (path: string, problem: string) => `Skipped ${path}: ${problem}.`,
  manyHandoffs: (path: string, count: number, most: number) =>
    `${path} has ${count} handoffs; only the newest ${most} are read.`,
  handoffsLeftAlone: (path: string, problem: string) => `Skipped ${path}: ${problem}.`,
  handoffHere: (problem: string) => `The handoff was written in this worktree: ${problem}.`,
  fileNotWritten: (path: string, problem: string | null) =>
    `Could not write ${path}${problem === null ? '' : `: ${problem}`}.`,
  chosenHandoff: (path: string) => `Handoff: ${path}`,
  newerHandoff: (refusal: string | undefined) => `Skipped a newer handoff: ${refusal}`,
  moreNewerHandoffs: (count: number) => `Skipped ${count} more. See: savepoint pickup --list`,

  // sessions
  noActiveSession: (last: string) => `No session is active. Showing the last one: ${last}`,
  severalSessions: (count: number, newest: string) =>
    `${formatCount(count, 'session')} are active. Showing the newest, ${newest}. List all: savepoint sessions`,
  sessionUnreadable: (id: string, problem: string) => `Could not read session ${id}: ${problem}`,
  transcriptUnreadable: (path: string | null, problem: string) =>
    `Could not read ${path}: ${problem}. Showing what was read before.`,

  // runs
  runFoldersUnread: (count: number) =>
    `${formatCount(count, 'more folder')} in checkpoints/ ${count === 1 ? 'was' : 'were'} not read.`,
  runSteppedBack: (message: string) => `${message}. Using the newest good snapshot before it.`,
  retentionSkipped: (run: string, problem: string) =>
    `Could not remove old snapshots of run ${run}: ${problem}`,
  workspaceBusy:
    'Saved in the store. Another process is writing in this workspace; the files will be written later.',
  runWorkspaceGone: (run: string) =>
    `The folder of run ${run} no longer exists; its snapshots are in the store.`,
  verifiedWorkspaceGone: (root: string, run: string) =>
    `Folder not found: ${root} of run ${run}. Its snapshots are in the store.`,
  readFromStore: (message: string) => `${message}. Showing what the store has.`,
  readFromStoreWhileBusy: (message: string) =>
    `${message}. Another process is writing in this workspace; showing what the store has.`,
  latestWritten: (message: string, from: string) => `${message}. Rewritten from ${from}.`,
  snapshotDamaged: (id: string) => `Snapshot ${id} is damaged; using the newest good one before it.`,
  notSavedBeside: (signal: string | null, problem: string) =>
    `Could not save ${signal === null ? 'a heartbeat' : `the stop by ${signal}`}: ${problem}`,
  endNotSaved: (problem: string) => `Could not save the end of the command: ${problem}`,

  // import: what other tools left here
  importQuestion: (count: number) =>
    `${formatCount(count, 'document')} of other tools here (notes, ledger, handoffs). Import ${count === 1 ? 'it' : 'them'}? (y/N)`,

  // transfer: work of another machine
  cloneOfKnown: (name: string, work: string, short: string) =>
    `This looks like a clone of ${quoteShort(name)}, whose work is in the store (${work}). To use it here: savepoint import --adopt ${short}`,
  adoptQuestion: (name: string, work: string) =>
    `This looks like a clone of ${quoteShort(name)}, whose work is in the store (${work}). Use it here? (y/N)`,
  adopted: (name: string, work: string) => `This clone now has the work of ${quoteShort(name)}: ${work}.`,
  workRenamed: (was: string, now: string) => `${was} existed in both; this clone's is now ${now}.`,
  noPlaceIn: (target: string, fields: string) => `Does not fit into ${target}: ${fields}`,
  exportedWithout: (what: readonly string[]) =>
    `Not exported, because damaged: ${what.slice(0, 5).join(', ')}${what.length > 5 ? ` and ${what.length - 5} more` : ''}. See: savepoint doctor`,

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
      setAside ? `The damaged file was moved to ${setAside}.` : '',
      backup ? `Restored from ${backup}.` : 'There was no backup.',
      `Recovered ${formatCount(checkpoints, 'checkpoint')} from the backup and the damaged file, and ${readmitted} from snapshot files.`,
    ]
      .filter(Boolean)
      .join(' '),
  searchIncomplete: (problem: string) => `The newest saves may be missing from these results: ${problem}`,

  // setup: agents, their settings and the plugin
  settingsNotPlain: (path: string, label: string) =>
    `${path} has comments or an extra comma: ${label} silently ignores the whole file.`,
  hooksStopped: (path: string, setting: string) =>
    `"${setting}" in ${path} turns all hooks off. Remove it there.`,
  hooksManaged: (path: string, setting: string) =>
    `"${setting}" in ${path} allows only hooks set by your administrator.`,
  settingsUnreadable: (path: string, problem: string) =>
    `Could not read ${path}, and neither can the client: ${problem}`,
  pluginHasHooks: 'The Savepoint plugin is enabled and already has the hooks, so they were not added again.',
  hooksBesidePlugin:
    'This workspace has the plugin, so hooks for all projects would run twice here. Install the plugin for all projects: savepoint init --plugin --scope user',
  hooksBesideCommittedPlugin: (path: string, label: string) =>
    `${path}, which is committed, enables a plugin named savepoint. Where ${label} has it, hooks run twice. Use the plugin only: savepoint init --plugin`,
  settingsBesidePlugin: (path: string, root: string) =>
    `${path} has hooks as well as the plugin. Run savepoint init in ${root}.`,
  programMissing: (path: string) =>
    `File not found: ${path}. Hooks do nothing until Savepoint is installed again.`,
  programInCache:
    'Savepoint runs from the npx cache, which can be emptied. Install it with `npm install -g savepoint`, then run init again.',
  pluginNotInstallable: (problem: string) => `The plugin cannot be installed: ${problem}`,
  commandOfOthers: (path: string, word: string, besides: string) =>
    `${path} is not Savepoint's and was kept, so ${word} runs that file. Use ${besides} for Savepoint.`,
  marketMoved: (market: string, old: string, now: string) =>
    `The marketplace \`${market}\` pointed to ${old}, which no longer exists. It now points to ${now}.`,
  marketStays: (copy: string, label: string, readers: readonly string[]) =>
    `${copy} was kept: ${label} may still load plugins from it${readers.length > 0 ? `, for ${readers.join(', ')}` : ''}.`,
  settingsTracked: (path: string) =>
    `${path} is tracked by git: the added lines will be part of your next commit of it.`,
  settingsNotHidden: (path: string, problem: string) => `Could not exclude ${path} from git: ${problem}`,
} as const
