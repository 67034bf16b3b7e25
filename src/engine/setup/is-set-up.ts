import { readPlaces } from './claude-places.ts'
import { readSetups } from './record.ts'

/** Whether sessions that start in this workspace are recorded, as far as `init` did it. */
export const isSetUpHere = (home: string, here: string): boolean =>
  (readSetups(home) ?? [])
    .filter(({ scope, workspace }) => scope === 'user' || workspace === here)
    .some(({ settings }) => hasOurs(settings))

/** A note is made before anything is done: whether it was done stands in the settings. */
function hasOurs(settings: string): boolean {
  const [{ facts } = { facts: null }] = readPlaces([{ kind: 'user', path: settings }])
  return facts !== null && (facts.plugin === true || facts.hooked.length > 0)
}
