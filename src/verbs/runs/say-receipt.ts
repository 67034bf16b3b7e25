import type { Receipt } from '../../engine/runs/take-snapshot.ts'
import type { Screen } from '../define/screen.ts'

/** A run that failed or waits is seen at once. */
export const paintStatus = (status: string, { paint }: Screen) =>
  status === 'failed' ? paint('bad', status) : status === 'paused' ? paint('warn', status) : status

/** A receipt in words. */
export function sayRunReceipt(receipt: Receipt, screen: Screen): string {
  const { runId, status, sequence, snapshotId, coalesced, files, latest } = receipt
  return [
    `Run ${runId}: ${paintStatus(status, screen)} (${coalesced ? 'unchanged since ' : ''}snapshot ${sequence}, ${receipt.source})`,
    `  ${files === 'published' ? latest : `${snapshotId}; files not written yet`}`,
  ].join('\n')
}
