import {
  codeSpan,
  decodeItems,
  decodeNames,
  encodeItem,
  encodeItems,
  encodeNames,
  leadingName,
  plainLine,
} from '../../core/bullets.ts'
import { type BodyCodec, decodeReference, encodeReference } from '../../core/claims.ts'
import { type Artifact, isDeleted, type WorkState } from '../../core/work.ts'
import { labelPattern } from './labels.ts'

/** The three lines of the format are always there; what was done to files, and other references, where there are any. */
const LABELS = {
  files: 'files?',
  ids: 'ids?',
  commands: 'commands?',
  change: 'changes?',
  reference: 'references?',
}
type Label = keyof typeof LABELS
const PATTERNS = Object.entries(LABELS).map(([label, words]) => ({
  // `as`: the entries of a table have its keys.
  label: label as Label,
  pattern: labelPattern(words),
}))

const labelOf = (item: string) => PATTERNS.find(({ pattern }) => pattern.test(item)) ?? null

/** Bullets that people added under labels of their own. */
export const foreignBullets = (body: string) =>
  decodeItems(body)
    .filter((item) => labelOf(item) === null)
    .map(encodeItem)

export const WORKING_SET: BodyCodec = { encode: encodeWorkingSet, decode: decodeWorkingSet }

function encodeWorkingSet({ artifacts, references }: WorkState): string {
  const files = artifacts.filter((one) => !isDeleted(one)).map(({ path }) => path)
  const textsOf = (kind: string) => references.filter((one) => one.kind === kind).map(({ text }) => text)
  const others = references.filter(({ kind }) => kind !== 'id' && kind !== 'command').map(encodeReference)
  return [
    `- Files: ${encodeNames(files)}`.trimEnd(),
    `- IDs: ${encodeNames(textsOf('id'))}`.trimEnd(),
    `- Commands: ${encodeNames(textsOf('command'))}`.trimEnd(),
    encodeItems(changesOf(artifacts).map((change) => `Change: ${change}`)),
    encodeItems(others.filter((text) => text !== '').map((text) => `Reference: ${text}`)),
  ]
    .filter((part) => part !== '')
    .join('\n')
}

/** `a.ts`, `b.ts` (modified): what was done. Files with the same action and words share a line. */
function changesOf(artifacts: readonly Artifact[]): string[] {
  const lines = new Map<string, string[]>()
  for (const { path, action, description } of artifacts) {
    const [did, said] = [plainLine(action).replace(/[()]/g, ''), plainLine(description)]
    const tail = `${did === '' ? '' : ` (${did})`}${said === '' ? '' : `: ${said}`}`
    if (tail !== '' && plainLine(path) !== '') lines.set(tail, [...(lines.get(tail) ?? []), plainLine(path)])
  }
  return [...lines].map(([tail, paths]) => `${paths.map(codeSpan).join(', ')}${tail}`)
}

function changedFiles(change: string): Artifact[] {
  const paths: string[] = []
  let rest = `, ${change}`
  while (rest.startsWith(', ')) {
    const { name, rest: behind } = leadingName(rest.slice(2))
    paths.push(name)
    rest = behind
  }
  const [did = '', action = ''] = /^\s*\(([^()]*)\)/.exec(rest) ?? []
  const description = rest.slice(did.length).trim().replace(/^:\s*/, '')
  return paths.filter((path) => path !== '').map((path) => ({ path, action: action.trim(), description }))
}

function decodeWorkingSet(body: string): Partial<WorkState> {
  const found: Record<Label, string[]> = { files: [], ids: [], commands: [], change: [], reference: [] }
  for (const item of decodeItems(body)) {
    const known = labelOf(item)
    if (known) found[known.label].push(item.replace(known.pattern, ''))
  }
  const namesIn = (label: Label) => found[label].flatMap(decodeNames)
  const changes = found.change.flatMap(changedFiles)
  const byPath = new Map(changes.map((change) => [change.path, change]))
  return {
    artifacts: [
      ...namesIn('files').map((path) => byPath.get(path) ?? { path, action: '', description: '' }),
      // A file that somebody took out of the list of files is out.
      ...changes.filter(isDeleted),
    ],
    references: [
      ...namesIn('ids').map((text) => ({ kind: 'id', text })),
      ...namesIn('commands').map((text) => ({ kind: 'command', text })),
      ...found.reference.filter((text) => text !== '').map(decodeReference),
    ],
  }
}
