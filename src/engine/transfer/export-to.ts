import { statSync } from 'node:fs'
import { randomToken } from '../../core/id.ts'
import { describeError, ReasonError } from '../../core/reason.ts'
import { streamDurably } from '../../fs/durable.ts'
import type { Context } from '../context/context.ts'
import { openNamedPlace } from '../context/named-file.ts'
import { NOTICES } from '../context/notices.ts'
import { type ExportCounts, writeExport } from './write-export.ts'

export interface ExportReport extends Omit<ExportCounts, 'damaged'> {
  /** Null where it went to the standard output. */
  path: string | null
  bytes: number
  damaged: number
}

/** Exports to a file, which is whole when it has its name, or to the standard output. */
export async function exportTo(
  context: Context,
  file: string,
  { all, force }: { all: boolean; force: boolean },
): Promise<ExportReport> {
  let bytes = 0
  const counting = (write: (piece: Uint8Array) => void | Promise<void>) => (piece: Uint8Array) => {
    bytes += piece.length
    return write(piece)
  }
  const tell = ({ damaged, ...counts }: ExportCounts, path: string | null): ExportReport => {
    if (damaged.length > 0) context.notices.push(NOTICES.exportedWithout(damaged))
    return { path, bytes, ...counts, damaged: damaged.length }
  }
  if (file === '-') {
    const counts = await writeExport(context, { all }, counting(writeOrRefuse(context)))
    return tell(counts, null)
  }

  // Refused before the work, and once more by the link that gives the file its name.
  const { path, folder: opened, name } = openNamedPlace(context.cwd, file, { force })
  using folder = opened
  const written: { counts?: ExportCounts } = {}
  const options = { token: randomToken(context.ports.random), mode: 0o600, replaces: force }
  const isPlaced = await streamDurably(folder, name, options, async (write) => {
    written.counts = await writeExport(context, { all }, counting(write))
  })
  if (!isPlaced || written.counts === undefined) throw new ReasonError('file_exists', { path })
  return { ...tell(written.counts, path), bytes: statSync(path).size }
}

const writeOrRefuse = (context: Context) => (piece: Uint8Array) => {
  try {
    context.writeOutput(piece)
  } catch (error) {
    if (error instanceof ReasonError) throw error
    throw new ReasonError('export_unwritten', { problem: describeError(error) }, { cause: error })
  }
}
