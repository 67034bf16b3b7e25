import { existsSync, lstatSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { PluginClient } from '../../core/agent-setup.ts'
import type { Context } from '../context/context.ts'
import { NOTICES, SETUP_CHANGES } from '../context/notices.ts'
import { realPathOr } from './find-program.ts'
import { changeJournal, readSetupJournal } from './journal.ts'
import { type FailedCommands, marketReaders, runCommands } from './plugin-commands.ts'
import { copyFolder, homeOfCopy } from './plugin-copy.ts'
import { noteBefore, readSettingsFile } from './settings-file.ts'
import { type KnownPlace, placesHere, pluginMarket, readPlaces, setupPlace } from './settings-places.ts'
import { performStep, removeEmpty, type SetupRun, setupChange } from './setup-run.ts'

const isSame = (one: string | null, other: string) => one !== null && realPathOr(one) === realPathOr(other)

/** Whether the client reads our plugins from the copy in this home. */
export const isOurMarket = ({ place, env, home }: Context, client: PluginClient): boolean =>
  isSame(pluginMarket(placesHere(client, place.root, env)), copyFolder(home.path, client.agent))

/** Whether settings, wherever they are, name the copy as what our plugins are read from. */
export const namesOurMarket = ({ home }: Context, client: PluginClient, path: string): boolean =>
  isSame(pluginMarket(readPlaces(client, [{ kind: 'user', path }])), copyFolder(home.path, client.agent))

/** Settings of another folder of the client, which were written at its time, and still name the copy. */
function isNamedElsewhere(context: Context, client: PluginClient): boolean {
  const user = setupPlace(context, client, 'user').path
  const noted = Object.keys(readSetupJournal(context.home.path)?.before ?? {})
  return noted.some((path) => !isSame(path, user) && namesOurMarket(context, client, path))
}

/**
 * A marketplace of our name that the user has from elsewhere, such as a clone: the client knows one of a name, and
 * would forget theirs. Null where there is none; a copy in another home is ours, and what is gone is nobody's.
 */
export function marketElsewhere(places: readonly KnownPlace[], copy: string): string | null {
  const isOurs = (folder: string) =>
    isSame(folder, copy) || !existsSync(folder) || homeOfCopy(folder) !== null
  const theirs = places.find(
    ({ kind, facts }) =>
      kind !== 'project' && facts?.source && !(facts.market !== null && isOurs(facts.market)),
  )
  return theirs?.facts?.source ?? null
}

/** Before the client writes our marketplace into the user's settings: what they were is kept until it goes. */
export function noteMarket(context: Context, client: PluginClient): void {
  const file = readSettingsFile(setupPlace(context, client, 'user'))
  changeJournal(context.home.path, context.ports, ({ before }) => ({
    before: { ...before, [file.target]: noteBefore(context, client, file) },
  }))
}

/** The marketplace and the copy go once the client has nothing from there any more. */
export async function closeMarket(
  run: SetupRun,
  client: PluginClient,
): Promise<{ isClosed: boolean; failed: FailedCommands | null }> {
  const { context } = run
  const copy = copyFolder(context.home.path, client.agent)
  const isOurs = isOurMarket(context, client)
  const hasCopy = lstatSync(copy, { throwIfNoEntry: false }) !== undefined
  if ((isOurs || hasCopy) && (await isRead(run, client, isOurs))) return { isClosed: false, failed: null }
  const commands = isOurs ? [client.plugin.commands.removeMarket] : []
  const failed = await runCommands(run, client, commands, null)
  if (failed === null && hasCopy)
    await performStep(run, setupChange('removed', copy, SETUP_CHANGES.unread), () => {
      rmSync(copy, { recursive: true })
      removeEmpty(dirname(copy))
    })
  return { isClosed: failed === null && isOurs, failed }
}

/** Whether the client still reads plugins from the copy, as far as can be told; that is told to the user. */
async function isRead(
  { context, dryRun }: SetupRun,
  client: PluginClient,
  isOurs: boolean,
): Promise<boolean> {
  const copy = copyFolder(context.home.path, client.agent)
  // In a dry run nothing is run to find out.
  const readers = dryRun ? [] : await marketReaders(context, client, isOurs ? null : copy)
  // A client that does not say what it has may have something from there, as long as its settings name it.
  if (!isNamedElsewhere(context, client) && !(readers === null ? isOurs : readers.length > 0)) return false
  context.notices.push(NOTICES.marketStays(copy, client.label, readers ?? []))
  return true
}
