import type { Context } from '../context/context.ts'
import { readPrivateJson, writePrivateJson } from '../context/private-json.ts'

const FILE = 'passed-over.json'
const MOST = { ids: 2_000, roots: 40 }

/**
 * The transcripts that were looked at and hold no session of a workspace, by their ids: one of another folder, one in
 * which nothing was said, one that cannot be read. Where the file is lost they are looked at once more.
 */
export const readPassedOver = ({ home, place }: Context): Set<string> =>
  new Set(readRoots(home.path).get(place.root) ?? [])

/** Remembers some more of them. */
export function rememberPassedOver({ home, place, ports }: Context, ids: readonly string[]): void {
  const roots = readRoots(home.path)
  const all = [...new Set([...(roots.get(place.root) ?? []), ...ids])].slice(-MOST.ids)
  // The newest last, so that a root which is long out of use goes first.
  roots.delete(place.root)
  roots.set(place.root, all)
  const kept = Object.fromEntries([...roots].slice(-MOST.roots))
  writePrivateJson(home.path, FILE, { version: 1, roots: kept }, ports)
}

function readRoots(home: string): Map<string, string[]> {
  const found = readPrivateJson(home, FILE)
  const roots = typeof found === 'object' && found !== null && 'roots' in found ? found.roots : null
  const lists = typeof roots === 'object' && roots !== null ? Object.entries(roots) : []
  return new Map(
    lists.map(([root, ids]: [string, unknown]) => [
      root,
      Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [],
    ]),
  )
}
