import { agentNamed } from '../../agents/table.ts'
import type { Context } from '../context/context.ts'
import { readSetups, type Setup } from './journal.ts'
import { readPlaces } from './settings-places.ts'

/** Whether sessions that start in this workspace are recorded, as far as `init` did it. */
export async function isSetUpHere(context: Context): Promise<boolean> {
  const here = context.identity.workspace
  for (const setup of readSetups(context.home.path))
    if ((setup.scope === 'user' || setup.workspace === here) && (await hasOurs(context, setup))) return true
  return false
}

/** A note is made before anything is done: whether it was done stands in the settings. */
async function hasOurs({ agents }: Context, { agent, settings }: Setup): Promise<boolean> {
  const client = await agentNamed(agents, agent)?.setUp()
  const [place] = client ? readPlaces(client, [{ kind: 'user', path: settings }]) : []
  return place?.facts != null && (place.facts.plugin === true || place.facts.hooked.length > 0)
}
