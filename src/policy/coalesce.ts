import { type Checkpoint, isMaterial } from '../core/checkpoint.ts'

/** How many further triggers one snapshot may carry before the next makes a snapshot of its own. */
const NOTES_PER_SNAPSHOT = 100

/**
 * Whether a trigger is kept as a note on the newest snapshot instead of making another.
 * A clock that went backwards never coalesces: the window is then unknown.
 */
export function shouldCoalesce(
  head: Checkpoint,
  candidate: Checkpoint,
  notes: number,
  { windowMs = 3_000 } = {},
): boolean {
  const apart = Date.parse(candidate.at) - Date.parse(head.at)
  return apart >= 0 && apart < windowMs && notes < NOTES_PER_SNAPSHOT && !isMaterial(head, candidate)
}
