import { join } from 'node:path'
import { unlessRefused } from '../core/reason.ts'
import { normaliseRemote } from '../core/remote.ts'
import { readPlainFile } from '../fs/disk.ts'
import type { Place } from './locate.ts'

const MAX_CONFIG = 1024 * 1024

/** Sections whose every key names a program. */
const SECTIONS = [
  ...['alias', 'browser', 'credential', 'difftool', 'filter', 'guitool', 'hook', 'instaweb', 'man'],
  ...['mergetool', 'pager', 'sendemail', 'sequence', 'trailer', 'web'],
]

/** Keys of any section that name a program. */
const KEYS = [
  ...['alternaterefscommand', 'askpass', 'clean', 'cmd', 'command', 'defaultkeycommand', 'difffilter'],
  ...['driver', 'editor', 'external', 'fsmonitor', 'gitproxy', 'helper', 'hookspath', 'packobjectshook'],
  ...['pager', 'process', 'program', 'receivepack', 'smudge', 'sshcommand', 'templatedir', 'textconv'],
  ...['uploadpack', 'vcs'],
]

/** Sections that take in other settings, and keys that let git fetch objects when it only reads. */
const INCLUDES = ['include', 'includeif']
const FETCHES = ['partialclone', 'partialclonefilter', 'promisor']

/**
 * The text is searched, not parsed: a comment or a value that looks like one of these counts as well. Values
 * that are commands by their form (`!…`, `ext::…`) count under any key.
 */
const SUSPECT = [
  new RegExp(String.raw`\[\s*(?:${[...SECTIONS, ...INCLUDES].join('|')})[\s.\]"]`, 'i'),
  new RegExp(String.raw`(?:^|\])\s*(?:${[...KEYS, ...FETCHES].join('|')})(?![a-z0-9-])`, 'im'),
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
  const text = readConfig(path)
  return text === null || SUSPECT.some((pattern) => pattern.test(text))
}

/** Empty where there is none, null where it cannot be read. */
const readConfig = (path: string): string | null =>
  unlessRefused(() => readPlainFile(path, MAX_CONFIG)?.toString('latin1') ?? '')

/** A section's header, or a key with its value; without a value it is a yes. */
const HEADER_OR_KEY =
  /^[ \t]*\[[ \t]*([^\]\n]*?)[ \t]*\]|(?<=^|\])[ \t]*([a-z][a-z0-9-]*)[ \t]*(?:=[ \t]*"?([^"\n\r;#]*)|$)/gim

interface GitSetting {
  /** What stands behind the section's name: of `[remote "origin"]`, `origin`. */
  of: string
  key: string
  value: string
}

/** The settings of a section in one of git's files, in their order. */
export function readGitSettings(path: string, section: string): GitSetting[] {
  const header = new RegExp(`^${section}(?:[ \\t]+"(.*)")?$`, 'i')
  const found: GitSetting[] = []
  let inside: RegExpExecArray | null = null
  for (const [, opens, key = '', value = 'true'] of (readConfig(path) ?? '').matchAll(HEADER_OR_KEY))
    if (opens !== undefined) inside = header.exec(opens)
    else if (inside) found.push({ of: inside[1] ?? '', key: key.toLowerCase(), value: value.trim() })
  return found
}

/**
 * Where the repository is fetched from: `origin`, else its only remote. Reads git's settings file and runs nothing, so
 * that it may be asked about a workspace that nobody trusts.
 */
export function readRemote({ git }: Place): string | null {
  if (git === null) return null
  const urls = readGitSettings(join(git.common, 'config'), 'remote').filter(({ key }) => key === 'url')
  const isOne = new Set(urls.map(({ of }) => of)).size === 1
  const found = urls.find(({ of }) => isOne || of === 'origin')
  return found === undefined ? null : normaliseRemote(found.value)
}

/**
 * Git's options that take the repository's own programs out of its settings, given all of them with their scopes.
 * What the user or the command line says of the same key counts instead. Null where a name cannot be given on a command line.
 */
export function switchOffPrograms(listing: string): string[] | null {
  const own = new Map<string, string>()
  const names = new Set<string>()
  for (const [, scope = '', name = '', value] of listing.matchAll(SETTING)) {
    if (!isProgram(name)) continue
    if (scope === 'local' || scope === 'worktree') names.add(name)
    else own.set(name, value === undefined ? name : `${name}=${value}`)
  }
  if (![...names].every((name) => /^[ -<>-~]+$/.test(name))) return null
  return [...names].flatMap((name) => ['-c', own.get(name) ?? `${name}=`])
}

/** As `git config --list --show-scope -z` says it; a key without a value is a yes. */
const SETTING = /([^\0]*)\0([^\n\0]*)(?:\n([^\0]*))?\0/g

const isProgram = (name: string) =>
  SECTIONS.includes(name.split('.')[0] ?? '') || KEYS.includes(name.split('.').at(-1) ?? '')
