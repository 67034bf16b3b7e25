import { existsSync } from 'node:fs'
import { type AgentSetUp, isMalformed } from '../../core/agent-setup.ts'
import type { Context } from '../context/context.ts'
import type { SetupChange } from './change.ts'
import { readSetups } from './record.ts'
import { readSettingsFile } from './settings-file.ts'
import { hasPlugin, placesHere } from './settings-places.ts'
import { takeOut } from './take-out.ts'

/**
 * Once the plugin is there for all projects, hooks that were put into single ones would be run besides it. A file
 * with our status line is left to its user: another command would lose that line.
 */
export async function takeOutHooks(context: Context, client: AgentSetUp): Promise<SetupChange[]> {
  const changes: SetupChange[] = []
  for (const { agent, scope, settings, root, plugin } of readSetups(context.home.path) ?? []) {
    if (agent !== client.agent || scope === 'user' || root === null || plugin || !existsSync(settings))
      continue
    const facts = client.settings.read(readSettingsFile(settings, root).text)
    if (isMalformed(facts) || facts.hooked.length === 0) continue
    // Its repository may have switched the plugin off.
    if (!hasPlugin(placesHere(client, root, context.env), 'project')) continue
    if (facts.statusLine.kind === 'ours')
      context.notices.push(`${settings} has hooks besides the plugin: run savepoint init in ${root}.`)
    else changes.push(...(await takeOut(context, { client, scope, path: settings, root })))
  }
  return changes
}
