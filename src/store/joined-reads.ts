import type { LedgerRow } from './acts.ts'
import type { LocalState } from './local-state.ts'
import type { Log } from './log.ts'

/** Reads that join log and local state, whatever engines these are. */
export class JoinedReads {
  protected readonly log: Log
  protected readonly local: LocalState

  constructor(log: Log, local: LocalState) {
    this.log = log
    this.local = local
  }

  async listLedgers(workspace: string): Promise<LedgerRow[]> {
    const texts = await this.local.listLedgerTexts(workspace)
    const rows = await this.log.readRows(texts.map(({ checkpoint }) => checkpoint))
    const streamOf = new Map(rows.map(({ id, stream }) => [id, stream]))
    const streams = await this.log.listStreams(null, 'work')
    const nameOf = new Map(streams.map(({ id, name }) => [id, name]))
    return texts.map((text) => ({ ...text, stream: nameOf.get(streamOf.get(text.checkpoint) ?? '') ?? '' }))
  }

  async listTextHashes(repository: string): Promise<Set<string>> {
    const versions = await this.log.listVersionHashes(repository)
    return new Set([...versions, ...(await this.local.listShownHashes(repository))])
  }
}
