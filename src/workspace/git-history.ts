import { join } from 'node:path'
import { unlessRefused } from '../core/reason.ts'
import { readPlainFile } from '../fs/disk.ts'
import { askGit, GitProblem, orGitProblem, runGit } from './git.ts'
import { unchangedBlobs } from './git-blobs.ts'
import { isObjectName } from './git-state.ts'
import type { Place } from './locate.ts'

// These run git commands: for a trusted workspace only. Paths are relative to the root, with forward slashes.

interface Authorship {
  commit: string
  /** `unknown`, without an address, where the history was cut off (a shallow clone): the commit is its edge. */
  author: string
  email: string
  /** The author's own date, ISO 8601 with its offset. */
  at: string
}

/** As many paths as fit on any system's command line, with room to spare. */
const MAX_PATHS = 200

/** `authors` has no entry for a file that is not committed as it stands. */
interface Authors {
  authors: Map<string, Authorship>
  /** Files in a folder that HEAD has as another repository, with that folder. */
  inside: Map<string, string>
  problem: string | null
}

/**
 * Who last changed each file on HEAD, where the file is just what HEAD has: its bytes, or what line endings and
 * filters make of them, either way. Files that are not are left out, unless edited ones are asked for, too. With a
 * problem, others may be missing too.
 */
export async function authorsOf(
  place: Place,
  paths: readonly string[],
  { isEdited = false } = {},
): Promise<Authors> {
  const authors = new Map<string, Authorship>()
  const inside = new Map<string, string>()
  const found = await orGitProblem(async () => {
    for (let at = 0; at < paths.length; at += MAX_PATHS) {
      const committed = await unchangedBlobs(place, paths.slice(at, at + MAX_PATHS), { isEdited })
      for (const [path, folder] of committed.inside) inside.set(path, folder)
      const wanted = new Map([...committed.blobs.values()].map(({ name, blob }) => [name, blob]))
      await findAuthors(place, wanted, (name, by) => {
        for (const [path, blob] of committed.blobs) if (blob.name === name) authors.set(path, by)
      })
    }
    return { problem: null }
  })
  return { authors, inside, ...found }
}

/**
 * Asks for the newest commit that touched any of the files, then for twice as many for those still open: files
 * that came by one commit cost one short walk, where a list of all changes would go back to the first commit.
 */
async function findAuthors(
  place: Place,
  wanted: Map<string, string>,
  tell: (path: string, by: Authorship) => void,
): Promise<void> {
  for (let count = 1; wanted.size > 0; count *= 2) {
    const log = await askGit(place, [...LOG, '-n', `${count}`, 'HEAD', '--', ...wanted.keys()], WALK)
    const commits = readLog(log)
    for (const { by, blobs } of commits)
      for (const [path, blob] of blobs) {
        // A change that a merge did not take over made another blob than HEAD's.
        if (wanted.get(path) !== blob) continue
        wanted.delete(path)
        tell(path, isCutOff(place, by.commit) ? { ...by, author: 'unknown', email: '' } : by)
      }
    if (wanted.size > 0 && commits.length < count)
      throw new GitProblem(`no commit is known that made ${[...wanted.keys()].join(', ').slice(0, 200)}`)
  }
}

const WALK = { timeoutMs: 15_000 }

/** Every setting that changes what the log shows, or has a program check signatures, is overruled. */
const LOG = [
  ...['-c', 'log.showRoot=true', '-c', 'log.follow=false', 'log', '-c', '--raw', '--no-abbrev', '-z'],
  ...['--no-renames', '--no-ext-diff', '--no-textconv', '--no-show-signature', '--no-color', '--no-notes'],
  ...['--encoding=UTF-8', '--format=commit%x00%H%x00%an%x00%ae%x00%aI'],
]

interface LoggedCommit {
  by: Authorship
  blobs: Map<string, string>
}

function readLog(out: string): LoggedCommit[] {
  const commits: LoggedCommit[] = []
  const fields = out.split('\0')
  for (let at = 0; at < fields.length; at++) {
    const field = (fields[at] ?? '').trimStart()
    if (field === 'commit') {
      const [commit = '', author = '', email = '', date = ''] = fields.slice(at + 1, at + 5)
      commits.push({ by: { commit, author, email, at: date }, blobs: new Map() })
      at += 4
    } else if (field.startsWith(':')) {
      // A merge has a column for each parent; what it made is always the last before the letters.
      commits.at(-1)?.blobs.set(fields[++at] ?? '', field.split(' ').at(-2) ?? '')
    }
  }
  return commits
}

/** A commit without its parents seems to have made every file in it. */
function isCutOff({ git: folders }: Place, commit: string): boolean {
  const shallow = folders && unlessRefused(() => readPlainFile(join(folders.common, 'shallow'), MAX_SHALLOW))
  return shallow?.includes(commit) === true
}

const MAX_SHALLOW = 16 * 1024 * 1024

/** Remotes that the user works with by convention; a contributor's, added to look at a change, is not one. */
const OWN_REMOTES = ['origin', 'upstream']

/**
 * Whether a commit is on the default branch of `origin` or `upstream`, or of the only remote, as last fetched.
 * The remote of the checked-out branch is not asked: it may be the very one whose text is in question.
 */
export async function isOnRemoteDefault(place: Place, commit: string): Promise<boolean> {
  if (!isObjectName(commit)) return false
  const listed = await runGit(place, ['remote'])
  const names = listed.ok ? listed.out.split('\n').filter((name) => name !== '') : []
  const own = names.filter((name) => OWN_REMOTES.includes(name))
  for (const name of own.length === 0 && names.length === 1 ? names : own) {
    const branch = await defaultBranch(place, name)
    const found =
      branch === null ? null : await runGit(place, ['merge-base', '--is-ancestor', commit, branch])
    if (found?.ok) return true
  }
  return false
}

/** The ref of a remote's default branch. Only a clone is told it; for a remote that was added the usual names do. */
async function defaultBranch(place: Place, remote: string): Promise<string | null> {
  for (const name of ['HEAD', 'main', 'master']) {
    const ref = `refs/remotes/${remote}/${name}`
    if ((await runGit(place, ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`])).ok) return ref
  }
  return null
}
