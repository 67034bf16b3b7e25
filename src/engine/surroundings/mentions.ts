import { type Checkpoint, saysSaved } from '../../core/checkpoint.ts'
import { type Artifact, isDeleted, type WorkField, type WorkState } from '../../core/work.ts'
import { type Fingerprint, fingerprintOf } from '../../workspace/fingerprint.ts'
import type { Context } from '../context/context.ts'

interface Mention {
  field: WorkField
  /** The item's place in its field; for a text, the line's. */
  index: number
  path: string
}

const TEXTS = ['state', 'now'] as const
const LISTS = ['facts', 'next', 'blockers', 'questions'] as const
const MOST = 200

/** What stands in code marks, and of that what could be a file: it has an ending. A line number is no part of it. */
const CODE = /`([^`\s]{1,200})`/g
const PATH = /^(?!\w+:\/\/)(?:\.\/)?((?:[\w@.+-]+\/)*[\w@+-][\w@.+-]*\.[A-Za-z]\w{0,7})(?::\d+)*$/

/** What the work's sentences name in code marks and could be files; anything less clear is left alone. */
export function mentionsOf(work: WorkState): Mention[] {
  const found: Mention[] = []
  const add = (field: WorkField, index: number, text: string) => {
    for (const [, code = ''] of text.matchAll(CODE)) {
      const path = PATH.exec(code)?.[1]
      if (path !== undefined && found.length < MOST) found.push({ field, index, path })
    }
  }
  for (const field of TEXTS) {
    const lines = work[field].split(/\r?\n/).filter((line) => line.trim() !== '')
    for (const [index, line] of lines.entries()) add(field, index, line)
  }
  for (const field of LISTS) for (const [index, { text }] of work[field].entries()) add(field, index, text)
  for (const [index, { kind, text }] of work.references.entries()) {
    const path = /^(?:file|path)$/i.test(kind.trim()) ? PATH.exec(firstWord(text))?.[1] : undefined
    if (path !== undefined && found.length < MOST) found.push({ field: 'references', index, path })
  }
  return found
}

const firstWord = (text: string) =>
  text.replaceAll('`', '').trim().split(/[\s#]/, 1)[0]?.replace(/:$/, '') ?? ''

/**
 * What the work speaks of and must not be called gone: the files that were not there at the save. A name without a
 * folder may be no file at all, such as `node.js`: it counts only where a save has looked for it.
 */
export function absentAt(checkpoint: Checkpoint | null, work: WorkState): string[] {
  const isLookedAt = checkpoint?.triggers.some(({ note }) => saysSaved(note))
  const sought = new Set(checkpoint && isLookedAt ? mentionsOf(checkpoint.work).map(({ path }) => path) : [])
  const unsought = mentionsOf(work).filter(
    ({ field, path }) => field !== 'references' && !path.includes('/') && !sought.has(path),
  )
  return [...(checkpoint?.absent ?? []), ...unsought.map(({ path }) => path)]
}

export type FingerprintCache = (path: string) => Fingerprint

/** How files look, each looked at once. */
export function fingerprintCache({ place }: Context): FingerprintCache {
  const known = new Map<string, Fingerprint>()
  return (path) => {
    const found = known.get(path) ?? fingerprintOf(place.root, path)
    known.set(path, found)
    return found
  }
}

/** What the work speaks of and is still to be made: a brief must not call it gone. */
export const absentFiles = (looks: FingerprintCache, work: WorkState) => [
  ...new Set(
    [...mentionsOf(work), ...work.artifacts.filter((one) => !isDeleted(one))]
      .map(({ path }) => path)
      .filter((path) => looks(path).state === 'absent'),
  ),
]

/** How each file looks now, so that a brief can tell whether it changed since. */
export function withFingerprints(looks: FingerprintCache, work: WorkState): WorkState {
  const artifacts = work.artifacts.map(({ seen: _seen, ...artifact }): Artifact => {
    const found = looks(artifact.path)
    return found.state === 'file' ? { ...artifact, seen: found.mark } : artifact
  })
  return { ...work, artifacts }
}
