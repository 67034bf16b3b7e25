import { ReasonError } from '../../core/reason.ts'
import type { ViewRow } from '../../store/local-state.ts'
import { MOST_ATTEMPTS } from '../context/most-attempts.ts'

/**
 * `written` and `gone`: still to be noted in the store; `done`: noted already; `again`: another process wrote the file
 * meanwhile; `left`: it stays pending, or is given up.
 */
export type SettleStep = 'written' | 'gone' | 'done' | 'again' | 'left'

/** How a row is settled, and when its turn is: what takes a file's place comes before that file goes. */
export interface Turn {
  turn: number
  publish(): Promise<SettleStep>
}

export interface SettleFailure {
  row: ViewRow
  error: ReasonError
}

/**
 * Writes and removes what is owed to the disk, in turns. A file that cannot be written keeps no other from being
 * written, unless the later ones point to it (`stopsAtFailure`). Where somebody wrote meanwhile, what is owed then is
 * tried again.
 */
export async function settleRows(
  rows: readonly ViewRow[],
  turnOf: (row: ViewRow) => Turn,
  { again, stopsAtFailure = false }: { again: () => Promise<ViewRow[]>; stopsAtFailure?: boolean },
): Promise<SettleFailure[]> {
  let owed = rows
  for (let round = 1; ; round += 1) {
    const failures: SettleFailure[] = []
    let isDone = true
    const turns = owed.map((row) => ({ row, ...turnOf(row) })).sort((a, b) => a.turn - b.turn)
    for (const { row, publish } of turns)
      try {
        if ((await publish()) === 'again') isDone = false
      } catch (error) {
        if (!(error instanceof ReasonError)) throw error
        failures.push({ row, error: namePath(error, row.path) })
        if (stopsAtFailure) return failures
      }
    if (isDone || round >= MOST_ATTEMPTS.files) return failures
    owed = await again()
  }
}

/** The codec does not know which file it was given. */
const namePath = (error: ReasonError, path: string) =>
  error.data.path === ''
    ? new ReasonError(error.reason, { ...error.data, path, id: '<id>' }, { cause: error })
    : error
