import { join } from 'node:path'
import { errorCode, ReasonError } from '../core/reason.ts'
import { readPlainFile } from '../fs/disk.ts'
import type { Place } from './locate.ts'

const MAX_CONFIG = 1024 * 1024

/** Sections whose every key names a program, or another file of settings. */
const SECTIONS = [
  ...['alias', 'browser', 'credential', 'difftool', 'filter', 'guitool', 'hook', 'include', 'includeif'],
  ...['instaweb', 'man', 'mergetool', 'pager', 'sendemail', 'sequence', 'trailer', 'web'],
]

/** Keys of any section that name a program, or let git fetch objects when it only reads. */
const KEYS = [
  ...['alternaterefscommand', 'askpass', 'clean', 'cmd', 'command', 'defaultkeycommand', 'difffilter'],
  ...['driver', 'editor', 'external', 'fsmonitor', 'gitproxy', 'helper', 'hookspath', 'packobjectshook'],
  ...['pager', 'partialclone', 'partialclonefilter', 'process', 'program', 'promisor', 'receivepack'],
  ...['smudge', 'sshcommand', 'templatedir', 'textconv', 'uploadpack', 'vcs'],
]

/**
 * The text is searched, not parsed: a comment or a value that looks like one of these counts as well. Values
 * that are commands by their form (`!…`, `ext::…`) count under any key.
 */
const SUSPECT = [
  new RegExp(String.raw`\[\s*(?:${SECTIONS.join('|')})[\s.\]"]`, 'i'),
  new RegExp(String.raw`(?:^|\])\s*(?:${KEYS.join('|')})(?![a-z0-9-])`, 'im'),
  /=\s*"*!/,
  /ext::/i,
]

/**
 * Whether the repository's own settings could make git run a program, take in other settings or reach the
 * network. Reads files only. Settings that cannot be read count as such; missing ones do not.
 */
export function runsPrograms({ git }: Place): boolean {
  if (git === null) return false
  return [join(git.common, 'config'), join(git.folder, 'config.worktree')].some(isSuspect)
}

function isSuspect(path: string): boolean {
  try {
    const text = readPlainFile(path, MAX_CONFIG)?.toString('latin1') ?? ''
    return SUSPECT.some((pattern) => pattern.test(text))
  } catch (error) {
    if (error instanceof ReasonError || errorCode(error) !== undefined) return true
    throw error
  }
}
