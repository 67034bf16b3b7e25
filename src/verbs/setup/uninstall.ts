import { AGENTS, agentNames } from '../../agents/table.ts'
import { EXIT, ReasonError } from '../../core/reason.ts'
import type { FailedCommands } from '../../engine/setup/client-program.ts'
import { inSetupRun } from '../../engine/setup/setup-run.ts'
import { takeOutAgents } from '../../engine/setup/take-out.ts'
import { defineVerb } from '../define/verb.ts'
import { sayChanges } from './say-init.ts'

export const uninstall = defineVerb({
  name: 'uninstall',
  summary: "Remove what init added to your agent's settings",
  detail:
    "Without --scope it cleans this workspace's settings and your own; --scope all also every other workspace that was set up. A file that is otherwise unchanged is restored byte for byte; in others only Savepoint's entries are removed. Plugins are removed by the agent itself. Saved work and trust are kept.",
  fields: {
    agent: { kind: 'choice', choices: agentNames(AGENTS), value: 'NAME', about: 'the agent' },
    scope: { kind: 'choice', choices: ['project', 'user', 'all'], value: 'SCOPE', about: 'which settings' },
    dryRun: { kind: 'flag', about: 'show what would be removed' },
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
      ...(changes.length > 0
        ? [
            dryRun ? 'Would remove:' : 'Removed:',
            sayChanges(changes, screen, { isDry: dryRun, hasDiffs: diff }),
          ]
        : []),
      ...(changes.length === 0 && plugin === null ? ['Nothing to remove.'] : []),
      ...(plugin ? [plugin.message, plugin.hint] : []),
      ...(left.length > 0 && !plugin
        ? [`Still set up: ${left.join(', ')} (savepoint uninstall --scope all)`]
        : []),
      `Your saved work stays in ${home}`,
    ].join('\n'),
  failure: ({ plugin }) =>
    plugin && { exit: EXIT.unwritten, reason: plugin.reason, message: plugin.message, hint: plugin.hint },
})

const reasonOf = (stuck: readonly FailedCommands[]) =>
  new ReasonError('plugin_not_removed', {
    label: [...new Set(stuck.map(({ label }) => label))].join(', '),
    problem: [...new Set(stuck.map(({ problem }) => problem))].join('; '),
    typed: [...new Set(stuck.flatMap(({ typed }) => typed))].join(', '),
  })
