import { existsSync } from 'node:fs'
import { claudeFolder } from '../../agents/claude/config-folder.ts'
import { isMalformed, readFacts } from '../../agents/claude/settings.ts'
import { AGENTS, namesOf } from '../../agents/table.ts'
import { instant } from '../../core/ports.ts'
import { EXIT, ReasonError } from '../../core/reason.ts'
import type { Context } from '../../engine/context/context.ts'
import { AT_SET_UP, countEarlier, readEarlier } from '../../engine/sessions/earlier-sessions.ts'
import type { Asked } from '../../engine/setup/asked.ts'
import {
  committedPlugin,
  hasPlugin,
  hindrances,
  type KnownPlace,
  readPlaces,
  type Scope,
  settingsPath,
  settingsPlaces,
} from '../../engine/setup/claude-places.ts'
import { hasClaude } from '../../engine/setup/find-claude.ts'
import { launcherIn, type Target, targetHere } from '../../engine/setup/launcher.ts'
import { typed as inClient, installing } from '../../engine/setup/plugin-commands.ts'
import { foresee, setUp } from '../../engine/setup/set-up.ts'
import { readSettingsFile } from '../../engine/setup/settings-file.ts'
import { setupLock } from '../../engine/setup/setup-lock.ts'
import { linesOf, planLine, wantsLine } from '../../engine/setup/statusline-plan.ts'
import { hooksForAll, planPlugin, wantsPlugin } from '../../engine/setup/wants-plugin.ts'
import { operation } from '../define/operation.ts'
import { sayEarlier } from '../say/say-earlier.ts'
import { sayChanges } from './say-changes.ts'
import { sayLine } from './say-line.ts'

/** What the user should know, though nothing is wrong with the command. */
function warn({ notices }: Context, asked: Asked, { bundle }: Target): void {
  const { places, path, plugin, scope, hooks } = asked
  notices.push(...hindrances(places))
  for (const place of places)
    if (place.problem !== null && place.path !== path)
      notices.push(`${place.path} cannot be read, and the client will not read it either: ${place.problem}`)
  if (hasPlugin(places, scope) && !plugin?.isInstalled)
    notices.push('The plugin of Savepoint is switched on: it has the hooks, and they are not put in twice.')
  const committed = committedPlugin(places)
  if (hooks === 'in' && scope === 'user' && hasPlugin(places, 'project'))
    notices.push(
      'This workspace has the plugin: hooks for all projects are run besides it. To have it for all: savepoint init --plugin --scope user',
    )
  else if (hooks === 'in' && committed !== null)
    notices.push(
      `${committed} comes with the repository and switches on a plugin of our name; where Claude Code has it, hooks are run twice. To have the plugin alone: savepoint init --plugin`,
    )
  if (!existsSync(bundle))
    notices.push(`${bundle} is not there: no hook does anything until Savepoint is installed again.`)
  else if (/[\\/]_npx[\\/]/.test(bundle))
    notices.push(
      'Savepoint runs from a cache that npx empties: install it with `npm install -g savepoint`, and run init again.',
    )
}

/** As a flag says, or its opposite; null where neither was given. */
function saidBy(isYes: boolean, isNo: boolean, name: string): boolean | null {
  if (isYes && isNo)
    throw new ReasonError('usage_invalid', { problem: `--${name} and --without-${name} exclude each other` })
  return isYes ? true : isNo ? false : null
}

