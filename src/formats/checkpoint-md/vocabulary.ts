import { titleKey } from '../../core/outline.ts'

/** The words that the format has for a file in a trail or a delta, and for a breadcrumb. We write no others. */
export const ARTIFACT_STATES = ['created', 'modified', 'deleted'] as const
export const CRUMB_TYPES = ['file', 'function', 'decision', 'external'] as const

/** What people and tools say for the same. */
const SAME_STATE = new Map([
  ...['add', 'added', 'create', 'new'].map((word) => [word, 'created'] as const),
  ...['delete', 'remove', 'removed'].map((word) => [word, 'deleted'] as const),
])

/** The state of a file in the format's words; a file of which nothing else is known was worked on. */
export function artifactState(action: string): (typeof ARTIFACT_STATES)[number] {
  const word = titleKey(action)
  return ARTIFACT_STATES.find((state) => state === word) ?? SAME_STATE.get(word) ?? 'modified'
}

/** Kinds of references that the format has no type for: an external thing, and its hint says which. */
const HINTED = ['command', 'id', 'learning', 'note'] as const
export const isHintedKind = (word: string) => HINTED.some((kind) => kind === word)

/** The kind of a reference as a document can hold it. */
export function crumbKind(kind: string): string {
  const word = titleKey(kind)
  if (word === 'path') return 'file'
  return [...CRUMB_TYPES, ...HINTED].find((known) => known === word) ?? 'external'
}
