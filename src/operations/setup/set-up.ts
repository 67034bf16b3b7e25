import { isMalformed, type Merged, readFacts, withSavepoint } from '../../agents/claude/settings.ts'
import { sha256 } from '../../core/canonical.ts'
import { instant } from '../../core/ports.ts'
import { ReasonError } from '../../core/reason.ts'
import type { Context } from '../context.ts'
import { giveTrust } from '../document/give-trust.ts'
import { isTrustedHere } from '../document/trusted.ts'
import { chainKey, writeChain } from './chain.ts'
import { type Change, diffOf, hooksChanged } from './change.ts'
import { hasPlugin, type KnownPlace, type Scope } from './claude-places.ts'
import { addExclude, EXCLUDED, excludeFile, gitSees } from './exclude-line.ts'
import { type Launcher, launcherChange, writeLauncher } from './launcher.ts'
import { keepSettings, readSetups, type Setup, writeSetups } from './record.ts'
import { hashOf, missingFolder, putSettings, readSettingsFile, type SettingsFile } from './settings-file.ts'
import { type LinePlan, linesOf, planLine } from './statusline-plan.ts'

/** What is asked for, with all questions answered. */
export interface Asked {
  scope: Scope
  /** The settings file, as the user knows it. */
  path: string
  places: readonly KnownPlace[]
  launcher: Launcher
  wantsLine: boolean
}

interface Plan {
  file: SettingsFile
  merged: Merged
  line: LinePlan | null
  key: string
  /** Something of ours stands in the file already. */
  hasOurs: boolean
  /** Null where nothing is to change. */
  bytes: Buffer | null
}

/** Somebody who writes the settings all the time is not waited for. */
const GIVE_UP_AFTER = 8

export function planSetUp({ place }: Context, asked: Asked): Plan {
  const { scope, path, places, launcher } = asked
  const file = readSettingsFile(path, scope === 'project' ? place.root : null)
  const facts = readFacts(file.text)
  if (isMalformed(facts)) throw new ReasonError('settings_malformed', { path, ...facts })
  const key = chainKey(scope, file.target)
  const line = planLine(linesOf(facts.statusLine, places, scope), asked.wantsLine, launcher, key)
  const merged = withSavepoint(file.text, {
    hooks: hasPlugin(places) ? null : launcher.hook,
    statusLine: line,
  })
  if (isMalformed(merged)) throw new ReasonError('settings_malformed', { path, ...merged })
  const hasOurs = facts.hooked.length > 0 || facts.statusLine.kind === 'ours'
  const bytes = merged.text === file.text ? null : Buffer.from(merged.text)
  return { file, merged, line, key, hasOurs, bytes }
}

/** What would be done, with nothing done. */
export async function foresee(context: Context, asked: Asked): Promise<Change[]> {
  const plan = planSetUp(context, asked)
  const isTrusted = await isTrustedHere(context)
  // Git is not asked where nobody trusts its settings: then the line is foretold, though git may ignore the file already.
  const sees = !isOursToHide(plan, asked)
    ? 'no git'
    : isTrusted
      ? await gitSees(context)
      : seenUnasked(context)
  return [
    ...settingsChange(plan, asked),
    ...launcherChanges(context, asked),
    ...(sees === 'seen' ? [excludeChange(context)] : []),
    ...(asked.scope === 'project' && !isTrusted ? [trustChange(context)] : []),
  ]
}

/** Only a file of ours is kept out of git: the local settings of a project, with something of ours in it. */
const isOursToHide = ({ bytes, hasOurs }: Plan, { scope }: Asked) =>
  scope === 'project' && (bytes !== null || hasOurs)

const seenUnasked = ({ place }: Context) => (place.git === null ? 'no git' : 'seen')

