import type { Acts } from './acts.ts'
import type { LocalState } from './local-state.ts'
import type { Log } from './log.ts'

/** Reads that join log and local state, whatever engines these are. */
export const joinReads = (log: Log, local: LocalState): Pick<Acts, 'listLedgers' | 'listTextHashes'> => ({
  async listLedgers(workspace) {
    const texts = await local.listLedgerTexts(workspace)
    const rows = await log.readRows(texts.map(({ checkpoint }) => checkpoint))
    const streamOf = new Map(rows.map(({ id, stream }) => [id, stream]))
    const streams = await log.listStreams(null, 'work')
    const nameOf = new Map(streams.map(({ id, name }) => [id, name]))
    return texts.map((text) => ({ ...text, stream: nameOf.get(streamOf.get(text.checkpoint) ?? '') ?? '' }))
  },

  async listTextHashes(repository) {
    const versions = await log.listVersionHashes(repository)
    return new Set([...versions, ...(await local.listShownHashes(repository))])
  },
})
