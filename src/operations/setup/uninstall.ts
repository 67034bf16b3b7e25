import { existsSync } from 'node:fs'
import { AGENTS } from '../../core/session.ts'
import type { Context } from '../context.ts'
import { operation } from '../operation.ts'
import { type Change, sayChanges } from './change.ts'
import { settingsPath } from './claude-places.ts'
import { launcherIn, targetHere } from './launcher.ts'
import { removePrivate } from './private-json.ts'
import { readSetups, writeSetups } from './record.ts'
import { setupLock } from './setup-lock.ts'
import { type Place, planTakeOut, removeEmpty, takeOut, tidyings } from './take-out.ts'

/** The settings files that are meant: those of this workspace and of the user, or all that are noted. */
function placesOf({ place, home, env }: Context, scope: 'project' | 'user' | 'all' | undefined): Place[] {
  const project = {
    scope: 'project',
    path: settingsPath('project', place.root, env),
    root: place.root,
  } as const
  const user = { scope: 'user', path: settingsPath('user', place.root, env), root: null } as const
  if (scope === 'project') return [project]
  if (scope === 'user') return [user]
  if (scope === undefined) return [project, user]
  const noted = (readSetups(home.path) ?? [])
    .map(({ scope: of, settings, root }) => ({ scope: of, path: settings, root }))
    .filter(({ path, root }) => existsSync(root ?? path) && path !== project.path && path !== user.path)
  return [project, user, ...noted]
}

/** The launcher, once nothing that is noted needs it. Where nothing was ever noted, somebody may still name it. */
function dropLauncher({ home }: Context, { dryRun }: { dryRun: boolean }): Change[] {
  const launcher = launcherIn(home.path, targetHere())
  if (!existsSync(launcher.path)) return []
  if (!dryRun) {
    removePrivate(launcher.folder, launcher.name)
    removeEmpty(launcher.folder)
  }
  return [{ path: launcher.path, what: 'removed', about: 'nothing is set up any more', diff: null }]
}

export const uninstall = operation({
  name: 'uninstall',
  summary: 'Take out what init put into the settings of an agent',
  detail:
    'Without --scope: out of the settings of this workspace, and out of your own; --scope all also out of every other workspace that was set up. A settings file that nobody has edited since gets back the bytes that it had; out of others exactly our entries are taken. Saved work stays, and so does the trust in this workspace.',
  fields: {
    agent: { kind: 'choice', choices: AGENTS, value: 'NAME', about: 'claude' },
    scope: {
      kind: 'choice',
      choices: ['project', 'user', 'all'],
      value: 'SCOPE',
      about: 'project, user or all',
    },
    dryRun: { kind: 'flag', about: 'show what would be taken out, and write nothing' },
  },
  examples: ['savepoint uninstall', 'savepoint uninstall --dry-run', 'savepoint uninstall --scope all'],
  access: ({ dryRun }) => (dryRun ? 'read' : 'write'),
  async perform(context, { scope, dryRun }) {
    const { home } = context
    const places = placesOf(context, scope)
    // Before anything is done: a file that cannot be read leaves all as it is.
    const plans = places.map((place) => planTakeOut(context, place))
    const noted = readSetups(home.path)
    const meant = new Set(plans.map(({ file }) => file.target))
    const left = (noted ?? []).filter(({ settings }) => !meant.has(settings) && existsSync(settings))
    const isLast = noted !== null && left.length === 0
    const changes = dryRun
      ? plans.flatMap(({ change, setup, bytes }) => [
          ...(change ? [change] : []),
          ...(setup ? tidyings(context, setup, bytes === null) : []),
        ])
      : await setupLock(context, () => allOf(context, places))
    if (isLast) changes.push(...dropLauncher(context, { dryRun }))
    return {
      agent: 'claude',
      dry_run: dryRun,
      changes,
      left: left.map(({ settings }) => settings),
      home: home.path,
    }
  },
  say: ({ dry_run, changes, left, home }, { columns }) =>
    [
      changes.length === 0
        ? 'Nothing of Savepoint is in these settings.'
        : dry_run
          ? 'To be taken out; nothing was written:'
          : 'Taken out:',
      ...(changes.length > 0 ? [sayChanges(changes, columns, { diffs: dry_run })] : []),
      ...(left.length > 0 ? [`Still set up (savepoint uninstall --scope all): ${left.join(', ')}`] : []),
      `Your saved work stays, in ${home}.`,
    ].join('\n'),
})

async function allOf(context: Context, places: readonly Place[]): Promise<Change[]> {
  const changes: Change[] = []
  for (const place of places) changes.push(...(await takeOut(context, place)))
  // A workspace that was removed took its settings with it.
  const { home, ports } = context
  const noted = readSetups(home.path)
  if (noted)
    writeSetups(
      home.path,
      noted.filter(({ settings }) => existsSync(settings)),
      ports,
    )
  return changes
}
