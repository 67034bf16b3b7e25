import { existsSync } from 'node:fs'
import { isMalformed, readFacts } from '../../agents/claude/settings.ts'
import { ReasonError } from '../../core/reason.ts'
import { AGENTS } from '../../core/session.ts'
import type { Context } from '../context.ts'
import { operation } from '../operation.ts'
import { sayChanges } from './change.ts'
import {
  claudeFolder,
  hasClaude,
  hasPlugin,
  hindrances,
  type KnownPlace,
  readPlaces,
  type Scope,
  settingsPath,
  settingsPlaces,
} from './claude-places.ts'
import { launcherIn, type Target, targetHere } from './launcher.ts'
import { type Asked, foresee, setUp } from './set-up.ts'
import { readSettingsFile } from './settings-file.ts'
import { setupLock } from './setup-lock.ts'
import { linesOf, planLine, sayLine, wantsLine } from './statusline-plan.ts'

/** What the user should know, though nothing is wrong with the command. */
function warn({ notices }: Context, places: readonly KnownPlace[], path: string, { bundle }: Target): void {
  notices.push(...hindrances(places))
  for (const place of places)
    if (place.problem !== null && place.path !== path)
      notices.push(`${place.path} cannot be read, and the client will not read it either: ${place.problem}`)
  if (hasPlugin(places))
    notices.push('The plugin of Savepoint is switched on: it has the hooks, and they are not put in twice.')
  if (!existsSync(bundle))
    notices.push(`${bundle} is not there: no hook does anything until Savepoint is installed again.`)
  else if (/[\\/]_npx[\\/]/.test(bundle))
    notices.push(
      'Savepoint runs from a cache that npx empties: install it with `npm install -g savepoint`, and run init again.',
    )
}

export const init = operation({
  name: 'init',
  summary: 'Set up an agent, so that its sessions are recorded and briefed',
  detail:
    'Puts hooks into the settings of Claude Code: with --scope project (the default) into .claude/settings.local.json, which is not committed, and trusts this workspace; with --scope user into your own settings, for all projects. All else in the file stays as it is, and a copy of it is kept. `uninstall` takes out exactly what was put in. Claude Code runs hooks only in folders that you have trusted there.',
  fields: {
    agent: {
      kind: 'choice',
      choices: AGENTS,
      value: 'NAME',
      about: 'claude; set up also where it is not found',
    },
    scope: { kind: 'choice', choices: ['project', 'user'], value: 'SCOPE', about: 'project or user' },
    dryRun: { kind: 'flag', about: 'show what would be written, and write nothing' },
    statusline: {
      kind: 'flag',
      about: 'show context and last save in the status line, after one that is there',
    },
    withoutStatusline: { kind: 'flag', about: 'leave the status line alone, and do not ask' },
  },
  examples: [
    'savepoint init',
    'savepoint init --dry-run',
    'savepoint init --statusline',
    'savepoint init --scope user --agent claude',
  ],
  access: ({ dryRun }) => (dryRun ? 'read' : 'write'),
  async perform(context, { agent, scope: named, dryRun, statusline, withoutStatusline }) {
    const { env } = context
    const scope: Scope = named ?? 'project'
    const { place, home } = context
    if (statusline && withoutStatusline)
      throw new ReasonError('usage_invalid', {
        problem: '--statusline and --without-statusline exclude each other',
      })
    if (agent === undefined && !hasClaude(env))
      throw new ReasonError('agent_unknown', { path: claudeFolder(env) })
    const target = targetHere()
    const places = readPlaces(settingsPlaces(place.root, env))
    const path = settingsPath(scope, place.root, env)
    const facts = readFacts(readSettingsFile(path, scope === 'project' ? place.root : null).text)
    if (isMalformed(facts)) throw new ReasonError('settings_malformed', { path, ...facts })
    const lines = linesOf(facts.statusLine, places, scope)
    const said = statusline ? true : withoutStatusline ? false : null
    const wants = dryRun ? said : await wantsLine(context, lines, said)
    const launcher = launcherIn(home.path, target)
    const asked: Asked = { scope, path, places, launcher, wantsLine: wants === true }
    warn(context, places, path, target)
    const changes = dryRun
      ? await foresee(context, asked)
      : await setupLock(context, () => setUp(context, asked))
    return {
      agent: 'claude',
      scope,
      dry_run: dryRun,
      settings: path,
      changes,
      status_line: sayLine(lines, wants, planLine(lines, wants === true, launcher, ''), scope),
    }
  },
  say: ({ scope, dry_run, changes, status_line }, { columns }) => {
    const where = scope === 'user' ? 'for all projects' : 'in this workspace'
    const head =
      changes.length === 0
        ? `Claude Code is set up ${where} already: nothing ${dry_run ? 'would change' : 'was changed'}.`
        : dry_run
          ? `To set up Claude Code ${where}; nothing was written:`
          : `Claude Code is set up ${where}:`
    return [
      head,
      ...(changes.length > 0 ? [sayChanges(changes, columns, { diffs: dry_run })] : []),
      ...(status_line === null ? [] : [status_line]),
      ...(dry_run
        ? []
        : [
            'Sessions that start from now on are recorded. Whether it works: savepoint doctor. To take it out: savepoint uninstall',
          ]),
      ...(scope === 'user' && !dry_run
        ? ['Trust is given to each workspace by itself: savepoint trust']
        : []),
    ].join('\n')
  },
})
