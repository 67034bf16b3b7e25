import { ReasonError } from '../../core/reason.ts'
import { type Folder, openFolder } from '../../fs/disk.ts'
import { TEMP_ENDING } from '../../fs/durable.ts'
import type { OwedView } from '../../store/local-state.ts'
import { excludeFromGit } from '../../workspace/exclude.ts'
import { mainWorktree } from '../../workspace/main-worktree.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import type { SettleOptions } from './guard.ts'
import { publishDocument, takeAway } from './publish-document.ts'
import { publishEntry, retractEntry } from './publish-entry.ts'
import { publishIndex } from './publish-index.ts'
import { publishLedger } from './publish-ledger.ts'
import { publishNote } from './publish-note.ts'
import { type SettleFailure, type SettleStep, settleRows, type Turn } from './settle-rows.ts'
import { sweepBeside } from './sweep-beside.ts'
import { takeFileAway } from './take-file-away.ts'

export interface SettleReport {
  /** What is still owed. */
  owed: OwedView[]
  /** What could not be written, and why. */
  failures: Array<SettleFailure<OwedView>>
}

type Publish = (context: Context, root: Folder, row: OwedView, how: SettleOptions) => Promise<SettleStep>

/** A handoff lies in the main worktree. */
const inMainWorktree =
  (publish: Publish): Publish =>
  async (context, root, row, how) => {
    const main = mainWorktree(context.place)
    if ('problem' in main) return publish(context, root, row, how)
    using folder = openFolder(main.root)
    return await publish(context, folder, row, how)
  }

/**
 * How each kind of file is written and removed, and when its turn is to be written: what takes a file's place comes
 * before that file goes.
 */
const KINDS: Record<OwedView['kind'], { turn: number; publish: Publish; remove: Publish }> = {
  document: { turn: 0, publish: publishDocument, remove: takeAway },
  note: { turn: 0, publish: publishNote, remove: takeFileAway },
  handoff: { turn: 0, publish: inMainWorktree(publishNote), remove: inMainWorktree(takeFileAway) },
  ledger: { turn: 0, publish: publishLedger, remove: takeFileAway },
  index: { turn: 1, publish: publishIndex, remove: takeFileAway },
  entry: { turn: 3, publish: publishEntry, remove: retractEntry },
}

const TURN_TO_LEAVE = 2

/** A newer version may owe files that this one knows nothing of: they wait for it. */
const UNKNOWN = { turn: 4, publish: async (): Promise<SettleStep> => 'left' }

const isKnown = ({ kind }: OwedView) => Object.hasOwn(KINDS, kind)

const settlerOf = (row: OwedView) =>
  !isKnown(row)
    ? UNKNOWN
    : row.state === 'leaving'
      ? { turn: TURN_TO_LEAVE, publish: KINDS[row.kind].remove }
      : KINDS[row.kind]

/**
 * Writes what this workspace owes to its shared files, for callers that hold the workspace lock. Each write goes
 * through only while the file is what we last saw; an edit that came between is kept. What cannot be written now
 * stays owed, and the user is told. `isLate`: it is owed by somebody who may have died over it.
 */
export async function settleOwedFiles(
  context: Context,
  { isLate = false, ...how }: SettleOptions & { isLate?: boolean },
): Promise<SettleReport> {
  const { store, identity, place } = context
  const listOwed = () => store.local.listOwedViews(identity.workspace)
  const owed = await listOwed()
  if (owed.length === 0) return { owed, failures: [] }
  hideTempsFromGit(context)
  using root = openFolder(place.root)
  if (isLate)
    for (const row of owed) if (row.kind !== 'document' && isKnown(row)) await sweepBeside(context, root, row)
  const turnOf = (row: OwedView): Turn => {
    const { turn, publish } = settlerOf(row)
    return { turn, publish: () => publish(context, root, row, how) }
  }
  const failures = await settleRows(owed, turnOf, { again: listOwed })
  return { owed: await listOwed(), failures }
}

/** Our short-lived files beside a document are nothing for `git status`. */
function hideTempsFromGit({ place, ports, notices }: Context): void {
  if (place.git === null) return
  try {
    excludeFromGit(place.git.common, `.*${TEMP_ENDING}`, ports)
  } catch (error) {
    if (!(error instanceof ReasonError)) throw error
    notices.push(NOTICES.tempsNotHiddenFromGit(error.message))
  }
}
