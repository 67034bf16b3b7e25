import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  AT,
  appendTo,
  checkpointName,
  grow,
  NOTHING_MORE,
  newCheckpoint,
  newOutcome,
  newView,
  noteOn,
} from '../make.ts'
import type { OpenActs } from '../subjects.ts'

/** Text comes back as it went in. */
export function provesAwkwardTexts(open: OpenActs): void {
  describe('awkward texts', () => {
    test('any well-formed text in a checkpoint survives', async () => {
      const store = await open()
      const { stream } = await grow(store)
      const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }))
      await fc.assert(
        fc.asyncProperty(text, text, fc.nat(), async (problem, summary, duration) => {
          const { stream: now } = await store.log.readSituation(stream)
          const sequence = now.headSequence + 1
          const plain = newCheckpoint(stream, sequence)
          const next = {
            ...plain,
            id: checkpointName(stream, sequence, problem),
            work: { ...plain.work, problem, next: [{ text: summary }] },
            change: {
              ...plain.change,
              summary,
              commands: [{ ...newOutcome(problem), duration_ms: duration }],
            },
          }
          await appendTo(store.acts, next, now.headId, NOTHING_MORE)
          const stored = await store.log.readCheckpoint(next.id)
          expect(stored).toMatchObject({ state: 'whole', checkpoint: next })
        }),
        { numRuns: 60 },
      )
      expect(await store.check()).toEqual([])
    })

    test('any well-formed text in an outcome, a note and a path survives', async () => {
      const store = await open()
      const { stream, ids } = await grow(store)
      const awkward = 'quote \' " ; \u0000 \u2028 \u{1F9D1}\u{200D}\u{1F680} \uFFFD \\n %_ ünï 日本'
      await store.log.recordOutcome(stream, newOutcome(awkward), AT)
      const note = { kind: 'manual', at: AT, note: awkward } as const
      await noteOn(
        store.acts,
        stream,
        { head: ids[0] ?? '', notes: 0 },
        note,
        newView(`p/${awkward.slice(9)}`),
      )
      const { base, pending } = await store.log.readSituation(stream)
      expect(pending[0]?.outcome).toEqual(newOutcome(awkward))
      expect(base.notes).toEqual([note])
    })
  })
}