/** Does it. The order is the promise: until the settings name the launcher, nothing has changed for the agent. */
export async function setUp(context: Context, asked: Asked): Promise<Change[]> {
  const { home, ports, notices } = context
  const changes: Change[] = []
  // Before anything is done: a file that cannot be read leaves all as it is.
  const first = planSetUp(context, asked)
  if (asked.scope === 'project' && !(await isTrustedHere(context))) {
    await giveTrust(context)
    changes.push(trustChange(context))
  }
  for (const change of launcherChanges(context, asked)) {
    writeLauncher(asked.launcher, ports)
    changes.push(change)
  }
  const sees = isOursToHide(first, asked) ? await gitSees(context) : 'no git'
  if (sees === 'tracked')
    notices.push(
      `${asked.path} is tracked by git: what was added is committed with it, unless you take care.`,
    )
  const isExcluded = sees === 'seen' && addExclude(context)
  if (isExcluded) changes.push(excludeChange(context))
  for (let attempt = 0; attempt < GIVE_UP_AFTER; attempt += 1) {
    const plan = planSetUp(context, asked)
    remember(context, asked, plan, isExcluded ? excludeFile(context) : null)
    if (plan.line && plan.line.chain !== undefined) writeChain(home.path, plan.key, plan.line.chain, ports)
    if (plan.bytes === null || (await putSettings(context, plan.file, plan.bytes)))
      return [...settingsChange(plan, asked), ...changes]
  }
  throw new ReasonError('settings_busy', { path: asked.path })
}

/** Notes down what is about to be done, with a copy of what stands there: after a crash it can be undone. */
function remember(
  { home, ports, identity, place }: Context,
  asked: Asked,
  plan: Plan,
  exclude: string | null,
): void {
  const { file, merged, line, hasOurs, bytes } = plan
  const setups = readSetups(home.path) ?? []
  const old = setups.find(({ settings }) => settings === file.target)
  if (bytes === null && (old || !hasOurs)) return
  const hash = hashOf(file)
  const isAsLeft = old !== undefined && old.after !== null && old.after === hash
  const known = hasOurs ? old : undefined
  const backup = bytes !== null && file.bytes ? keepSettings(home.path, file.bytes, ports) : null
  const setup: Setup = {
    agent: 'claude',
    scope: asked.scope,
    settings: file.target,
    workspace: asked.scope === 'project' ? identity.workspace : null,
    root: asked.scope === 'project' ? place.root : null,
    at: instant(ports.now()),
    before: isAsLeft ? old.before : { hash, backup },
    after: bytes !== null && (isAsLeft || !hasOurs) ? sha256(bytes) : null,
    made: hasOurs ? (known?.made ? [...known.made, ...merged.made] : null) : merged.made,
    folder: known ? known.folder : missingFolder(file),
    statusline: line?.raw ?? known?.statusline ?? null,
    exclude: exclude ?? old?.exclude ?? null,
  }
  writeSetups(home.path, [...setups.filter((other) => other !== old), setup], ports)
}

function settingsChange({ file, merged, line, bytes }: Plan, { path }: Asked): Change[] {
  if (bytes === null) return []
  const about = [hooksChanged(merged.changes), line ? 'the status line' : ''].filter(Boolean).join(', ')
  const what = file.bytes === null ? 'made' : 'changed'
  return [{ path, what, about, diff: diffOf(path, file.text, merged.text) }]
}

function launcherChanges({ home }: Context, { launcher, places, wantsLine }: Asked): Change[] {
  const what = hasPlugin(places) && !wantsLine ? null : launcherChange(home.path, launcher)
  return what === null ? [] : [{ path: launcher.path, what, about: 'what the hooks start', diff: null }]
}

const excludeChange = (context: Context): Change => ({
  path: excludeFile(context),
  what: 'changed',
  about: `one line: ${EXCLUDED}`,
  diff: null,
})

const trustChange = ({ place }: Context): Change => ({
  path: place.root,
  what: 'trusted',
  about: 'savepoint untrust ends that',
  diff: null,
})
