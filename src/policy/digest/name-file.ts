const slashes = (path: string) => (/^[A-Za-z]:\\|^\\\\/.test(path) ? path.replaceAll('\\', '/') : path)

/**
 * Names files as the workspace below a root does; null for one that is outside. A session may have worked where the
 * same files had another root: in another worktree, or on another machine.
 */
export const fileNamer = (root: string, workedIn: string = root) => {
  const tops = [root, workedIn].map((one) => slashes(one).replace(/\/+$/, ''))
  return (path: string): string | null => {
    const file = slashes(path)
    const isAbsolute = file.startsWith('/') || /^[A-Za-z]:\//.test(file)
    const top = tops.find((one) => file.startsWith(`${one}/`))
    const within = !isAbsolute ? file : top === undefined ? null : file.slice(top.length + 1)
    const parts = (within ?? '..').split('/').filter((part) => part !== '' && part !== '.')
    return parts.length === 0 || parts.includes('..') ? null : parts.join('/')
  }
}

/** Files as the workspace below a root names them, each once; one that is outside keeps its path. */
export function nameFiles(root: string, paths: readonly string[]): string[] {
  const nameOf = fileNamer(root)
  return [...new Set(paths.map((path) => nameOf(path) ?? path))]
}
