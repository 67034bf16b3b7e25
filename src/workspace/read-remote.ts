import { join } from 'node:path'
import { normaliseRemote } from '../core/remote.ts'
import { readPlainFile } from '../fs/disk.ts'
import { unlessUnreadable } from './git-blobs.ts'
import type { Place } from './locate.ts'

const MAX_CONFIG = 1024 * 1024

/** A section's header, or a key `url` with its value. */
const HEADER_OR_URL = /^[ \t]*\[[ \t]*([^\]\n]*?)[ \t]*\]|^[ \t]*url[ \t]*=[ \t]*"?([^"\n\r;#]*)/gim

/**
 * Where the repository is fetched from: `origin`, else its only remote. Reads git's settings file and runs nothing, so
 * that it may be asked about a workspace that nobody trusts.
 */
export function readRemote({ git }: Place): string | null {
  if (git === null) return null
  const bytes = unlessUnreadable(() => readPlainFile(join(git.common, 'config'), MAX_CONFIG))
  const urls = new Map<string, string>()
  let remote: string | null = null
  for (const [, header, url] of (bytes?.toString('latin1') ?? '').matchAll(HEADER_OR_URL))
    if (header !== undefined) remote = /^remote[ \t]+"(.*)"$/i.exec(header)?.[1] ?? null
    else if (remote !== null && url !== undefined && !urls.has(remote)) urls.set(remote, url)
  const url = urls.get('origin') ?? (urls.size === 1 ? [...urls.values()][0] : undefined)
  return url === undefined ? null : normaliseRemote(url)
}
