import { accessSync, constants, existsSync, statfsSync } from 'node:fs'
import type { AgentSetUp } from '../../core/agent-setup.ts'
import { describeError, errorCode } from '../../core/reason.ts'
import type { Context } from '../context/context.ts'
import type { Finding } from '../context/finding.ts'
import { examineLauncher, type ReportFinding } from './examine-launcher.ts'
import { examinePlugin } from './examine-plugin.ts'
import { impermanenceOf, realPathOr } from './impermanence-of.ts'
import { launcherIn, targetHere } from './launcher.ts'
import { readSetups } from './record.ts'
import { hasPlugin, hookHindrances, type KnownPlace, placesHere } from './settings-places.ts'

const AGAIN = 'savepoint init'
/** Transcripts that go sooner may be gone before a session is taken up again. */
const FEW_DAYS = 3
const SOME_DAYS = 14

/** Whether an agent is set up so that its sessions are really recorded. Says nothing where there is no agent. */
export async function examineSetup(context: Context, findings: Finding[]): Promise<void> {
  const say = (level: Finding['level'], what: string, todo: string) =>
    void findings.push({ level, what, todo, fixed: null })
  let isAny = false
  for (const agent of context.agents) isAny = examineClient(context, await agent.setUp(), say) || isAny
  if (isAny) examineHome(context.home.path, say)
}

/** Whether one agent is set up here, and what is wrong with that. */
function examineClient({ place, home, env }: Context, client: AgentSetUp, say: ReportFinding): boolean {
  const places = placesHere(client, place.root, env)
  const hooked = new Set(places.flatMap(({ facts }) => facts?.hooked ?? []))
  for (const { path, problem } of places)
    if (problem !== null)
      say('warning', `${path} cannot be read: ${problem}`, 'Mend it: the client passes over the whole file.')
  if (hooked.size === 0 && !hasPlugin(places, 'project')) {
    if (hasPreparedPlugin(home.path, client.agent, place.root))
      say('warning', `The plugin is prepared, and ${client.label} has not installed it.`, `${AGAIN} --plugin`)
    else if (existsSync(client.folder(env)))
      say('note', `${client.label} is not set up in this workspace.`, `To record its sessions: ${AGAIN}`)
    return false
  }
  for (const what of hookHindrances(client, places))
    say('warning', what, 'Until then no session is recorded.')
  const missing = client.events.filter((event) => !hooked.has(event))
  if (missing.length > 0 && !hasPlugin(places, 'project'))
    say('warning', `Hooks are missing: ${missing.join(', ')}`, AGAIN)
  for (const path of new Set(places.flatMap(({ facts }) => facts?.launchers ?? [])))
    examineLauncher(path, launcherIn(home.path, targetHere()), say)
  examinePlugin(client, places, home.path, say)
  examineCleanup(client, places, say)
  return true
}

const hasPreparedPlugin = (home: string, name: string, here: string) =>
  readSetups(home)?.some(({ agent, plugin, root }) => agent === name && plugin && (root ?? here) === here)

/** The client deletes old transcripts; what is not read by then is lost. */
function examineCleanup({ label }: AgentSetUp, places: readonly KnownPlace[], say: ReportFinding): void {
  const saying = places.flatMap(({ kind, path, facts }) =>
    facts?.deletesTranscripts ? [{ kind, path, ...facts.deletesTranscripts }] : [],
  )
  const place = saying.find(({ kind }) => kind === 'managed') ?? saying.at(-1)
  if (place === undefined || place.days >= SOME_DAYS) return
  say(
    place.days < FEW_DAYS ? 'warning' : 'note',
    `${label} deletes transcripts after ${place.days} days ("${place.setting}" in ${place.path}).`,
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

function examineHome(home: string, say: ReportFinding): void {
  try {
    accessSync(home, constants.W_OK)
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    say(
      'error',
      `The home ${home} cannot be written: ${describeError(error)}`,
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
  const fate = impermanenceOf(realPathOr(home))
  if (fate === null) return
  const where = fate === 'memory' ? 'in memory: it is gone' : 'in the container: it goes with it'
  say(
    'note',
    `The home ${home} is ${where}${fate === 'memory' ? ' when the machine stops' : ''}.`,
    'Mount a folder there that stays, or set SAVEPOINT_HOME to one, and run savepoint init.',
  )
}
