import { dirname, join } from 'node:path'
import type { AgentSetUp, CommandFile, Scope } from '../../core/agent-setup.ts'
import { sha256 } from '../../core/canonical.ts'
import { ReasonError } from '../../core/reason.ts'
import type { Context } from '../context/context.ts'
import type { SetupChange } from './change.ts'
import { removeEmpty } from './remove-empty.ts'
import { hashOf, missingFolder, putSettings, readSettingsFile, type SettingsFile } from './settings-file.ts'

/** What was done for a word of the client's own that only a file in a commands folder can take. */
export interface CommandNote {
  path: string
  /** The hash of what we wrote. */
  hash: string
  /** The folder that was made for it. */
  folder: string | null
  /** Git's exclude file, where a line was added for it. */
  exclude: string | null
}

export interface CommandPlan {
  file: SettingsFile
  bytes: Buffer
  /** Null where it is as it should be, or somebody else's. */
  what: 'made' | 'changed' | null
  isTheirs: boolean
  folder: string | null
  command: CommandFile
}

/** Null where a file of that name cannot be ours: it is not even text. */
export function planCommand(
  { place, env }: Context,
  scope: Scope,
  command: CommandFile,
  text: string,
  note: CommandNote | null,
): CommandPlan | null {
  const path = scope === 'user' ? command.userPath(env) : join(place.root, command.projectFile)
  const file = read(path, scope === 'project' ? place.root : null)
  if (file === null) return null
  const bytes = Buffer.from(text)
  const hash = hashOf(file)
  const isSame = hash === sha256(bytes)
  const isTheirs = hash !== null && !isSame && hash !== note?.hash
  const what = isSame || isTheirs ? null : hash === null ? 'made' : 'changed'
  return { file, bytes, what, isTheirs, folder: note?.folder ?? missingFolder(file), command }
}

function read(path: string, inside: string | null): SettingsFile | null {
  try {
    return readSettingsFile(path, inside)
  } catch (error) {
    if (!(error instanceof ReasonError) || error.reason !== 'settings_malformed') throw error
    return null
  }
}

export const commandChange = ({
  file: { path },
  what,
  command: { word, otherwise },
}: CommandPlan): SetupChange[] =>
  what === null ? [] : [{ path, what, about: `${word}, which is else a word for ${otherwise}`, diff: null }]

export const foreignCommandNote = ({ file: { path }, command: { word, besides } }: CommandPlan) =>
  `${path} is not ours and stays: ${word} does what it says. Ours answers to ${besides}.`

/** Takes the file out while it is as we wrote it, with the folder that was made for it. */
export async function dropCommand(
  context: Context,
  { plugin }: AgentSetUp,
  { path, hash, folder }: CommandNote,
  root: string | null,
  { dryRun = false } = {},
): Promise<SetupChange[]> {
  const file = read(path, root)
  if (file === null || hashOf(file) !== hash) return []
  if (!dryRun) {
    if (!(await putSettings(context, file, null))) return []
    if (folder !== null && folder === dirname(file.target)) removeEmpty(folder)
  }
  return [{ path, what: 'removed', about: plugin?.commandFile.word ?? '', diff: null }]
}
