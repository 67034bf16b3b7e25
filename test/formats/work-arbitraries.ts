import fc from 'fast-check'
import { STEP_STATES } from '../../src/core/plan.ts'
import {
  type Artifact,
  type Claim,
  type Decision,
  emptyWork,
  type Origin,
  type Position,
  type WorkState,
} from '../../src/core/work.ts'

// Without line breaks of other kinds and marks of direction: those do not come back as they were.
const plain = fc
  .string({ unit: 'grapheme', maxLength: 12 })
  .filter((text) => !/[\u2028-\u202e\u2066-\u2069\p{Cc}]/u.test(text))

/** Lines, many of which look like structure to one of the formats. */
export const line = fc.oneof(
  plain,
  fc.constantFrom(
    ...[
      '# A',
      '## Goal',
      '### Now',
      '```',
      '~~~ x',
      '---',
      '- - -',
      '***',
      '- x',
      '1. y',
      '[x] z',
      '===',
      '<!--',
    ],
    ...[
      '- Problem: x',
      '- Rule: y',
      '* **State:** z',
      '1. Blocked: w',
      '\\- Fact: v',
      'Change: u',
      '~~gone~~',
    ],
  ),
  fc.constantFrom(
    ...['\\# A', '\\\\- x', '    code', '\ttab', '`UNCONFIRMED`', '&#38;#85;NCONFIRMED', '_Last updated: x_'],
    ...['`', '_ _ _', '~~a~~ rejected: b', '\\~~c', 'Step: 1'],
  ),
)
const trimmed = (text: string) => text.replace(/^[^\S\n]+$/gm, '').trim()
export const block = fc.array(line, { maxLength: 4 }).map((lines) => trimmed(lines.join('\n')))
export const item = block.filter((text) => text !== '')
const name = fc
  .oneof(fc.string({ minLength: 1, maxLength: 10 }), fc.constantFrom('a,b', '`', 'a``b`', '- x'))
  .map((text) => text.trim())
  .filter((text) => text !== '')
const names = fc.uniqueArray(name, { maxLength: 4 })
const few = <T>(one: fc.Arbitrary<T>) => fc.array(one, { maxLength: 3 })

const claims = few(
  fc.record<Claim>({ text: item, origin: fc.constant<Origin>('file'), confirmed: fc.boolean() }),
)
const decisions = few(
  fc
    .record({
      text: item.filter((text) => !/[.]$/.test(text)),
      confirmed: fc.boolean(),
      why: fc.constantFrom('', 'it is small', 'two\nlines ~~ of it'),
      over: fc.constantFrom(null, 'itself', 'Another ~~ choice'),
      rejected: fc.constantFrom(undefined, undefined, '', 'too slow\nby far'),
    })
    .map(({ text, confirmed, why, over, rejected }): Decision => {
      const base = { text, why, origin: 'file' as const, confirmed }
      if (rejected !== undefined) return { ...base, supersededBy: text, rejected }
      return { ...base, supersededBy: over === 'itself' ? text : over }
    }),
)
const artifacts = fc.uniqueArray(
  fc.record<Artifact>({
    path: name,
    action: fc.constantFrom('', 'modified', 'deleted'),
    description: fc.constantFrom('', 'split: in two', '(a) - b'),
  }),
  { maxLength: 4, selector: ({ path }) => path },
)
const references = fc
  .tuple(names, names, fc.uniqueArray(item, { maxLength: 2 }), fc.constantFrom('url', 'learning', 'note'))
  .map(([ids, commands, others, kind]) => [
    ...ids.map((text) => ({ kind: 'id', text })),
    ...commands.map((text) => ({ kind: 'command', text })),
    ...others.map((text) => ({ kind, text })),
  ])
const word = fc.constantFrom('', 'red', '2', 'phase two: the parser')
const steps = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom('load', 'parse-2', 'join'),
    ordinal: fc.nat(20),
    title: word,
    state: fc.constantFrom(...STEP_STATES),
    planned: fc.boolean(),
  }),
  { maxLength: 3, selector: ({ id }) => id },
)
const position: fc.Arbitrary<Position> = fc
  .record({
    planName: fc.constantFrom(undefined, 'auth'),
    plan: fc.option(fc.record({ path: fc.constant('docs/plan.md'), steps, violations: few(item) })),
    step: fc.constantFrom(null, 'load'),
    fault: fc.option(
      fc.record({ reasonCode: fc.constant('timeout'), recoverable: fc.boolean(), message: word }),
    ),
    stage: word,
    tddPhase: word,
    anchor: word,
  })
  .map(({ planName, ...rest }) => ({ ...(planName === undefined ? {} : { planName }), ...rest }))

/** Work as a file can say it: of no origin but a file, without times and fingerprints. */
export const works: fc.Arbitrary<WorkState> = fc
  .record({
    ...{ problem: block, intent: block, state: block, now: block, position, artifacts, references },
    ...{ decisions, constraints: claims, rules: claims, facts: claims, questions: claims },
    done: few(item.map((text) => ({ text, at: null }))),
    next: few(item.map((text) => ({ text }))),
    blockers: few(item.map((text) => ({ text }))),
  })
  .map((fields) => ({ ...emptyWork(), ...fields }))

/** Work as the store has it. */
export const storedWorks: fc.Arbitrary<WorkState> = fc
  .tuple(works, fc.constantFrom<Origin>('user', 'agent', 'file'), fc.boolean())
  .map(([work, origin, isTimed]) => ({
    ...work,
    decisions: work.decisions.map((one) => ({ ...one, origin })),
    rules: work.rules.map((one) => ({ ...one, origin })),
    done: work.done.map((one) => ({ ...one, at: isTimed ? '2026-01-31T12:00:00.000Z' : null })),
    artifacts: work.artifacts.map((one) => (isTimed ? { ...one, seen: 'file:1:2' } : one)),
  }))
