import { isMalformed } from '../../core/agent-setup.ts'
import { sha256 } from '../../core/canonical.ts'
import { ReasonError } from '../../core/reason.ts'
import type { Context } from '../context/context.ts'
import { MOST_ATTEMPTS } from '../context/most-attempts.ts'
import { giveTrust } from '../trust/give-trust.ts'
import { isTrustedHere } from '../trust/trusted.ts'
import { chainKey, writeChain } from './chain.ts'
import { diffOf, hooksChanged, type SetupChange } from './change.ts'
import { type CommandPlan, commandChange, foreignCommandNote } from './command-file.ts'
import { gitSees } from './exclude-line.ts'
import { rememberSetup, type SettingsPlan, type SideEffects, setupOf } from './note-setup.ts'
import { commandsAhead, otherMarket, type PluginResult, plugIn } from './plug-in.ts'
import { ranChange } from './plugin-commands.ts'
import { commandPlan, excludeChange, hideFile, isCommandToHide, partsToWrite } from './prepare.ts'
import { putSettings, readSettingsFile } from './settings-file.ts'
import type { SetupRequest } from './setup-request.ts'
import { planLine, statusLinesOf } from './statusline-plan.ts'
import { takeOutHooks } from './take-out-hooks.ts'

/** What was done, and what came of the plugin. */
export interface SetupResult extends PluginResult {
  changes: SetupChange[]
}

function planSetUp({ place, home }: Context, asked: SetupRequest): SettingsPlan {
  const { client, scope, path, places, launcher, hooks } = asked
  const file = readSettingsFile(path, scope === 'project' ? place.root : null)
  const facts = client.settings.read(file.text)
  if (isMalformed(facts)) throw new ReasonError('settings_malformed', { path, ...facts })
  const key = chainKey(scope, file.target)
  const line = planLine(statusLinesOf(facts.statusLine, places, scope), asked.wantsLine, launcher, key)
  const merged = client.settings.put(file.text, {
    hooks: hooks === 'in' ? launcher.hook(client.agent) : hooks === 'out' ? 'out' : null,
    made: setupOf(home.path, file.target)?.made ?? null,
    statusLine: line,
  })
  if (isMalformed(merged)) throw new ReasonError('settings_malformed', { path, ...merged })
  const hasOurs = facts.hooked.length > 0 || facts.statusLine.kind === 'ours'
  const bytes = merged.text === file.text ? null : Buffer.from(merged.text)
  return { file, merged, line, key, hasOurs, bytes }
}

/** What would be done, with nothing done. */
export async function foreseeSetUp(context: Context, wanted: SetupRequest): Promise<SetupChange[]> {
  const other = otherMarket(wanted)
  if (other !== null) context.notices.push(`The plugin would not be installed: ${other.problem}`)
  const asked = other === null ? wanted : { ...wanted, hooks: 'left' as const }
  const plan = planSetUp(context, asked)
  const command = commandPlan(context, asked, plan.file.target)
  if (command?.isTheirs) context.notices.push(foreignCommandNote(command))
  const isTrusted = await isTrustedHere(context)
  // Git is not asked where nobody trusts its settings: then the line is foretold, though git may ignore the file already.
  const foreseeExclude = async (file: string) =>
    (isTrusted ? await gitSees(context, file) : assumeSeen(context)) === 'seen'
      ? [excludeChange(context, file)]
      : []
  return [
    ...settingsChange(plan, asked),
    ...partsToWrite(context, asked).map(({ change }) => change),
    ...(isOursToHide(plan, asked) ? await foreseeExclude(asked.client.localFile) : []),
    ...(isCommandToHide(asked, command) ? await foreseeExclude(command.command.projectFile) : []),
    ...(command ? commandChange(command) : []),
    ...commandsAhead(asked).map((words) => ranChange(asked.client, words)),
    ...(asked.scope === 'project' && !isTrusted ? [trustChange(context)] : []),
  ]
}

