import { existsSync } from 'node:fs'
import type { AgentSetUp } from '../../core/agent-setup.ts'
import type { Context } from '../context/context.ts'
import { FINDINGS, type Finding } from '../context/findings.ts'
import { examineHome } from './examine-home.ts'
import { examineLauncher, examinePlugin, type ReportFinding } from './examine-plugin.ts'
import { readSetups } from './journal.ts'
import { launcherIn } from './launcher.ts'
import { hasPlugin, hookHindrances, type KnownPlace, placesHere } from './settings-places.ts'

/** Transcripts that go sooner may be gone before a session is taken up again. */
const FEW_DAYS = 3
const SOME_DAYS = 14

/** Whether an agent is set up so that its sessions are really recorded. Says nothing where there is no agent. */
export async function examineSetup(context: Context, findings: Finding[]): Promise<void> {
  const say: ReportFinding = (level, words) => void findings.push({ level, ...words, fixed: null })
  let isAny = false
  for (const agent of context.agents) isAny = examineClient(context, await agent.setUp(), say) || isAny
  if (isAny) examineHome(context.home.path, say)
}

/** Whether one agent is set up here, and what is wrong with that. */
function examineClient({ place, home, env }: Context, client: AgentSetUp, say: ReportFinding): boolean {
  const places = placesHere(client, place.root, env)
  const hooked = new Set(places.flatMap(({ facts }) => facts?.hooked ?? []))
  for (const { path, problem } of places)
    if (problem !== null) say('warning', FINDINGS.settingsUnreadable(path, problem))
  if (hooked.size === 0 && !hasPlugin(places, 'project')) {
    if (hasPreparedPlugin(home.path, client.agent, place.root))
      say('warning', FINDINGS.pluginPrepared(client.label))
    else if (existsSync(client.folder(env))) say('note', FINDINGS.agentNotSetUp(client.label))
    return false
  }
  for (const hindrance of hookHindrances(client, places)) say('warning', FINDINGS.hooksHindered(hindrance))
  const missing = client.events.filter((event) => !hooked.has(event))
  if (missing.length > 0 && !hasPlugin(places, 'project')) say('warning', FINDINGS.hooksMissing(missing))
  for (const path of new Set(places.flatMap(({ facts }) => facts?.launchers ?? [])))
    examineLauncher('hooks', path, launcherIn(home.path), say)
  examinePlugin(client, places, home.path, say)
  examineCleanup(client, places, say)
  return true
}

const hasPreparedPlugin = (home: string, name: string, here: string) =>
  readSetups(home).some(({ agent, plugin, root }) => agent === name && plugin && (root ?? here) === here)

/** The client deletes old transcripts; what is not read by then is lost. */
function examineCleanup({ label }: AgentSetUp, places: readonly KnownPlace[], say: ReportFinding): void {
  const saying = places.flatMap(({ kind, path, facts }) =>
    facts?.deletesTranscripts ? [{ kind, path, ...facts.deletesTranscripts }] : [],
  )
  const place = saying.find(({ kind }) => kind === 'managed') ?? saying.at(-1)
  if (place === undefined || place.days >= SOME_DAYS) return
  const { days, setting, path } = place
  say(days < FEW_DAYS ? 'warning' : 'note', FINDINGS.transcriptsDeletedEarly(label, days, setting, path))
}
