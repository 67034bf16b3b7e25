import { LEARNINGS_FILE, MAX_DOCUMENT_BYTES } from '../../formats/checkpoint-md/layout.ts'
import { openFolder } from '../../fs/disk.ts'
import { findFolder } from '../../fs/durable.ts'

export function readLearnings(root: string): string {
  const top = openFolder(root)
  try {
    const folder = findFolder(top, ['checkpoints'])
    try {
      return folder?.read(LEARNINGS_FILE, MAX_DOCUMENT_BYTES)?.toString('utf8') ?? ''
    } finally {
      folder?.close()
    }
  } finally {
    top.close()
  }
}
