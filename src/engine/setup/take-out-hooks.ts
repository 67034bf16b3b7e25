import { existsSync } from 'node:fs'
import { isMalformed, readFacts } from '../../agents/claude/settings.ts'
import type { Context } from '../context/context.ts'
import type { Change } from './change.ts'
import { hasPlugin, readPlaces, settingsPlaces } from './claude-places.ts'
import { readSetups } from './record.ts'
import { readSettingsFile } from './settings-file.ts'
import { takeOut } from './take-out.ts'

/**
 * Once the plugin is there for all projects, hooks that were put into single ones would be run besides it. A file
 * with our status line is left to its user: another command would lose that line.
 */
export async function takeOutHooks(context: Context): Promise<Change[]> {
  const changes: Change[] = []
  for (const { scope, settings, root, plugin } of readSetups(context.home.path) ?? []) {
    if (scope === 'user' || root === null || plugin || !existsSync(settings)) continue
    const facts = readFacts(readSettingsFile(settings, root).text)
    if (isMalformed(facts) || facts.hooked.length === 0) continue
    // Its repository may have switched the plugin off.
    if (!hasPlugin(readPlaces(settingsPlaces(root, context.env)), 'project')) continue
    if (facts.statusLine.kind === 'ours')
      context.notices.push(`${settings} has hooks besides the plugin: run savepoint init in ${root}.`)
    else changes.push(...(await takeOut(context, { scope, path: settings, root })))
  }
  return changes
}
