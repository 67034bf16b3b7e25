/** A checkpoint in the history of its stream, as far as undos are concerned. */
export interface HistoryPoint {
  id: string
  /** As in the checkpoint. */
  stands: string | null | undefined
}

/** A checkpoint whose word counts, and those before it. */
export interface StandingLine {
  id: string
  before: StandingLine | null
}

/**
 * What stood after each checkpoint of a stream's history, given in its order. One that was undone stands no longer, one
 * that was done again does; the checkpoints that an undo, a redo or a restore appends are in no line themselves.
 */
export function standingLines(history: readonly HistoryPoint[]): Map<string, StandingLine | null> {
  const lines = new Map<string, StandingLine | null>()
  let line: StandingLine | null = null
  for (const { id, stands } of history) {
    line = stands === undefined ? { id, before: line } : stands === null ? null : (lines.get(stands) ?? null)
    lines.set(id, line)
  }
  return lines
}

/** The ids of a line, the newest first. */
export function idsIn(line: StandingLine | null): string[] {
  const ids: string[] = []
  for (let one = line; one !== null; one = one.before) ids.push(one.id)
  return ids
}
