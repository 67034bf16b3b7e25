import { OBEYED_BELOW, OBEYED_FILES } from './layout.ts'

export const DEFAULT_LEDGER = '.agents/session_ledger.md'

const MAX_PATH = 400
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com\d|lpt\d)\s*(?:\.|$)/

/** Folders that no ledger may lie in, at any depth: what stands there is run, served or read by others. */
const CLOSED = new Set(['.git', '.github', '.gitlab', '.husky', '.hg', '.svn', 'checkpoints', 'node_modules'])

/** Files that people and other tools keep under these names, in whatever folder. */
const TAKEN = new Set<string>([
  ...OBEYED_FILES,
  'changelog.md',
  'code_of_conduct.md',
  'contributing.md',
  'learnings.md',
  'license.md',
  'readme.md',
  'security.md',
])

/**
 * Why a path from a settings file cannot be the ledger's, or null where it can. The settings may come with a
 * clone, so the path is hostile: it must not leave the workspace, nor reach a file that another tool obeys, in
 * whatever spelling a file system takes for the same name. Symbolic links are for whoever writes to look out for.
 */
export function ledgerPathProblem(path: string): string | null {
  if (typeof path !== 'string' || path === '') return 'it is empty'
  if (path.length > MAX_PATH) return `${path.length} characters, at most ${MAX_PATH} are allowed`
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(path)) return 'it has control characters'
  if (path.includes('\\')) return 'it has a backslash'
  if (/^[A-Za-z]:/.test(path)) return 'it starts with a drive letter'
  if (path.startsWith('/') || path.startsWith('~')) return 'it is not relative to the workspace'
  if (/[<>:"|?*]/.test(path)) return 'it has characters that some systems do not allow'
  const segments = path.split('/')
  if (segments.includes('..')) return 'it points outside the workspace'
  if (segments.includes('') || segments.includes('.')) return 'it has an empty segment or a "."'
  if (segments.some((segment) => /[. ]$/.test(segment))) return 'a segment ends in a dot or a space'
  if (!/[^/]\.md$/i.test(path)) return 'it does not end in .md'
  const folded = segments.map((segment) => segment.normalize('NFKC').toLowerCase())
  if (folded.some((segment) => DEVICE.test(segment))) return 'it contains a reserved device name'
  // `GIT~1` is `.git` where short names are on.
  if (folded.some((segment) => /~\d/.test(segment))) return 'it contains a Windows short name'
  const closed = folded.find((segment, at) => CLOSED.has(segment) || isClosedBelow(folded[at - 1], segment))
  const name = folded.at(-1) ?? ''
  const taken = closed ?? (TAKEN.has(name) ? name : null)
  if (taken === null) return null
  return OURS.test(taken) ? `${taken} is reserved for other files` : `${taken} belongs to another tool`
}

/** Documents, learnings and handoffs have these names. */
const OURS = /^(?:checkpoints$|handoffs|learnings\.md$)/

const isClosedBelow = (folder = '', segment: string) =>
  Object.hasOwn(OBEYED_BELOW, folder) &&
  OBEYED_BELOW[folder]?.some((name) => segment.startsWith(name)) === true
