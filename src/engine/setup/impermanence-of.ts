import { existsSync, realpathSync } from 'node:fs'
import { readPlainFile } from '../../fs/disk.ts'

const MAX_MOUNTS = 1024 * 1024
const IN_MEMORY = new Set(['tmpfs', 'ramfs'])

/** Why what is written below a path will not last: it is in memory, or in the layer that goes with a container. */
export function impermanenceOf(
  path: string,
  { mounts = readMounts(), isContainer = inContainer() } = {},
): 'memory' | 'container' | null {
  const mount = mounts
    .filter(({ point }) => point === '/' || path === point || path.startsWith(`${point}/`))
    .reduce<Mount | null>((best, next) => (best && best.point.length > next.point.length ? best : next), null)
  if (mount === null) return null
  if (IN_MEMORY.has(mount.type)) return 'memory'
  return isContainer && mount.point === '/' ? 'container' : null
}

interface Mount {
  point: string
  type: string
}

const inContainer = () => ['/.dockerenv', '/run/.containerenv'].some((path) => existsSync(path))

/** Linux tells where what is mounted; elsewhere nothing is known. */
function readMounts(): Mount[] {
  return mountsIn(readPlainFile('/proc/self/mountinfo', MAX_MOUNTS)?.toString('utf8') ?? '')
}

/** The fifth field is the place, with spaces written as octal numbers; the kind comes after a lonely dash. */
export const mountsIn = (text: string): Mount[] =>
  text.split('\n').flatMap((line) => {
    const [front = '', back = ''] = line.split(' - ')
    const point = front
      .split(' ')[4]
      ?.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
    const [type] = back.split(' ')
    return point && type ? [{ point, type }] : []
  })

/** The real path of something that is there; the path itself where it is not. */
export const realPathOr = (path: string) => (existsSync(path) ? realpathSync(path) : path)
