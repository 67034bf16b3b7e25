import { existsSync } from 'node:fs'
import { AGENTS, agentNames } from '../../agents/table.ts'
import { type AgentSetUp, isMalformed, type Scope, takesPlugins } from '../../core/agent-setup.ts'
import { instant } from '../../core/ports.ts'
import { EXIT, ReasonError } from '../../core/reason.ts'
import type { Context } from '../../engine/context/context.ts'
import { AT_SET_UP, countEarlier, readEarlier } from '../../engine/sessions/earlier-sessions.ts'
import { isInstalled } from '../../engine/setup/find-program.ts'
import { launcherIn, type Target, targetHere } from '../../engine/setup/launcher.ts'
import { slashCommandsOf as inClient } from '../../engine/setup/plugin-commands.ts'
import { foreseeSetUp, setUp } from '../../engine/setup/set-up.ts'
import { readSettingsFile } from '../../engine/setup/settings-file.ts'
import {
  committedPlugin,
  hasPlugin,
  hookHindrances,
  type KnownPlace,
  placesHere,
  settingsPath,
} from '../../engine/setup/settings-places.ts'
import { setupLock } from '../../engine/setup/setup-lock.ts'
import type { SetupRequest } from '../../engine/setup/setup-request.ts'
import { planLine, statusLinesOf, wantsLine } from '../../engine/setup/statusline-plan.ts'
import { hooksForAll, planPlugin, wantsPlugin } from '../../engine/setup/wants-plugin.ts'
import { defineVerb } from '../define/verb.ts'
import { sayEarlier } from '../say/say-earlier.ts'
import { sayChanges } from './say-changes.ts'
import { sayLine } from './say-line.ts'

/** What the user should know, though nothing is wrong with the command. */
function warn({ notices }: Context, asked: SetupRequest, { bundle }: Target): void {
  const { client, places, path, plugin, scope, hooks } = asked
  notices.push(...hookHindrances(client, places))
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
      `${committed} comes with the repository and switches on a plugin of our name; where ${client.label} has it, hooks are run twice. To have the plugin alone: savepoint init --plugin`,
    )
  if (!existsSync(bundle))
    notices.push(`${bundle} is not there: no hook does anything until Savepoint is installed again.`)
  else if (/[\\/]_npx[\\/]/.test(bundle))
    notices.push(
      'Savepoint runs from a cache that npx empties: install it with `npm install -g savepoint`, and run init again.',
    )
}

/** As a flag says, or its opposite; null where neither was given. */
function choiceOf(isYes: boolean, isNo: boolean, name: string): boolean | null {
  if (isYes && isNo)
    throw new ReasonError('usage_invalid', { problem: `--${name} and --without-${name} exclude each other` })
  return isYes ? true : isNo ? false : null
}

const LABELS = AGENTS.map(({ label }) => label).join(', ')

