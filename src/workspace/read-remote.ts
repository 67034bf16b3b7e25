import { join } from 'node:path'
import { normaliseRemote } from '../core/remote.ts'
import { readGitSettings } from './git-config.ts'
import type { Place } from './locate.ts'

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
