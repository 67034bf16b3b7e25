import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readPlainFile } from '../../fs/disk.ts'
import type { Finding } from '../context/finding.ts'
import { isProgram } from './find-program.ts'
import { type Script, type Target, targetHere, targetIn } from './launcher.ts'

const MAX_BYTES = 64 * 1024

export type ReportFinding = (level: Finding['level'], what: string, todo: string) => void

/** The launcher that somebody names: there, of this home, and with all that it starts. */
export function examineLauncher(
  path: string,
  mine: Script,
  say: ReportFinding,
  { who = 'Hooks start', todo = 'savepoint init' } = {},
): void {
  if (path !== mine.path)
    say('warning', `${who} ${path}, which belongs to another home than ${dirname(mine.folder)}.`, todo)
  const text = readPlainFile(path, MAX_BYTES)?.toString('utf8')
  const target = text === undefined ? null : targetIn(text)
  if (text === undefined) say('error', `${who} ${path}, which is not there.`, todo)
  else if (process.platform !== 'win32' && !isProgram(path))
    say('error', `${who} ${path}, which may not be run.`, todo)
  else if (target === null) say('warning', `${path} was not written by savepoint init.`, todo)
  if (target !== null) examineTarget(path, target, say, todo)
}

function examineTarget(path: string, { node, bundle }: Target, say: ReportFinding, todo: string): void {
  if (!isProgram(node))
    say('warning', `${path} starts ${node}, which is not there: it takes the node on PATH.`, todo)
  const [theirs, mine] = [versionAt(bundle), versionAt(targetHere().bundle)]
  if (!existsSync(bundle))
    say(
      'error',
      `${path} starts ${bundle}, which is not there: ${/hook/.test(path) ? 'no hook does anything' : 'no tool is there'}.`,
      todo,
    )
  else if (theirs !== mine)
    say('warning', `Hooks run Savepoint ${theirs ?? 'of an unknown version'}, this is ${mine}.`, todo)
}

/** The version of the package that a bundle belongs to; null where that cannot be told. */
function versionAt(bundle: string): string | null {
  const file = join(dirname(dirname(bundle)), 'package.json')
  try {
    const read: unknown = JSON.parse(readPlainFile(file, MAX_BYTES)?.toString('utf8') ?? 'null')
    const isNamed = typeof read === 'object' && read !== null && 'version' in read
    return isNamed && typeof read.version === 'string' ? read.version : null
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return null
  }
}
