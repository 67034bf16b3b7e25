import { accessSync, constants, existsSync, statfsSync } from 'node:fs'
import { claudeFolder } from '../../agents/claude/config-folder.ts'
import { HOOKS } from '../../agents/claude/hook-table.ts'
import { describe, errorCode } from '../../core/reason.ts'
import type { Context } from '../context/context.ts'
import type { Finding } from '../context/finding.ts'
import { hasPlugin, hindrances, type KnownPlace, readPlaces, settingsPlaces } from './claude-places.ts'
import { examineLauncher, type Say } from './examine-launcher.ts'
import { examinePlugin } from './examine-plugin.ts'
import { launcherIn, targetHere } from './launcher.ts'
import { readSetups } from './record.ts'
import { realPathOr, throwAway } from './throw-away.ts'

const AGAIN = 'savepoint init'
/** Transcripts that go sooner may be gone before a session is taken up again. */
const FEW_DAYS = 3
const SOME_DAYS = 14

/** Whether an agent is set up so that its sessions are really recorded. Says nothing where there is no agent. */
export async function examineSetup(context: Context, findings: Finding[]): Promise<void> {
  const { place, home, env } = context
  const places = readPlaces(settingsPlaces(place.root, env))
  const say = (level: Finding['level'], what: string, todo: string) =>
    findings.push({ level, what, todo, fixed: null })
  const hooked = new Set(places.flatMap(({ facts }) => facts?.hooked ?? []))
  for (const { path, problem } of places)
    if (problem !== null)
      say('warning', `${path} cannot be read: ${problem}`, 'Mend it: the client passes over the whole file.')
  if (hooked.size === 0 && !hasPlugin(places, 'project')) {
    if (readSetups(home.path)?.some(({ plugin, root }) => plugin && (root ?? place.root) === place.root))
      say('warning', 'The plugin is prepared, and Claude Code has not installed it.', `${AGAIN} --plugin`)
    else if (existsSync(claudeFolder(env)))
      say('note', 'Claude Code is not set up in this workspace.', `To record its sessions: ${AGAIN}`)
    return
  }
  for (const what of hindrances(places)) say('warning', what, 'Until then no session is recorded.')
  const missing = Object.keys(HOOKS).filter((event) => !hooked.has(event))
  if (missing.length > 0 && !hasPlugin(places, 'project'))
    say('warning', `Hooks are missing: ${missing.join(', ')}`, AGAIN)
  for (const path of new Set(places.flatMap(({ facts }) => facts?.launchers ?? [])))
    examineLauncher(path, launcherIn(home.path, targetHere()), say)
  examinePlugin(places, home.path, say)
  examineCleanup(places, say)
  examineHome(home.path, say)
}

/** The client deletes old transcripts; what is not read by then is lost. */
function examineCleanup(places: readonly KnownPlace[], say: Say): void {
  const saying = places.filter(({ facts }) => (facts?.cleanupPeriodDays ?? null) !== null)
  const place = saying.find(({ kind }) => kind === 'managed') ?? saying.at(-1)
  const days = place?.facts?.cleanupPeriodDays ?? SOME_DAYS
  if (days >= SOME_DAYS) return
  say(
    days < FEW_DAYS ? 'warning' : 'note',
    `Claude Code deletes transcripts after ${days} days ("cleanupPeriodDays" in ${place?.path}).`,
    'What was not saved by then is lost: set more days.',
  )
}

/** Less than this does not hold the log of one write. */
const LITTLE_BYTES = 1024 * 1024

function freeBytes(path: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return null
  }
}

function examineHome(home: string, say: Say): void {
  try {
    accessSync(home, constants.W_OK)
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    say(
      'error',
      `The home ${home} cannot be written: ${describe(error)}`,
      'Nothing is recorded. Set SAVEPOINT_HOME to a folder that can be written, and run savepoint init.',
    )
  }
  const free = freeBytes(home)
  if (free !== null && free < LITTLE_BYTES)
    say(
      'error',
      `There is hardly any space left on the file system of ${home}: ${Math.floor(free / 1024)} KB.`,
      'Make room: until then nothing can be recorded, and no fault can be written down.',
    )
  const fate = throwAway(realPathOr(home))
  if (fate === null) return
  const where = fate === 'memory' ? 'in memory: it is gone' : 'in the container: it goes with it'
  say(
    'note',
    `The home ${home} is ${where}${fate === 'memory' ? ' when the machine stops' : ''}.`,
    'Mount a folder there that stays, or set SAVEPOINT_HOME to one, and run savepoint init.',
  )
}
