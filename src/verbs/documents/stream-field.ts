import { requireName } from '../../core/id.ts'

const about = 'the checkpoint document, by its id'

/** The field that names a document; a bad name is refused before anything is opened. */
export const STREAM_FIELD = { kind: 'text', at: 0, required: true, check: requireName, about } as const

export const STREAM_OR_FOCUS = {
  kind: 'text',
  at: 0,
  check: requireName,
  about: `${about}; the one in focus without it`,
} as const
