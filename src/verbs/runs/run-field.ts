import { requireRunName } from '../../core/id.ts'

/** The field that names a run; a bad name is refused before anything is opened. */
export const RUN = { kind: 'text', at: 0, required: true, check: requireRunName, about: 'the run' } as const
