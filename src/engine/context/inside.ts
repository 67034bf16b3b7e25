import { realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { errorCode, ReasonError } from '../../core/reason.ts'
import { locateOrRefuse } from './context.ts'

const MOST_CHARACTERS = 4_096

/** Refuses a path that leads out of the workspace around a folder, by its words or by a link on the way. */
export function requireInside(cwd: string, path: string): void {
  const { root } = locateOrRefuse(cwd)
  // A drive or a share of another system, and what a shell would replace.
  const isElsewhere = sep === '/' && /^(?:[A-Za-z]:|\\\\|~)/.test(path)
  if (isElsewhere || fromRoot(root, path) === null)
    throw new ReasonError('path_outside', { path: path.slice(0, 200) })
}

/** A path by its way from the root of the workspace; null where it leads elsewhere. */
export function fromRoot(root: string, path: string): string | null {
  // Longer than any system takes; and each part of what is not there would be looked at.
  if (path.length > MOST_CHARACTERS) return null
  const [top, there] = [real(root), real(resolve(root, path))]
  return isBelow(top, there) ? relative(top, there).split(sep).join('/') : null
}

/** Whether a path leads into a folder, by its words; the folder itself counts. */
export function isBelow(root: string, path: string): boolean {
  const way = relative(root, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** Where a path leads, as far as it is there. */
function real(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    const above = dirname(path)
    // What cannot be looked at leads nowhere that anybody could be shown.
    if (errorCode(error) === undefined) throw error
    return above === path ? path : join(real(above), path.slice(above.length))
  }
}
