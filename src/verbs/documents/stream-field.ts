import { requireLookupName } from '../../core/id.ts'

const about = 'the work, by its id, its branch, or the beginning of its id'

/** The field that names a document; a bad name is refused before anything is opened. */
export const STREAM_FIELD = {
  kind: 'text',
  at: 0,
  required: true,
  names: 'work',
  check: requireLookupName,
  about,
} as const

export const STREAM_OR_FOCUS = {
  kind: 'text',
  at: 0,
  names: 'work',
  check: requireLookupName,
  about: `${about}; the one in focus without it`,
} as const
