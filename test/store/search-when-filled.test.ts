import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Decision } from '../../src/core/work.ts'
import type { Store } from '../../src/store/store.ts'
import { WORKSPACE } from './make.ts'
import { decided, filled, found, says } from './make-search.ts'
import { openAt } from './sqlite-file.ts'

type Step = Decision & { stream: 'ours' | 'feat' | 'theirs'; learns: boolean; review: boolean }

const step: fc.Arbitrary<Step> = fc
  .record({
    stream: fc.constantFrom('ours', 'feat', 'theirs'),
    text: fc.constantFrom('Use Postgres', 'use  postgres.', 'Use JWT'),
    why: fc.constantFrom('', 'json', 'cheap'),
    supersededBy: fc.option(fc.constantFrom('X', 'Y')),
    learns: fc.boolean(),
    review: fc.boolean(),
  })
  .map(({ text, why, supersededBy, ...rest }) => ({ ...rest, ...decided(text, supersededBy, why) }))

/** Says one thing after another in its stream; theirs comes by git, and a step may review all that came. */
async function play(store: Store, steps: readonly Step[], after: () => Promise<unknown>): Promise<void> {
  const said = new Map<string, Step[]>()
  const sequences = new Map<string, number>()
  const unreviewed: string[] = []
  for (const one of steps) {
    const before = (said.get(one.stream) ?? []).filter(({ text }) => text !== one.text)
    const all = [...before, one]
    said.set(one.stream, all)
    const sequence = (sequences.get(one.stream) ?? 0) + 1
    sequences.set(one.stream, sequence)
    const decisions = all.map(({ text, why, supersededBy }) => decided(text, supersededBy, why))
    const references = all.flatMap(({ learns, text }) =>
      learns ? [{ kind: 'learning' as const, text }] : [],
    )
    const foreign = one.stream === 'theirs'
    const id = await says(store, sequence, { decisions, references }, { name: one.stream, foreign })
    if (foreign) unreviewed.push(id)
    await after()
    if (one.review) await store.acts.commit({ workspace: WORKSPACE.id, reviews: unreviewed.splice(0) })
  }
}

const everything = async (store: Store) => {
  const { hits, foreign, total } = await found(store, 'use', { most: 50 })
  const told = hits.map(({ id, kind, place, snippet, superseded }) =>
    JSON.stringify([id, kind, place?.stream, place?.sequence, snippet, superseded]),
  )
  return { told: told.toSorted(), foreign, total }
}

test('what is found does not depend on when the index was filled', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
      const [early, late] = [openAt(':memory:'), openAt(':memory:')]
      await play(early, steps, () => filled(early))
      await play(late, steps, () => Promise.resolve())
      expect(await everything(early)).toEqual(await everything(late))
      await Promise.all([early.close(), late.close()])
    }),
    { numRuns: 60 },
  )
})
