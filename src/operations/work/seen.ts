import type { Seen } from '../../policy/resolve.ts'
import { isHere, type Survey, standingOf } from '../document/survey.ts'

/** What the resolver has to know about the streams of a repository. */
export const seenOf = (survey: Survey, given: Pick<Seen, 'named' | 'plan' | 'branch' | 'nowMs'>): Seen => ({
  ...given,
  // Sessions are not followed yet: none is bound to a stream.
  bound: null,
  focused: survey.rows.find(({ focused }) => focused)?.stream.name ?? null,
  streams: survey.rows.map((row) => ({
    name: row.stream.name,
    standing: standingOf(row),
    updatedMs: Date.parse(row.position.at),
    branch: row.position.gist.document?.branch ?? null,
    plan: row.position.gist.document?.plan ?? null,
    here: isHere(survey, row),
    foreign: row.position.foreign,
  })),
})
