import { readdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { isMalformed, readFacts, withoutSavepoint } from '../../agents/claude/settings.ts'
import { sha256 } from '../../core/canonical.ts'
import { errorCode, ReasonError } from '../../core/reason.ts'
import type { Context } from '../context.ts'
import { chainKey, readChain, writeChain } from './chain.ts'
import { type Change, diffOf, hooksChanged } from './change.ts'
import type { Scope } from './claude-places.ts'
import { EXCLUDED, removeExclude } from './exclude-line.ts'
import { bytesBefore, keepSettings, readSetups, type Setup, writeSetups } from './record.ts'
import { hashOf, putSettings, readSettingsFile, type SettingsFile } from './settings-file.ts'

/** A settings file that may hold something of ours. */
export interface Place {
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
  change: Change | null
}

const GIVE_UP_AFTER = 8

/** Where nobody edited the file since, its old bytes come back; else what is ours is taken out of it. */
export function planTakeOut({ home }: Context, { scope, path, root }: Place): Plan {
  const file = readSettingsFile(path, root)
  const setup = readSetups(home.path)?.find(({ settings }) => settings === file.target)
  if (file.bytes === null) return { file, setup, bytes: null, change: null }
  const before = setup && setup.after === sha256(file.bytes) ? bytesBefore(home.path, setup) : undefined
  if (before !== undefined) {
    const change = {
      path,
      what: before === null ? ('removed' as const) : ('restored' as const),
      about: before === null ? 'it held nothing else' : 'as it was before `savepoint init`',
      diff: diffOf(path, file.text, before?.toString('utf8') ?? ''),
    }
    return { file, setup, bytes: before, change }
  }
  const facts = readFacts(file.text)
  if (isMalformed(facts)) throw new ReasonError('settings_malformed', { path, ...facts })
  const merged = withoutSavepoint(file.text, {
    made: setup?.made ?? null,
    statusLine: setup ? setup.statusline : rawChain(home.path, scope, file.target),
  })
  if (isMalformed(merged)) throw new ReasonError('settings_malformed', { path, ...merged })
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
  const chain = readChain(home, chainKey(scope, settings))
  return chain === null ? null : JSON.stringify(chain)
}

/** Takes ours out of one settings file, and undoes what was done around it. */
export async function takeOut(context: Context, place: Place): Promise<Change[]> {
  const { home, ports } = context
  for (let attempt = 0; attempt < GIVE_UP_AFTER; attempt += 1) {
    const { file, setup, bytes, change } = planTakeOut(context, place)
    if (change !== null) {
      if (file.bytes) keepSettings(home.path, file.bytes, ports)
      if (!(await putSettings(context, file, bytes))) continue
    }
    const changes = change === null ? [] : [change]
    writeChain(home.path, chainKey(place.scope, file.target), null, ports)
    if (setup) changes.push(...tidied(context, setup, hashOf(file) === null || bytes === null))
    return changes
  }
  throw new ReasonError('settings_busy', { path: place.path })
}

/** The line in git's exclude file, unless another worktree of the repository needs it; the folder; the note itself. */
function tidied(context: Context, setup: Setup, isFileGone: boolean): Change[] {
  const { home, ports } = context
  const changes = tidyings(context, setup, isFileGone).filter(({ path }) =>
    path === setup.exclude ? removeExclude(context, path) : removeEmpty(path),
  )
  writeSetups(home.path, othersThan(context, setup), ports)
  return changes
}

const othersThan = ({ home }: Context, setup: Setup) =>
  (readSetups(home.path) ?? []).filter(({ settings }) => settings !== setup.settings)

/** What is done besides the settings; of a folder only where nothing else is in it. */
export function tidyings(context: Context, setup: Setup, isFileGone: boolean): Change[] {
  const { exclude, folder, settings } = setup
  const isNeeded = othersThan(context, setup).some((other) => other.exclude === exclude)
  const changes: Change[] = []
  if (exclude !== null && !isNeeded)
    changes.push({ path: exclude, what: 'changed', about: `one line less: ${EXCLUDED}`, diff: null })
  if (folder !== null && isFileGone && isAlone(folder, settings))
    changes.push({ path: folder, what: 'removed', about: 'nothing else is in it', diff: null })
  return changes
}

function isAlone(folder: string, settings: string): boolean {
  try {
    return readdirSync(folder).every((name) => join(folder, name) === settings)
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return false
  }
}

/** False where something else is in it, or it is gone. */
export function removeEmpty(folder: string): boolean {
  try {
    rmdirSync(folder)
    return true
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) throw error
    return false
  }
}
