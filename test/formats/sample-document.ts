import { ReasonError } from '../../src/core/reason.ts'
import { decodeSnapshot, snapshotOf } from '../../src/formats/snapshot/codec.ts'
import type { SnapshotDocument } from '../../src/formats/snapshot/document.ts'
import { resumeHints } from '../../src/policy/run-lifecycle.ts'
import { sampleCheckpoint } from '../policy/sample.ts'

/** A document in which no field is empty. */
export function sampleDocument(): SnapshotDocument {
  const checkpoint = sampleCheckpoint({
    change: {
      summary: '',
      artifacts: [],
      transitions: [],
      commands: [
        {
          kind: 'shell',
          name: 'npm test',
          result: 'FAIL',
          duration_ms: 12,
          reason_code: 'x',
          summary: 'é 😀',
        },
      ],
    },
    health: { pressure: 'medium', protected: ['cp_a_1'], dropped: 2, profile: 'strict' },
  })
  return snapshotOf(checkpoint, 'r1', resumeHints(checkpoint.work.position, checkpoint.progress))
}

/** The reason for which bytes are refused, `loaded` where they are not; any other throw is passed on. */
export function verdict(bytes: Uint8Array): string {
  try {
    decodeSnapshot(bytes, 'latest.json')
    return 'loaded'
  } catch (error) {
    if (error instanceof ReasonError) return error.reason
    throw error
  }
}
