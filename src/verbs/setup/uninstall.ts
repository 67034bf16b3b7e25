import { AGENTS, agentNames } from '../../agents/table.ts'
import { EXIT, ReasonError } from '../../core/reason.ts'
import { inSetupRun } from '../../engine/setup/setup-run.ts'
import { type ManualStep, takeOutAgents } from '../../engine/setup/take-out.ts'
import { defineVerb } from '../define/verb.ts'
import { sayChanges } from './say-changes.ts'

export const uninstall = defineVerb({
  name: 'uninstall',
  summary: 'Take out what init put into the settings of an agent',
  detail:
    'Without --scope: out of the settings of this workspace, and out of your own; --scope all also out of every other workspace that was set up. A settings file that says no more than before `init` gets back the bytes that it had; out of others exactly our entries are taken. Plugins are taken out by the client itself. Saved work stays, and so does the trust in this workspace.',
  fields: {
    agent: {
      kind: 'choice',
      choices: agentNames(AGENTS),
      value: 'NAME',
      about: agentNames(AGENTS).join(' or '),
    },
    scope: {
      kind: 'choice',
      choices: ['project', 'user', 'all'],
      value: 'SCOPE',
      about: 'project, user or all',
    },
    dryRun: { kind: 'flag', about: 'show what would be taken out, and write nothing' },
    diff: { kind: 'flag', about: 'also show each change line by line' },
  },
  examples: ['savepoint uninstall', 'savepoint uninstall --dry-run', 'savepoint uninstall --scope all'],
  access: ({ dryRun }) => (dryRun ? 'read' : 'write'),
  async perform(context, { agent, scope, dryRun, diff }) {
    const meant = context.agents.filter(({ name }) => agent === undefined || agent === name)
    const clients = await Promise.all(meant.map((one) => one.setUp()))
    return await inSetupRun(context, dryRun, async (run) => {
      const { stuck, left } = await takeOutAgents(run, clients, scope)
      return {
        agent: agentNames(meant).join(', '),
        ...{ dryRun, diff },
        changes: run.changes,
        left,
        plugin: stuck.length === 0 ? null : reasonOf(stuck).toJSON(),
        home: context.home.path,
      }
    })
  },
  say: ({ dryRun, diff, changes, left, plugin, home }, screen) =>
    [
      ...(changes.length === 0
        ? plugin === null
          ? ['Nothing to remove.']
          : []
        : [dryRun ? 'Would remove:' : 'Removed:']),
      ...(changes.length > 0 ? [sayChanges(changes, screen, { isDry: dryRun, hasDiffs: diff })] : []),
      ...(plugin ? [plugin.message, plugin.hint] : []),
      ...(left.length > 0 && !plugin
        ? [`Still set up: ${left.join(', ')} (savepoint uninstall --scope all)`]
        : []),
      `Your saved work stays in ${home}`,
    ].join('\n'),
  failure: ({ plugin }) =>
    plugin && { exit: EXIT.unwritten, reason: plugin.reason, message: plugin.message, hint: plugin.hint },
})

const reasonOf = (stuck: readonly ManualStep[]) =>
  new ReasonError('plugin_not_removed', {
    label: [...new Set(stuck.map(({ label }) => label))].join(', '),
    problem: [...new Set(stuck.map(({ problem }) => problem))].join('; '),
    typed: [...new Set(stuck.flatMap(({ typed }) => typed))].join(', '),
  })
