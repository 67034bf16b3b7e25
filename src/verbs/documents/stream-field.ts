import { requireLookupName } from '../../core/id.ts'

/** A field that may name a document; a bad name is refused before anything is opened. */
export const MAYBE_STREAM = {
  kind: 'text',
  at: 0,
  names: 'work',
  check: requireLookupName,
  about: 'name, branch, or start of the name',
} as const

export const STREAM_FIELD = { ...MAYBE_STREAM, required: true } as const
