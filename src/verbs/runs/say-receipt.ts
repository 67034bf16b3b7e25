import type { Receipt } from '../../engine/runs/take-snapshot.ts'

/** A receipt in words. */
export function sayReceipt(receipt: Receipt): string {
  const what = receipt.coalesced
    ? `Nothing changed since ${receipt.snapshotId}: noted there.`
    : `Snapshot ${receipt.snapshotId} (number ${receipt.sequence}, ${receipt.source}).`
  const where = receipt.files === 'published' ? receipt.latest : 'in the store; its files follow'
  return `${what}\nRun ${receipt.runId} is ${receipt.status}. ${where}`
}
