import { dirname, join } from 'node:path'
import { claudeFolder } from '../../agents/claude/config-folder.ts'
import { sha256 } from '../../core/canonical.ts'
import { ReasonError } from '../../core/reason.ts'
import type { Context } from '../context/context.ts'
import type { Change } from './change.ts'
import type { Scope } from './claude-places.ts'
import { removeEmpty } from './remove-empty.ts'
import { hashOf, missingFolder, putSettings, readSettingsFile, type SettingsFile } from './settings-file.ts'

/** What was done for `/checkpoint`, a word of the client's own that only a file in a commands folder can take. */
export interface CommandNote {
  path: string
  /** The hash of what we wrote. */
  hash: string
  /** The folder that was made for it. */
  folder: string | null
  /** Git's exclude file, where a line was added for it. */
  exclude: string | null
}

/** Where it is below a workspace, as git names it. */
export const COMMAND_FILE = '.claude/commands/checkpoint.md'

export interface CommandPlan {
  file: SettingsFile
  bytes: Buffer
  /** Null where it is as it should be, or somebody else's. */
  what: 'made' | 'changed' | null
  isTheirs: boolean
  folder: string | null
}

const commandPath = (scope: Scope, root: string, env: Context['env']) =>
  scope === 'user' ? join(claudeFolder(env), 'commands', 'checkpoint.md') : join(root, COMMAND_FILE)

/** Null where a file of that name cannot be ours: it is not even text. */
export function planCommand(
  { place, env }: Context,
  scope: Scope,
  text: string,
  note: CommandNote | null,
): CommandPlan | null {
  const file = read(commandPath(scope, place.root, env), scope === 'project' ? place.root : null)
  if (file === null) return null
  const bytes = Buffer.from(text)
  const hash = hashOf(file)
  const isSame = hash === sha256(bytes)
  const isTheirs = hash !== null && !isSame && hash !== note?.hash
  const what = isSame || isTheirs ? null : hash === null ? 'made' : 'changed'
  return { file, bytes, what, isTheirs, folder: note?.folder ?? missingFolder(file) }
}

function read(path: string, inside: string | null): SettingsFile | null {
  try {
    return readSettingsFile(path, inside)
  } catch (error) {
    if (!(error instanceof ReasonError) || error.reason !== 'settings_malformed') throw error
    return null
  }
}

export const commandChange = ({ file: { path }, what }: CommandPlan): Change[] =>
  what === null ? [] : [{ path, what, about: '/checkpoint, which is else a word for /rewind', diff: null }]

export const theirs = (path: string) =>
  `${path} is not ours and stays: /checkpoint does what it says. Ours answers to /savepoint:checkpoint.`

/** Takes the file out while it is as we wrote it, with the folder that was made for it. */
export async function dropCommand(
  context: Context,
  { path, hash, folder }: CommandNote,
  root: string | null,
  { dryRun = false } = {},
): Promise<Change[]> {
  const file = read(path, root)
  if (file === null || hashOf(file) !== hash) return []
  if (!dryRun) {
    if (!(await putSettings(context, file, null))) return []
    if (folder !== null && folder === dirname(file.target)) removeEmpty(folder)
  }
  return [{ path, what: 'removed', about: '/checkpoint', diff: null }]
}
