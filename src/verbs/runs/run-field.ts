import { requireRunName } from '../../core/id.ts'

/** The field that names a run; a bad name is refused before anything is opened. */
export const RUN = {
  kind: 'text',
  at: 0,
  needed: true,
  mayBeLeftOut: true,
  names: 'run',
  check: requireRunName,
  about: 'run id (default: the only run in progress, else the only run)',
} as const
