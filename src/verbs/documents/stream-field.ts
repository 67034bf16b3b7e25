import { requireLookupName } from '../../core/id.ts'

const about = 'name, branch, or start of the name'

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
  about: `${about} (default: the work in focus)`,
} as const
