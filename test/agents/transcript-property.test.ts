import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readTranscript } from '../../src/agents/claude/transcript.ts'
import type { TranscriptEntry, TranscriptReading } from '../../src/core/transcript.ts'
import { contentOf } from './transcript-arbitraries.ts'
import { referenceOf } from './transcript-reference.ts'
import { readOn, transcriptOf } from './transcript-rows.ts'

test('what the reader says is what the plainest reader says', () => {
  const path = transcriptOf('')
  fc.assert(
    fc.property(contentOf, (content) => {
      writeFileSync(path, content)
      const { reading, statistics, entries } = readOn(path)
      const wanted = referenceOf(content)
      expect(statistics).toEqual(wanted.statistics)
      expect(entries).toEqual(wanted.told)
      const { context, compactions, lastAt } = reading
      expect({ context: context && { tokens: context.tokens, at: context.at }, compactions, lastAt }).toEqual(
        {
          context: wanted.context,
          compactions: wanted.compactions,
          lastAt: wanted.lastAt,
        },
      )
    }),
    { numRuns: 400 },
  )
})

test('any split into increments gives the same reading and the same entries', () => {
  const path = transcriptOf('')
  fc.assert(
    fc.property(
      contentOf,
      fc.array(fc.nat(), { maxLength: 5 }),
      fc.integer({ min: 500, max: 6_000 }),
      (content, cuts, most) => {
        const bytes = Buffer.from(content)
        writeFileSync(path, bytes)
        const whole = readOn(path)
        const ends = [...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
        const entries: TranscriptEntry[] = []
        let reading: TranscriptReading | null = null
        for (const end of ends) {
          writeFileSync(path, bytes.subarray(0, end))
          for (let complete = false; !complete; ) {
            const step = readOn(path, reading, most)
            expect(step.restarted).toBe(false)
            entries.push(...step.entries)
            reading = step.reading
            complete = step.complete
          }
        }
        expect(reading).toEqual(whole.reading)
        expect(entries).toEqual(whole.entries)
      },
    ),
    { numRuns: 60 },
  )
})

test('whatever the bytes are, nothing is thrown, and what is read is bounded by what is there', () => {
  const path = transcriptOf('')
  const noise = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    fc
      .tuple(contentOf, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 12 }))
      .map(([content, changes]) => {
        const bytes = Buffer.from(content)
        for (const [at, byte] of changes) if (bytes.length > 0) bytes[at % bytes.length] = byte
        return bytes
      }),
  )
  fc.assert(
    fc.property(noise, (bytes) => {
      writeFileSync(path, bytes)
      const { reading } = readOn(path)
      expect(reading.cursor.offset).toBe(bytes.lastIndexOf(0x0a) + 1)
      expect(readTranscript(path, null, null)?.reading.cursor.offset).toBe(reading.cursor.offset)
    }),
    { numRuns: 400 },
  )
})
