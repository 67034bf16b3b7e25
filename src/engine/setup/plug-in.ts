import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { PluginClient } from '../../core/agent-setup.ts'
import { sha256 } from '../../core/canonical.ts'
import { NOTICES, SETUP_CHANGES } from '../context/notices.ts'
import { hideFromGit } from './git-exclude.ts'
import { noteCommand, setupOf } from './journal.ts'
import type { Launcher } from './launcher.ts'
import { marketElsewhere } from './market.ts'
import { type FailedCommands, hasInstalled, runCommands } from './plugin-commands.ts'
import { type PluginCopy, pluginFileText } from './plugin-copy.ts'
import type { SetupRequest } from './set-up.ts'
import { hashOf, missingFolder, readSettingsFile, rewriteFile, type SettingsFile } from './settings-file.ts'
import { hasPlugin, type KnownPlace, placesHere, pluginMarket } from './settings-places.ts'
import { type SetupRun, setupChange } from './setup-run.ts'

/** What the plugin needs in the home. */
export interface PluginParts {
  client: PluginClient
  copy: PluginCopy
  server: Launcher
  /** Installed by this command, or only brought up to date. */
  isInstalled: boolean
}

/**
 * Puts the file for a word of the client's in its place, and keeps it out of git. Somebody else's stays, also one that
 * came this very moment.
 */
export async function putCommand(
  run: SetupRun,
  { scope, root }: SetupRequest,
  { client, copy }: PluginParts,
  settings: string,
  isTrusted: boolean,
): Promise<void> {
  const { home, env, place, ports, notices } = run.context
  const { word, otherwise, besides, source, projectFile, userPath } = client.plugin.commandFile
  const path = scope === 'user' ? userPath(env) : join(place.root, projectFile)
  const bytes = Buffer.from(pluginFileText(copy, source))
  const hash = sha256(bytes)
  const old = setupOf(home.path, settings)?.command ?? null
  const isTheirs = (file: SettingsFile) => ![null, hash, old?.hash].includes(hashOf(file))
  const isHidden = root !== null && !isTheirs(readSettingsFile({ path, root }))
  const exclude = isHidden ? await hideFromGit(run, projectFile, isTrusted) : null
  await rewriteFile(run, { path, root }, (file) => {
    if (isTheirs(file)) {
      notices.push(NOTICES.commandOfOthers(path, word, besides))
      return { bytes, change: null }
    }
    const folder = old?.folder ?? missingFolder(file)
    const command = { path, hash, folder, exclude: exclude ?? old?.exclude ?? null }
    const what = file.bytes === null ? 'made' : 'changed'
    const about = SETUP_CHANGES.command(word, otherwise)
    return {
      bytes,
      change: hashOf(file) === hash ? null : setupChange(what, path, about),
      note: () => noteCommand(home.path, settings, command, ports),
    }
  })
}

/** Lets the client install the plugin from the copy; where it has it from there already, it looks at it again. */
export async function installPlugin(
  run: SetupRun,
  place: SetupRequest,
  { client, copy }: PluginParts,
): Promise<FailedCommands | null> {
  const { context } = run
  const { scope, root, places } = place
  const { market, commands, typed } = client.plugin
  const old = pluginMarket(places)
  if (old !== null && !existsSync(old) && old !== copy.folder)
    context.notices.push(NOTICES.marketMoved(market, old, copy.folder))
  const install = commands.install(copy.folder, scope)
  if (!(await isThere(run, place, client, copy.folder))) {
    const failed = await runCommands(run, client, install, root)
    if (failed !== null || run.dryRun) return failed
  } else if (run.changes.some(({ path }) => path === copy.folder)) {
    const failed = await runCommands(run, client, [commands.update], root)
    if (failed !== null) return failed
  }
  return hasPlugin(placesHere(client, context.place.root, context.env), scope)
    ? null
    : { problem: 'it reported success, but your settings do not have the plugin', typed: install.map(typed) }
}

/** In a dry run nothing is run to find out: it is as its settings say. */
async function isThere(
  run: SetupRun,
  { scope, root, places }: SetupRequest,
  client: PluginClient,
  folder: string,
): Promise<boolean> {
  if (!run.dryRun) return await hasInstalled(run.context, client, folder, scope, root)
  const factsOf = (wanted: string) => places.find(({ kind }) => kind === wanted)?.facts
  const isOn = factsOf(scope === 'user' ? 'user' : 'local')?.plugin === true
  return isOn && factsOf('user')?.market === folder
}

/** Their marketplace stays: they may have the plugin from there, or give it up. */
export function refuseOtherMarket(
  places: readonly KnownPlace[],
  { client, copy }: PluginParts,
): FailedCommands | null {
  const other = marketElsewhere(places, copy.folder)
  if (other === null) return null
  const { market, commands, typed } = client.plugin
  const [, install = ''] = commands.install(copy.folder, 'project').map(typed)
  const remove = typed(commands.removeMarket)
  return {
    problem: `it already has another marketplace \`${market}\`, from ${other}.`,
    typed: [`${install}, to use that one; or ${remove}, then run this command again`],
  }
}
