import type { Receipt } from '../../engine/runs/take-snapshot.ts'

/** A receipt in words. */
export function sayReceipt(receipt: Receipt): string {
  const what = receipt.coalesced
    ? `Nothing changed since ${receipt.snapshot_id}: noted there.`
    : `Snapshot ${receipt.snapshot_id} (number ${receipt.sequence}, ${receipt.source}).`
  const where = receipt.files === 'published' ? receipt.latest : 'in the store; its files follow'
  return `${what}\nRun ${receipt.run_id} is ${receipt.status}. ${where}`
}
