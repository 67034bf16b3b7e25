import { existsSync } from 'node:fs'
import { AGENTS, agentNames } from '../../agents/table.ts'
import type { AgentSetUp, Scope } from '../../core/agent-setup.ts'
import { instant } from '../../core/ports.ts'
import { EXIT, ReasonError } from '../../core/reason.ts'
import type { Context } from '../../engine/context/context.ts'
import { NOTICES } from '../../engine/context/notices.ts'
import { offerImport } from '../../engine/import/import-sources.ts'
import { AT_SET_UP, ONLY_COUNT, readEarlier } from '../../engine/sessions/earlier-sessions.ts'
import { isInstalled } from '../../engine/setup/client-program.ts'
import { hookTarget } from '../../engine/setup/launcher.ts'
import { planPlugin, wantsPlugin } from '../../engine/setup/plug-in.ts'
import { type SetupRequest, setUp } from '../../engine/setup/set-up.ts'
import {
  committedPlugin,
  factsIn,
  hasPlugin,
  hookHindrances,
  placesHere,
  setupPlace,
} from '../../engine/setup/settings-places.ts'
import { inSetupRun, readSetupFile } from '../../engine/setup/setup-run.ts'
import { statusLinesOf, wantsLine } from '../../engine/setup/statusline-plan.ts'
import { defineVerb } from '../define/verb.ts'
import { isAccepted, notInstalled, sayInit, sayLine, sayOffer } from './say-init.ts'

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
  summary: 'Set up your agent: record and brief its sessions',
  detail: `Adds hooks to the settings of ${LABELS}. --scope project (the default) uses this workspace's local settings, which are not committed, and trusts this workspace; --scope user uses your own settings, for all projects. Everything else in the file is unchanged, and a copy is kept. With --plugin the agent installs the plugin instead: hooks, tools, skills and slash commands. \`savepoint uninstall\` removes exactly what was added. The agent runs hooks only in folders that you have trusted there.`,
  fields: {
    agent: {
      kind: 'choice',
      choices: agentNames(AGENTS),
      value: 'NAME',
      about: 'the agent, even if it is not found',
    },
    scope: {
      kind: 'choice',
      choices: ['project', 'user'],
      value: 'SCOPE',
      about: 'which settings, default project',
    },
    dryRun: { kind: 'flag', about: 'show what would change' },
    diff: { kind: 'flag', about: 'also show each change line by line' },
    plugin: { kind: 'flag', about: 'install the plugin: hooks, tools, skills, slash commands' },
    withoutPlugin: { kind: 'flag', about: 'install only hooks, without asking' },
    statusline: { kind: 'flag', about: 'show context usage and the last save in the status line' },
    withoutStatusline: { kind: 'flag', about: 'do not change the status line, without asking' },
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
    const { env, place } = context
    const scope: Scope = input.scope ?? 'project'
    const saidLine = choiceOf(input.statusline, input.withoutStatusline, 'statusline')
    const saidPlugin = choiceOf(input.plugin, input.withoutPlugin, 'plugin')
    const client = await clientFor(context, input.agent)
    const places = placesHere(client, place.root, env)
    const here = { ...setupPlace(context, client, scope), places }
    const { statusLine } = factsIn(client, readSetupFile(here))
    const lines = statusLinesOf(statusLine, places, scope)
    const asking = input.dryRun ? { ...context, ask: null } : context
    const isPlugin = await wantsPlugin(asking, here, saidPlugin)
    const wants = await wantsLine(asking, lines, saidLine)
    const asked: SetupRequest = {
      ...here,
      ...planPlugin(context, here, isPlugin === true),
      wantsLine: wants === true,
    }
    warn(context, asked)
    const perform = (isDry: boolean) =>
      inSetupRun(context, isDry, async (run) => ({ changes: run.changes, failed: await setUp(run, asked) }))
    const planned = asking.ask === null ? null : await perform(true)
    const declined = planned !== null && !(await isAccepted(asking, client.label, planned.changes))
    const dryRun = input.dryRun || declined
    const { changes, failed } = planned !== null && declined ? planned : await perform(dryRun)
    if (dryRun && failed) context.notices.push(NOTICES.pluginNotInstallable(failed.problem))
    const problem = dryRun ? null : (failed?.problem ?? null)
    const quiet = dryRun ? { ...context, ask: null } : context
    const earlier = problem === null ? await readEarlier(context, dryRun ? ONLY_COUNT : AT_SET_UP) : null
    const documents = problem === null ? await offerImport(quiet) : null
    return {
      agent: client.agent,
      label: client.label,
      scope,
      dryRun,
      settings: here.path,
      changes,
      statusLine: sayLine(lines.shown.kind, wants, scope),
      declined,
      diff: input.diff,
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
  say: (answer, screen) => sayInit(answer, screen),
  failure: ({ label, plugin }) => {
    const reason = notInstalled(plugin, label)
    return reason && { exit: EXIT.unwritten, ...reason.toJSON() }
  },
})

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