/** Only a file of ours is kept out of git: the local settings of a project, with something of ours in it. */
const isOursToHide = ({ bytes, hasOurs }: SettingsPlan, { scope, plugin }: SetupRequest) =>
  scope === 'project' && (bytes !== null || hasOurs || plugin?.isInstalled === true)

const assumeSeen = ({ place }: Context) => (place.git === null ? 'no git' : 'seen')

/**
 * Does it. The order is the promise: until the settings name what is started, nothing has changed for the agent, and
 * hooks go only once the plugin has them. What a crash leaves undone, the next `init` does.
 */
export async function setUp(context: Context, asked: SetupRequest): Promise<SetupResult> {
  const changes: SetupChange[] = []
  // Before anything is done: a file that cannot be read leaves all as it is.
  const first = planSetUp(context, asked)
  const command = commandPlan(context, asked, first.file.target)
  if (asked.scope === 'project' && !(await isTrustedHere(context))) {
    await giveTrust(context)
    changes.push(trustChange(context))
  }
  const parts = partsToWrite(context, asked)
  for (const part of parts) {
    part.write()
    changes.push(part.change)
  }
  const beside = await writeSideEffects(context, asked, first, command, changes)
  const { problem, typed } = await plugIn(context, asked, { first, command, beside, changes })
  // Where the plugin has no hooks yet, those that are there go on.
  const settled = problem === null ? asked : { ...asked, hooks: 'left' as const }
  changes.unshift(...(await settle(context, settled, beside)))
  if (problem === null && asked.plugin?.isInstalled && asked.scope === 'user')
    changes.push(...(await takeOutHooks(context, asked.client)))
  return { changes, problem, typed }
}

/** The lines in git's exclude file, and what is to be noted of the command. */
async function writeSideEffects(
  context: Context,
  asked: SetupRequest,
  first: SettingsPlan,
  command: CommandPlan | null,
  changes: SetupChange[],
): Promise<SideEffects> {
  const isHidden = isOursToHide(first, asked)
  if (isHidden && (await gitSees(context, asked.client.localFile)) === 'tracked')
    context.notices.push(
      `${asked.path} is tracked by git: what was added is committed with it, unless you take care.`,
    )
  const exclude = isHidden ? await hideFile(context, asked.client.localFile, changes) : null
  if (command === null || command.isTheirs) return { exclude, command: null }
  const old = setupOf(context.home.path, first.file.target)?.command ?? null
  const own = isCommandToHide(asked, command)
    ? await hideFile(context, command.command.projectFile, changes)
    : null
  const note = {
    path: command.file.path,
    hash: sha256(command.bytes),
    folder: command.folder,
    exclude: own ?? old?.exclude ?? null,
  }
  return { exclude, command: note }
}

/** The settings file, written only while it is what was read. */
async function settle(context: Context, asked: SetupRequest, beside: SideEffects): Promise<SetupChange[]> {
  const { home, ports } = context
  for (let attempt = 0; attempt < MOST_ATTEMPTS.settings; attempt += 1) {
    const plan = planSetUp(context, asked)
    rememberSetup(context, asked, plan, beside)
    if (plan.line && plan.line.chain !== undefined) writeChain(home.path, plan.key, plan.line.chain, ports)
    if (plan.bytes === null || (await putSettings(context, plan.file, plan.bytes)))
      return settingsChange(plan, asked)
  }
  throw new ReasonError('settings_busy', { path: asked.path })
}

function settingsChange({ file, merged, line, bytes }: SettingsPlan, { path }: SetupRequest): SetupChange[] {
  if (bytes === null) return []
  const about = [hooksChanged(merged.changes), line ? 'the status line' : ''].filter(Boolean).join(', ')
  const what = file.bytes === null ? 'made' : 'changed'
  return [{ path, what, about, diff: diffOf(path, file.text, merged.text) }]
}

const trustChange = ({ place }: Context): SetupChange => ({
  path: place.root,
  what: 'trusted',
  about: 'savepoint untrust ends that',
  diff: null,
})
