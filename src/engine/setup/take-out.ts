import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type AgentSetUp, isMalformed, type Scope } from '../../core/agent-setup.ts'
import { sha256 } from '../../core/canonical.ts'
import { errorCode, ReasonError } from '../../core/reason.ts'
import type { Context } from '../context/context.ts'
import { MOST_ATTEMPTS } from '../context/most-attempts.ts'
import { bytesBeforeClient, restoredChange } from './bytes-before-client.ts'
import { chainedCommand, chainKey, writeChain } from './chain.ts'
import { diffOf, hooksChanged, type SetupChange } from './change.ts'
import { dropCommand } from './command-file.ts'
import { excludeLineFor, removeExclude } from './exclude-line.ts'
import { bytesBefore, keepSettings, readSetups, type Setup, writeSetups } from './record.ts'
import { removeEmpty } from './remove-empty.ts'
import { hashOf, putSettings, readSettingsFile, type SettingsFile } from './settings-file.ts'

/** A settings file that may hold something of ours. */
export interface TakeOutPlace {
  client: AgentSetUp
  scope: Scope
  path: string
  /** The workspace, for the scope of a project. */
  root: string | null
}

interface Plan {
  file: SettingsFile
  setup: Setup | undefined
  /** What is to stand there; null where no file is to. */
  bytes: Buffer | null
  change: SetupChange | null
}

/** Where nobody edited the file since, its old bytes come back; else what is ours is taken out of it. */
export function planTakeOut(
  { home }: Context,
  { client, scope, path, root }: TakeOutPlace,
  /** What the client will have taken out by then: plugins, and the marketplace. */
  going: readonly string[] = [],
): Plan {
  const file = readSettingsFile(path, root)
  const setup = readSetups(home.path)?.find(({ settings }) => settings === file.target)
  if (file.bytes === null) return { file, setup, bytes: null, change: null }
  const before = setup && setup.after === sha256(file.bytes) ? bytesBefore(home.path, setup) : undefined
  if (before !== undefined) return { file, setup, bytes: before, change: restoredChange(file, before) }
  const facts = client.settings.read(file.text)
  if (isMalformed(facts)) throw new ReasonError('settings_malformed', { path, ...facts })
  const merged = client.settings.takeOut(file.text, {
    made: setup?.made ?? null,
    statusLine: setup ? setup.statusline : rawChain(home.path, scope, file.target),
  })
  if (isMalformed(merged)) throw new ReasonError('settings_malformed', { path, ...merged })
  const said = setup?.plugin ? bytesBeforeClient(client, home.path, setup, merged.text, going) : undefined
  if (said !== undefined)
    return { file, setup, bytes: said, change: said?.equals(file.bytes) ? null : restoredChange(file, said) }
  if (merged.text === file.text) return { file, setup, bytes: file.bytes, change: null }
  const isBare = setup?.before.hash === null && merged.text.replace('\uFEFF', '').trim() === '{}'
  const about = [
    hooksChanged(merged.changes),
    facts.statusLine.kind === 'ours' ? 'the status line as it was' : '',
  ]
  const change = {
    path,
    what: isBare ? ('removed' as const) : ('changed' as const),
    about: about.filter(Boolean).join(', '),
    diff: diffOf(path, file.text, isBare ? '' : merged.text),
  }
  return { file, setup, bytes: isBare ? null : Buffer.from(merged.text), change }
}

/** Where nothing is noted, the command that ours runs besides itself is the one that stood there. */
function rawChain(home: string, scope: Scope, settings: string): string | null {
  const chain = chainedCommand(home, chainKey(scope, settings))
  return chain === null ? null : JSON.stringify(chain)
}

/** Takes ours out of one settings file, and undoes what was done around it. */
export async function takeOut(context: Context, place: TakeOutPlace): Promise<SetupChange[]> {
  const { home, ports } = context
  for (let attempt = 0; attempt < MOST_ATTEMPTS.settings; attempt += 1) {
    const { file, setup, bytes, change } = planTakeOut(context, place)
    if (change !== null) {
      if (file.bytes) keepSettings(home.path, file.bytes, ports)
      if (!(await putSettings(context, file, bytes))) continue
    }
    const changes = change === null ? [] : [change]
    writeChain(home.path, chainKey(place.scope, file.target), null, ports)
    if (setup?.command) changes.push(...(await dropCommand(context, place.client, setup.command, setup.root)))
    if (setup) changes.push(...tidyUp(context, place.client, setup, hashOf(file) === null || bytes === null))
    return changes
  }
  throw new ReasonError('settings_busy', { path: place.path })
}

/** The line in git's exclude file, unless another worktree of the repository needs it; the folder; the note itself. */
function tidyUp(context: Context, client: AgentSetUp, setup: Setup, isFileGone: boolean): SetupChange[] {
  const { home, ports } = context
  const changes = planTidying(context, client, setup, isFileGone).filter(({ path, about }) => {
    const file = hiddenFiles(client).find((name) => about === lineLess(name))
    return file === undefined ? removeEmpty(path) : removeExclude(context, path, file)
  })
  writeSetups(home.path, othersThan(context, setup), ports)
  return changes
}

/** Those that are kept out of git. */
const hiddenFiles = ({ localFile, plugin }: AgentSetUp) => [
  localFile,
  ...(plugin ? [plugin.commandFile.projectFile] : []),
]

const othersThan = ({ home }: Context, setup: Setup) =>
  (readSetups(home.path) ?? []).filter(({ settings }) => settings !== setup.settings)

const lineLess = (file: string) => `one line less: ${excludeLineFor(file)}`

/** What is done besides the settings; of a folder only where nothing else is in it. */
export function planTidying(
  context: Context,
  client: AgentSetUp,
  setup: Setup,
  isFileGone: boolean,
): SetupChange[] {
  const commandFile = client.plugin?.commandFile.projectFile ?? ''
  const { exclude, folder, settings, command } = setup
  const others = othersThan(context, setup)
  const lines = [
    { path: exclude, file: client.localFile, isNeeded: others.some((other) => other.exclude === exclude) },
    {
      path: command?.exclude ?? null,
      file: commandFile,
      isNeeded: others.some((other) => other.command?.exclude === command?.exclude),
    },
  ]
  const changes: SetupChange[] = lines.flatMap(({ path, file, isNeeded }) =>
    path === null || isNeeded ? [] : [{ path, what: 'changed', about: lineLess(file), diff: null }],
  )
  const going = [settings, ...(command?.folder ? [command.folder] : [])]
  if (folder !== null && isFileGone && isAlone(folder, going, commandFile))
    changes.push({ path: folder, what: 'removed', about: 'nothing else is in it', diff: null })
  return changes
}

/** Whether all that is in it goes: files, and folders with nothing but the file of a command. */
function isAlone(folder: string, going: readonly string[], commandFile: string): boolean {
  const isGoing = (path: string) =>
    going.includes(path) &&
    (basename(path) !== basename(dirname(commandFile)) ||
      readdirSync(path).every((name) => name === basename(commandFile)))
  try {
    return readdirSync(folder).every((name) => isGoing(join(folder, name)))
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return false
  }
}
