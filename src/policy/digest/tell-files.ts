import { firstOf, quoteOutput, shorten } from './quote.ts'
import type { Check, Digest } from './state.ts'

/** What the digest alone does not know. */
export interface DigestSurroundings {
  trusted: boolean
  /** The workspace's folder, here and where the session worked: what is said of files in it is told without it. */
  roots: readonly string[]
  /** A path as the workspace names it; null outside of it. */
  nameFile: (path: string) => string | null
  /** Files with changes that are not committed; null where git was not asked. */
  uncommitted: ReadonlySet<string> | null
  isGone: (path: string) => boolean
}

/** What passed, what was committed and where it is reviewed. */
export function gitLine({ commits, links, checks }: Digest, most: number): string[] {
  const passed = checks
    .filter((one) => !one.failed)
    .slice(-4)
    .map(passedLine)
  const made = commits
    .toReversed()
    .map(({ hash, subject }) => (hash === '' ? `"${subject}"` : `${hash} "${subject}"`))
  const parts = [
    passed.length === 0 ? '' : `Passed when last run: ${passed.join(', ')}`,
    made.length === 0 ? '' : `Committed (newest first): ${shorten(made.join(', '), most)}`,
    links.length === 0 ? '' : `Pull requests: ${links.join(', ')}`,
  ].filter((part) => part !== '')
  return parts.length === 0 ? [] : [parts.join('. ')]
}

const passedLine = ({ family, detail }: Check) =>
  detail === '' ? family : `${family} (${quoteOutput(detail)})`

const MOST_NAMES = 12
const MOST_OUTSIDE = 3

/** Files by their folder, the newest first, with what git says of them. */
export function fileLines({ files }: Digest, around: DigestSurroundings, most: number): string[] {
  // A stranger may have chosen the names.
  if (!around.trusted)
    return files.length === 0
      ? []
      : [`${files.length} ${files.length === 1 ? 'file was' : 'files were'} changed`]
  const folders = new Map<string, string[]>()
  const outside: string[] = []
  for (const { path, action } of files.toReversed()) {
    const name = around.nameFile(path)?.replace(/\s+/g, ' ') ?? null
    if (name === null) {
      outside.push(path.replace(/\s+/g, ' '))
      continue
    }
    const cut = name.lastIndexOf('/') + 1
    const key = `${name.slice(0, cut)}\n${stateOf(name, action, around)}`
    folders.set(key, [...(folders.get(key) ?? []), name.slice(cut)])
  }
  const lines = [...folders].map(([key, names]) => {
    const [folder = '', state = ''] = key.split('\n')
    const shown = firstOf(names, MOST_NAMES)
    const listed =
      folder === '' || shown.length === 1 ? `${folder}${shown.join(', ')}` : `${folder}{${shown.join(', ')}}`
    return state === '' ? listed : `${listed} (${state})`
  })
  return [
    ...firstOf(lines, most, lines.length - most === 1 ? 'more line of files' : 'more lines of files'),
    ...(outside.length > 0 ? [`Outside the workspace: ${firstOf(outside, MOST_OUTSIDE).join(', ')}`] : []),
  ]
}

function stateOf(name: string, action: string, { uncommitted, isGone }: DigestSurroundings): string {
  if (isGone(name)) return 'missing'
  const parts = [action === 'created' ? 'new' : '', uncommitted?.has(name) ? 'uncommitted' : '']
  return parts.filter((part) => part !== '').join(', ')
}
