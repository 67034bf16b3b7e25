const slashes = (path: string) => (/^[A-Za-z]:\\|^\\\\/.test(path) ? path.replaceAll('\\', '/') : path)

/** Names files as the workspace below a root does; null for one that is outside. */
export const fileNamer = (root: string) => {
  const top = slashes(root).replace(/\/+$/, '')
  return (path: string): string | null => {
    const file = slashes(path)
    const isAbsolute = file.startsWith('/') || /^[A-Za-z]:\//.test(file)
    const within = isAbsolute ? (file.startsWith(`${top}/`) ? file.slice(top.length + 1) : null) : file
    const parts = (within ?? '..').split('/').filter((part) => part !== '' && part !== '.')
    return parts.length === 0 || parts.includes('..') ? null : parts.join('/')
  }
}
