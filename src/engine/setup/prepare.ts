import type { Context } from '../context/context.ts'
import type { SetupChange } from './change.ts'
import { type CommandPlan, commandChange, foreignCommandNote, planCommand } from './command-file.ts'
import { addExclude, excludeFile, excludeLineFor, gitSees, hasExclude } from './exclude-line.ts'
import { launcherChange, type Script, writeLauncher } from './launcher.ts'
import { setupOf } from './note-setup.ts'
import { copyChange, pluginFileText, writeCopy } from './plugin-copy.ts'
import { putSettings } from './settings-file.ts'
import type { SetupRequest } from './setup-request.ts'

/** Something in the home that has to stand before anybody names it. */
interface Part {
  change: SetupChange
  write(): void
}

/** Launchers before the copy that names them. */
export function partsToWrite(
  { home, ports }: Context,
  { launcher, hooks, wantsLine, plugin }: SetupRequest,
): Part[] {
  const script = (found: Script, about: string): Part[] => {
    const what = launcherChange(home.path, found)
    return what === null
      ? []
      : [{ change: { path: found.path, what, about, diff: null }, write: () => writeLauncher(found, ports) }]
  }
  const copied = plugin && copyChange(plugin.copy)
  return [
    ...(hooks === 'in' || wantsLine || plugin ? script(launcher, 'what the hooks start') : []),
    ...(plugin ? script(plugin.server, 'what the plugin starts as its server') : []),
    ...(plugin && copied
      ? [
          {
            change: { path: plugin.copy.folder, what: copied, about: 'the plugin', diff: null },
            write: () => writeCopy(plugin.copy, ports),
          },
        ]
      : []),
  ]
}

export const excludeChange = (context: Context, file: string): SetupChange => ({
  path: excludeFile(context),
  what: 'changed',
  about: `one line: ${excludeLineFor(file)}`,
  diff: null,
})

/** The file for a word of the client's; null where none is asked for, or one stands there that is not even text. */
export function commandPlan(context: Context, asked: SetupRequest, settings: string): CommandPlan | null {
  const { plugin } = asked.client
  if (!asked.plugin?.isInstalled || plugin === null) return null
  const note = setupOf(context.home.path, settings)?.command ?? null
  const text = pluginFileText(asked.plugin.copy, plugin.commandFile.source)
  return planCommand(context, asked.scope, plugin.commandFile, text, note)
}

/** Git's exclude file, where it has our line for a file by now. */
export async function hideFile(
  context: Context,
  file: string,
  changes: SetupChange[],
): Promise<string | null> {
  const sees = await gitSees(context, file)
  if (sees === 'ignored' && hasExclude(context, file)) return excludeFile(context)
  if (sees !== 'seen' || !addExclude(context, file)) return null
  changes.push(excludeChange(context, file))
  return excludeFile(context)
}

/** Puts the file for a word of the client's in its place; somebody else's stays, also one that came this very moment. */
export async function putCommand(context: Context, plan: CommandPlan): Promise<SetupChange[]> {
  const { file, bytes, what } = plan
  if (what !== null && (await putSettings(context, file, bytes))) return commandChange(plan)
  if (what !== null || plan.isTheirs) context.notices.push(foreignCommandNote(plan))
  return []
}

/** Whether a line in git's exclude file is wanted for the command: in a workspace, for a file of ours. */
export const isCommandToHide = ({ scope }: SetupRequest, plan: CommandPlan | null): plan is CommandPlan =>
  scope === 'project' && plan !== null && !plan.isTheirs