export const init = defineVerb({
  name: 'init',
  summary: 'Set up an agent, so that its sessions are recorded and briefed',
  detail: `Puts hooks into the settings of the agent (${LABELS}): with --scope project (the default) into those of this workspace that are not committed, and trusts this workspace; with --scope user into your own settings, for all projects. All else in the file stays as it is, and a copy of it is kept. With --plugin the agent installs the plugin instead, which has the hooks, and also tools, skills and slash commands. \`uninstall\` takes out exactly what was put in. The agent may run hooks only in folders that you have trusted there.`,
  fields: {
    agent: {
      kind: 'choice',
      choices: agentNames(AGENTS),
      value: 'NAME',
      about: `${agentNames(AGENTS).join(' or ')}; set up also where it is not found`,
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
    `savepoint init --scope user --agent ${AGENTS[0]?.name}`,
  ],
  access: ({ dryRun }) => (dryRun ? 'read' : 'write'),
  async perform(context, input) {
    const { env, place, home } = context
    const { agent, dryRun } = input
    const scope: Scope = input.scope ?? 'project'
    const saidLine = choiceOf(input.statusline, input.withoutStatusline, 'statusline')
    const saidPlugin = choiceOf(input.plugin, input.withoutPlugin, 'plugin')
    const client = await clientFor(context, agent)
    const target = targetHere()
    const places = placesHere(client, place.root, env)
    const path = settingsPath(client, scope, place.root, env)
    const facts = client.settings.read(readSettingsFile(path, scope === 'project' ? place.root : null).text)
    if (isMalformed(facts)) throw new ReasonError('settings_malformed', { path, ...facts })
    const lines = statusLinesOf(facts.statusLine, places, scope)
    const asking = dryRun ? { ...context, ask: null } : context
    const isPlugin = await wantsPlugin(asking, client, places, scope, saidPlugin)
    const wants = await wantsLine(asking, lines, saidLine)
    const launcher = launcherIn(home.path, target)
    const planned = planPlugin(context, client, places, scope, isPlugin === true, launcher)
    const asked: SetupRequest = {
      client,
      scope,
      path,
      places,
      launcher,
      ...planned,
      wantsLine: wants === true,
    }
    warn(context, asked, target)
    const { changes, problem, typed } = dryRun
      ? { changes: await foreseeSetUp(context, asked), problem: null, typed: null }
      : await setupLock(context, () => setUp(context, asked))
    const earlier = dryRun
      ? await countEarlier(context)
      : problem === null
        ? await readEarlier(context, AT_SET_UP)
        : null
    return {
      agent: client.agent,
      label: client.label,
      scope,
      dryRun: dryRun,
      settings: path,
      changes,
      statusLine: sayLine(lines, wants, planLine(lines, wants === true, launcher, ''), scope),
      plugin: {
        wanted: isPlugin === true,
        folder: asked.plugin?.copy.folder ?? null,
        problem,
        typed: problem === null ? null : (typed ?? installTyped(asked)),
        says: isPlugin === null && asked.hooks === 'in' ? sayOffer(places, scope) : null,
      },
      earlier,
      now: instant(context.ports.now()),
    }
  },
  say: ({ label, scope, dryRun, changes, statusLine, plugin, earlier, now }, { columns }) => {
    const where = scope === 'user' ? 'for all projects' : 'in this workspace'
    const head =
      changes.length === 0
        ? `${label} is set up ${where} already: nothing ${dryRun ? 'would change' : 'was changed'}.`
        : dryRun
          ? `To set up ${label} ${where}; nothing was written:`
          : plugin.problem === null
            ? `${label} is set up ${where}:`
            : `${label} is prepared ${where}, and not set up yet:`
    return [
      head,
      ...(changes.length > 0 ? [sayChanges(changes, columns, { diffs: dryRun })] : []),
      ...(plugin.says === null ? [] : [plugin.says]),
      ...(statusLine === null ? [] : [statusLine]),
      ...sayProblem(plugin, label),
      ...(earlier === null ? [] : sayEarlier(earlier, Date.parse(now), dryRun)),
      ...(dryRun || plugin.problem !== null
        ? []
        : [
            'Sessions that start from now on are recorded. Whether it works: savepoint doctor. To take it out: savepoint uninstall',
          ]),
      ...(scope === 'user' && !dryRun ? ['Trust is given to each workspace by itself: savepoint trust'] : []),
    ].join('\n')
  },
  failure: ({ label, plugin }) => {
    const reason = notInstalled(plugin, label)
    return reason && { exit: EXIT.unwritten, ...reason.toJSON() }
  },
})

function sayOffer(places: readonly KnownPlace[], scope: Scope): string {
  const isForAll = scope === 'user' || hooksForAll(places, scope) !== null
  return `With the plugin the agent also has tools, skills and slash commands: savepoint init --plugin${isForAll ? ' --scope user' : ''}`
}

/** The agent that is named, else the first that is found on this machine. */
async function clientFor({ agents, env, place }: Context, name: string | undefined): Promise<AgentSetUp> {
  const named = name === undefined ? agents : agents.filter((agent) => agent.name === name)
  const clients = await Promise.all(named.map((agent) => agent.setUp()))
  const found = clients.find((client) => name !== undefined || isInstalled(client, env, place.root))
  if (found !== undefined) return found
  const [first] = clients
  throw new ReasonError('agent_unknown', {
    agent: first?.agent ?? name ?? '',
    label: first?.label ?? name ?? 'an agent',
    program: first?.programs(process.platform).found[0] ?? name ?? '',
    path: first?.folder(env) ?? '',
  })
}

/** What a person types to have the plugin. */
const installTyped = ({ client, plugin, scope }: SetupRequest): string =>
  takesPlugins(client)
    ? inClient(client, client.plugin.commands.install(plugin?.copy.folder ?? '', scope)).join(', then ')
    : ''

interface PluginSummary {
  problem: string | null
  typed: string | null
}

const notInstalled = ({ problem, typed }: PluginSummary, label: string) =>
  problem === null ? null : new ReasonError('plugin_not_installed', { label, problem, typed: typed ?? '' })

function sayProblem(plugin: PluginSummary, label: string): string[] {
  const reason = notInstalled(plugin, label)
  return reason === null ? [] : [reason.message, reason.hint]
}
