const MAX_URL = 2_000

/**
 * Where a remote is, the same for every way to write it: `git@host:a/b.git`, `ssh://git@host:22/a/b` and
 * `https://user:token@host/a/b/` are all `host/a/b`. Credentials, ports and queries go. Null for a folder of this
 * machine: it says nothing on another one.
 */
export function normaliseRemote(url: string): string | null {
  const text = url.trim()
  if (text.length > MAX_URL || /[^\x21-\x7e]/.test(text)) return null
  const [, scheme, rest] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/i.exec(text) ?? []
  if (scheme !== undefined && !/^(?:https?|ssh|git|git\+ssh|ssh\+git)$/i.test(scheme)) return null
  // Without a scheme it is `host:path`; a drive letter of Windows is one letter.
  const found =
    rest === undefined ? /^([^/:\\?#]{2,}):([^?#\\]*)/.exec(text) : /^([^/?#]*)\/([^?#]*)/.exec(rest)
  const [, authority, path] = found ?? []
  const host = authority?.replace(/^.*@/, '').replace(/:\d*$/, '')
  const place = path
    ?.replace(/^\/+|\/+$/g, '')
    .replace(/\.git$/i, '')
    .replace(/\/{2,}/g, '/')
  if (!host || !place || !/^[a-z0-9._[\]:-]+$/i.test(host)) return null
  return `${host}/${place}`.toLowerCase()
}
