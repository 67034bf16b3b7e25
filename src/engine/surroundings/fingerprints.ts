import { type Artifact, isDeleted, type WorkState } from '../../core/work.ts'
import { type Fingerprint, fingerprintOf } from '../../workspace/fingerprint.ts'
import type { Context } from '../context/context.ts'
import { mentionsOf } from './mentions.ts'

type FingerprintCache = (path: string) => Fingerprint

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
