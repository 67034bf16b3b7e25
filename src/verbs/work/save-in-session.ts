import { afterCommit, type Context } from '../../engine/context/context.ts'
import { type SaveTrigger, saveWork, type WorkReceipt } from '../../engine/save/save-work.ts'
import { isSetUpHere } from '../../engine/setup/settings-places.ts'
import type { SaveInput } from '../../policy/save.ts'

/** What a save confirms to who gave the command. */
export interface SaveReceipt extends WorkReceipt {
  /** The next session that starts here is told this by itself. */
  surfaced: boolean
}

/** A save of every verb that saves: it binds the session that it is made in, if any. */
export async function saveInSession(context: Context, told: SaveInput, why: SaveTrigger) {
  const receipt = await saveWork(context, told, why)
  const surfaced = await afterCommit(context, 'Noting the save in its session', async () => {
    if (context.session !== null) {
      const { noteSave } = await import('../../engine/sessions/note-save.ts')
      if (await noteSave(context, { ...told, stream: receipt.stream })) return true
    }
    // A stream that is named at a terminal need not be what the next start tells.
    return told.stream === null && (await isSetUpHere(context))
  })
  return { ...receipt, surfaced: surfaced ?? false }
}
