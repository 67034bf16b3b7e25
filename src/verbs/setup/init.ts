import { existsSync } from 'node:fs'
import { AGENTS, agentNames } from '../../agents/table.ts'
import type { AgentSetUp, Scope, StatusLine } from '../../core/agent-setup.ts'
import { instant } from '../../core/ports.ts'
import { EXIT, ReasonError } from '../../core/reason.ts'
import { formatCount } from '../../core/text.ts'
import type { Context } from '../../engine/context/context.ts'
import { NOTICES } from '../../engine/context/notices.ts'
import { type OfferedImport, offerImport } from '../../engine/import/offer-import.ts'
import { AT_SET_UP, ONLY_COUNT, readEarlier } from '../../engine/sessions/earlier-sessions.ts'
import { isInstalled } from '../../engine/setup/find-program.ts'
import { hookTarget, launcherIn } from '../../engine/setup/launcher.ts'
import { type SetupRequest, setUp } from '../../engine/setup/set-up.ts'
import { factsIn, readSettingsFile } from '../../engine/setup/settings-file.ts'
import {
  committedPlugin,
  hasPlugin,
  hookHindrances,
  type KnownPlace,
  placesHere,
  setupPlace,
} from '../../engine/setup/settings-places.ts'
import { inSetupRun } from '../../engine/setup/setup-run.ts'
import { shownLine, statusLinesOf, wantsLine } from '../../engine/setup/statusline-plan.ts'
import { hooksForAll, planPlugin, wantsPlugin } from '../../engine/setup/wants-plugin.ts'
import { defineVerb } from '../define/verb.ts'
import { sayEarlier } from '../say/say-earlier.ts'
import { sayChanges } from './say-changes.ts'

/** What the user should know, though nothing is wrong with the command. */
function warn({ notices }: Context, asked: SetupRequest): void {
  const { bundle } = hookTarget()
  const { client, places, path, plugin, scope, hooks } = asked
  notices.push(...hookHindrances(client, places))
  for (const place of places)
    if (place.problem !== null && place.path !== path)
      notices.push(NOTICES.settingsUnreadable(place.path, place.problem))
  if (hasPlugin(places, scope) && !plugin?.isInstalled) notices.push(NOTICES.pluginHasHooks)
  const committed = committedPlugin(places)
  if (hooks === 'in' && scope === 'user' && hasPlugin(places, 'project'))
    notices.push(NOTICES.hooksBesidePlugin)
  else if (hooks === 'in' && committed !== null)
    notices.push(NOTICES.hooksBesideCommittedPlugin(committed, client.label))
  if (!existsSync(bundle)) notices.push(NOTICES.programMissing(bundle))
  else if (/[\\/]_npx[\\/]/.test(bundle)) notices.push(NOTICES.programInCache)
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
    const places = placesHere(client, place.root, env)
    const target = setupPlace(context, client, scope)
    const { statusLine } = factsIn(client, readSettingsFile(target))
    const lines = statusLinesOf(statusLine, places, scope)
    const asking = dryRun ? { ...context, ask: null } : context
    const isPlugin = await wantsPlugin(asking, client, places, scope, saidPlugin)
    const wants = await wantsLine(asking, lines, saidLine)
    const launcher = launcherIn(home.path)
    const planned = planPlugin(context, client, places, scope, isPlugin === true)
    const asked: SetupRequest = {
      ...target,
      places,
      launcher,
      ...planned,
      wantsLine: wants === true,
    }
    warn(context, asked)
    const { changes, failed } = await inSetupRun(context, dryRun, async (run) => ({
      changes: run.changes,
      failed: await setUp(run, asked),
    }))
    if (dryRun && failed) context.notices.push(NOTICES.pluginNotInstallable(failed.problem))
    const problem = dryRun ? null : (failed?.problem ?? null)
    const earlier = problem === null ? await readEarlier(context, dryRun ? ONLY_COUNT : AT_SET_UP) : null
    const documents = problem === null ? await offerImport(asking) : null
    return {
      agent: client.agent,
      label: client.label,
      scope,
      dryRun,
      settings: target.path,
      changes,
      statusLine: sayLine(shownLine(lines).kind, wants, scope),
      plugin: {
        wanted: isPlugin === true,
        folder: asked.plugin?.copy.folder ?? null,
        problem,
        typed: problem === null ? null : (failed?.typed.join(', then ') ?? ''),
        says: isPlugin === null && asked.hooks === 'in' ? sayOffer(places, scope) : null,
      },
      earlier,
      documents,
      now: instant(context.ports.now()),
    }
  },
  say: ({ label, scope, dryRun, changes, statusLine, plugin, earlier, documents, now }, { columns }) => {
    const reason = notInstalled(plugin, label)
    const where = scope === 'user' ? 'for all projects' : 'in this workspace'
    const head =
      changes.length === 0
        ? `${label} is set up ${where} already: nothing ${dryRun ? 'would change' : 'was changed'}.`
        : dryRun
          ? `To set up ${label} ${where}; nothing was written:`
          : reason === null
            ? `${label} is set up ${where}:`
            : `${label} is prepared ${where}, and not set up yet:`
    return [
      head,
      ...(changes.length > 0 ? [sayChanges(changes, columns, { diffs: dryRun })] : []),
      ...(plugin.says === null ? [] : [plugin.says]),
      ...(statusLine === null ? [] : [statusLine]),
      ...(reason ? [reason.message, reason.hint] : []),
      ...(earlier === null ? [] : sayEarlier(earlier, Date.parse(now), dryRun)),
      ...(documents === null ? [] : sayDocuments(documents, dryRun)),
      ...(dryRun || reason
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

/** What other tools left here, in a line or none. A dry run does not know yet what trust would vouch for. */
function sayDocuments({ found, own, trusted, imported }: OfferedImport, dryRun: boolean): string[] {
  if (found === 0) return []
  if (imported > 0) return [`Imported ${formatCount(imported, 'document')} of other tools`]
  const way =
    own > 0 || dryRun
      ? 'savepoint import'
      : trusted
        ? 'savepoint import, then savepoint trust --review'
        : 'savepoint trust, then savepoint import'
  return [
    `Found ${formatCount(found, 'document')} of other tools (notes, ledger, handoffs). To keep them: ${way}`,
  ]
}

/** How the status line stands afterwards, in a sentence; null where there is nothing to say. */
function sayLine(kind: StatusLine['kind'], isWanted: boolean | null, scope: Scope): string | null {
  if (kind === 'strange')
    return 'The status line in the settings is not a command: it was left alone, and ours with it.'
  if (kind === 'ours' || isWanted !== null) return null
  const how = scope === 'user' ? ' --scope user' : ''
  return `The status line was left alone. To have it: savepoint init --statusline${how}`
}

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

const notInstalled = ({ problem, typed }: { problem: string | null; typed: string | null }, label: string) =>
  problem === null ? null : new ReasonError('plugin_not_installed', { label, problem, typed: typed ?? '' })
