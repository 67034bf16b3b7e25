import { accessSync, constants, existsSync, type StatsFs, statfsSync, statSync } from 'node:fs'
import { describeError, errorCode } from '../../core/reason.ts'
import { FINDINGS } from '../context/findings.ts'
import type { ReportFinding } from './examine-plugin.ts'

/** Less than this does not hold the log of one write. */
const LITTLE_BYTES = 1024 * 1024
/** The numbers of tmpfs and of ramfs on Linux. */
const IN_MEMORY = new Set([0x01021994, 0x858458f6])

/** Whether the home can be written, and lasts. */
export function examineHome(home: string, say: ReportFinding): void {
  let disk: StatsFs
  try {
    accessSync(home, constants.W_OK)
    disk = statfsSync(home)
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    say('error', FINDINGS.homeNotWritable(home, describeError(error)))
    return
  }
  const free = disk.bavail * disk.bsize
  if (free < LITTLE_BYTES) say('error', FINDINGS.diskFull(home, free))
  const fate = impermanenceOf(disk.type, statSync(home).dev === statSync('/').dev)
  if (fate !== null) say('note', FINDINGS.homeImpermanent(home, fate))
}

/** Why what is on a file system will not last: it is in memory, or in the layer that goes with a container. */
export function impermanenceOf(
  type: number,
  isRoot: boolean,
  isContainer = existsSync('/.dockerenv') || existsSync('/run/.containerenv'),
): 'memory' | 'container' | null {
  if (IN_MEMORY.has(type)) return 'memory'
  return isContainer && isRoot ? 'container' : null
}
