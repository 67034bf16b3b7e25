import type { Artifact } from '../core/work.ts'
import type { Harvest } from './harvest-state.ts'

const slashes = (path: string) => (/^[A-Za-z]:\\|^\\\\/.test(path) ? path.replaceAll('\\', '/') : path)

/** A file as the workspace names it; null where it is outside. */
function inside(path: string, root: string): string | null {
  const [file, top] = [slashes(path), slashes(root).replace(/\/+$/, '')]
  const isAbsolute = file.startsWith('/') || /^[A-Za-z]:\//.test(file)
  const within = isAbsolute ? (file.startsWith(`${top}/`) ? file.slice(top.length + 1) : null) : file
  const parts = (within ?? '..').split('/').filter((part) => part !== '' && part !== '.')
  return parts.length === 0 || parts.includes('..') ? null : parts.join('/')
}

/** The files of the workspace that were changed, the newest last, and how many others were. */
export function artifactsOf(
  { files, summary }: Harvest,
  root: string,
): { artifacts: Artifact[]; outside: number } {
  const found = new Map<string, Artifact>()
  let outside = 0
  const told = (summary?.files ?? []).map((path) => ({ path, action: 'mentioned' }))
  for (const { path, action } of [...told, ...files]) {
    const name = inside(path, root)
    if (name === null) {
      outside += action === 'mentioned' ? 0 : 1
      continue
    }
    // One file may be named in two ways; where it was made stays told.
    const made = action === 'modified' && found.get(name)?.action === 'created'
    found.delete(name)
    found.set(name, { path: name, action: made ? 'created' : action, description: '' })
  }
  return { artifacts: [...found.values()].slice(-100), outside }
}

/** A text with the workspace's own paths made short. */
export const placed = (text: string, root: string) =>
  root.length < 2 ? text : text.replaceAll(`${root.replace(/\/+$/, '')}/`, '')