export const init = operation({
  name: 'init',
  summary: 'Set up an agent, so that its sessions are recorded and briefed',
  detail:
    'Puts hooks into the settings of Claude Code: with --scope project (the default) into .claude/settings.local.json, which is not committed, and trusts this workspace; with --scope user into your own settings, for all projects. All else in the file stays as it is, and a copy of it is kept. With --plugin Claude Code installs the plugin instead, which has the hooks, and also tools, skills and slash commands. `uninstall` takes out exactly what was put in. Claude Code runs hooks only in folders that you have trusted there.',
  fields: {
    agent: {
      kind: 'choice',
      choices: namesOf(AGENTS),
      value: 'NAME',
      about: 'claude; set up also where it is not found',
    },
    scope: { kind: 'choice', choices: ['project', 'user'], value: 'SCOPE', about: 'project or user' },
    dryRun: { kind: 'flag', about: 'show what would be written, and write nothing' },
    plugin: { kind: 'flag', about: 'install the plugin: hooks, tools, skills and slash commands' },
    withoutPlugin: { kind: 'flag', about: 'only hooks, and do not ask' },
    statusline: {
      kind: 'flag',
      about: 'show context and last save in the status line, after one that is there',
    },
    withoutStatusline: { kind: 'flag', about: 'leave the status line alone, and do not ask' },
  },
  examples: [
    'savepoint init',
    'savepoint init --plugin',
    'savepoint init --dry-run',
    'savepoint init --statusline',
    'savepoint init --scope user --agent claude',
  ],
  access: ({ dryRun }) => (dryRun ? 'read' : 'write'),
  async perform(context, input) {
    const { env, place, home } = context
    const { agent, dryRun } = input
    const scope: Scope = input.scope ?? 'project'
    const saidLine = saidBy(input.statusline, input.withoutStatusline, 'statusline')
    const saidPlugin = saidBy(input.plugin, input.withoutPlugin, 'plugin')
    if (agent === undefined && !hasClaude(env, place.root))
      throw new ReasonError('agent_unknown', { path: claudeFolder(env) })
    const target = targetHere()
    const places = readPlaces(settingsPlaces(place.root, env))
    const path = settingsPath(scope, place.root, env)
    const facts = readFacts(readSettingsFile(path, scope === 'project' ? place.root : null).text)
    if (isMalformed(facts)) throw new ReasonError('settings_malformed', { path, ...facts })
    const lines = linesOf(facts.statusLine, places, scope)
    const asking = dryRun ? { ...context, ask: null } : context
    const isPlugin = await wantsPlugin(asking, places, scope, saidPlugin)
    const wants = await wantsLine(asking, lines, saidLine)
    const launcher = launcherIn(home.path, target)
    const planned = planPlugin(context, places, scope, isPlugin === true, launcher)
    const asked: Asked = { scope, path, places, launcher, ...planned, wantsLine: wants === true }
    warn(context, asked, target)
    const { changes, problem, typed } = dryRun
      ? { changes: await foresee(context, asked), problem: null, typed: null }
      : await setupLock(context, () => setUp(context, asked))
    const earlier = dryRun
      ? await countEarlier(context)
      : problem === null
        ? await readEarlier(context, AT_SET_UP)
        : null
    return {
      agent: 'claude',
      scope,
      dry_run: dryRun,
      settings: path,
      changes,
      status_line: sayLine(lines, wants, planLine(lines, wants === true, launcher, ''), scope),
      plugin: {
        wanted: isPlugin === true,
        folder: asked.plugin?.copy.folder ?? null,
        problem,
        typed,
        says: isPlugin === null && asked.hooks === 'in' ? sayOffer(places, scope) : null,
      },
      earlier,
      now: instant(context.ports.now()),
    }
  },
  say: ({ scope, dry_run, changes, status_line, plugin, earlier, now }, { columns }) => {
    const where = scope === 'user' ? 'for all projects' : 'in this workspace'
    const head =
      changes.length === 0
        ? `Claude Code is set up ${where} already: nothing ${dry_run ? 'would change' : 'was changed'}.`
        : dry_run
          ? `To set up Claude Code ${where}; nothing was written:`
          : plugin.problem === null
            ? `Claude Code is set up ${where}:`
            : `Claude Code is prepared ${where}, and not set up yet:`
    return [
      head,
      ...(changes.length > 0 ? [sayChanges(changes, columns, { diffs: dry_run })] : []),
      ...(plugin.says === null ? [] : [plugin.says]),
      ...(status_line === null ? [] : [status_line]),
      ...sayProblem(plugin, scope),
      ...(earlier === null ? [] : sayEarlier(earlier, Date.parse(now), dry_run)),
      ...(dry_run || plugin.problem !== null
        ? []
        : [
            'Sessions that start from now on are recorded. Whether it works: savepoint doctor. To take it out: savepoint uninstall',
          ]),
      ...(scope === 'user' && !dry_run
        ? ['Trust is given to each workspace by itself: savepoint trust']
        : []),
    ].join('\n')
  },
  failure: ({ plugin, scope }) => {
    const reason = notInstalled(plugin, scope)
    return reason && { exit: EXIT.unwritten, ...reason.toJSON() }
  },
})

function sayOffer(places: readonly KnownPlace[], scope: Scope): string {
  const isForAll = scope === 'user' || hooksForAll(places, scope) !== null
  return `With the plugin the agent also has tools, skills and slash commands: savepoint init --plugin${isForAll ? ' --scope user' : ''}`
}

interface Plugged {
  folder: string | null
  problem: string | null
  typed: string | null
}

const notInstalled = ({ folder, problem, typed }: Plugged, scope: Scope) =>
  problem === null
    ? null
    : new ReasonError('plugin_not_installed', {
        problem,
        typed: typed ?? inClient(installing(folder ?? '', scope)).join(', then '),
      })

function sayProblem(plugin: Plugged, scope: Scope): string[] {
  const reason = notInstalled(plugin, scope)
  return reason === null ? [] : [reason.message, reason.hint]
}
