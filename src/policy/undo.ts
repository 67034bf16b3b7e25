/**
 * Which act is undone next, or done again: acts are given oldest first. An undo after an undo goes further back, as in
 * an editor, and a redo comes forward again.
 */
export function chooseAct<Act extends { isUndone: boolean }>(
  acts: readonly Act[],
  isRedo: boolean,
): Act | null {
  const last = acts.findLastIndex(({ isUndone }) => !isUndone)
  return acts[isRedo ? last + 1 : last] ?? null
}

interface SpokenAct {
  by: 'agent' | 'user'
  session: string | null
}

/**
 * A user may undo whatever was done in the workspace; an agent only what was done in its own session. It redoes
 * nothing: it may have been its user who took that back.
 */
export const mayUndo = (
  act: SpokenAct,
  speaker: SpokenAct['by'],
  { session, isRedo }: { session: string | null; isRedo: boolean },
): boolean =>
  speaker === 'user' || (!isRedo && act.by === 'agent' && act.session !== null && act.session === session)
