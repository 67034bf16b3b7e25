import { plainLine, plainText } from '../../core/bullets.ts'
import type { WorkState } from '../../core/work.ts'
import { decodeDocument } from './codec.ts'
import { replaceActions } from './extend-actions.ts'
import { unreadError, withNow, withState, withText } from './extend-block.ts'
import { extendList } from './extend-list.ts'
import { extendCrumbs, extendTrail } from './extend-rows.ts'
import { CLAIM, DECISION, FACT, type Fact, STEP } from './spell.ts'
import { workOf } from './work.ts'

/**
 * A document with what changed between two states of the work. How things stand, what is being done now and what
 * comes next are replaced; everything else is added to, and an item that changed is changed where it stands. What
 * the document says already is not written again, and every byte outside of the sections that change stays.
 * `before` is what the document says, or less of it: what is the same in both states is never touched.
 */
export function extendDocument(text: string, before: WorkState, after: WorkState): string {
  const steps = [
    (one: string) => replaceText(one, 'Problem', before.problem, after.problem),
    (one: string) => replaceText(one, 'Session Intent', before.intent, after.intent),
    (one: string) =>
      extendList(one, 'Decisions', {
        spelling: DECISION,
        before: before.decisions,
        after: after.decisions,
      }),
    (one: string) =>
      extendList(one, 'Technical Context', {
        spelling: FACT,
        before: factsOf(before),
        after: factsOf(after),
      }),
    (one: string) => extendCrumbs(one, before, after),
    (one: string) =>
      extendList(one, 'Play-By-Play', {
        spelling: STEP,
        before: textsOf(before.done),
        after: textsOf(after.done),
        elsewhere: ({ deltas }) => deltas.map(({ what }) => ({ text: what })),
      }),
    (one: string) => extendTrail(one, before, after),
    (one: string) => replaceState(one, before, after),
    (one: string) => replaceActions(one, before, after),
    (one: string) =>
      extendList(one, 'User Rules', { spelling: CLAIM, before: before.rules, after: after.rules }),
  ]
  return whole(
    text,
    steps.reduce((one, step) => step(one), text),
  )
}

const textsOf = (list: ReadonlyArray<{ text: string }>) => list.map(({ text }) => ({ text }))

const factsOf = ({ facts, constraints }: WorkState): Fact[] => [
  ...facts.map((fact) => ({ ...fact, kind: 'facts' as const })),
  ...constraints.map((constraint) => ({ ...constraint, kind: 'constraints' as const })),
]

const isSame = (some: string, other: string) => plainText(some) === plainText(other)

function replaceText(
  text: string,
  name: 'Problem' | 'Session Intent',
  before: string,
  after: string,
): string {
  const field = name === 'Problem' ? 'problem' : 'intent'
  if (plainText(after) === '' || isSame(after, before)) return text
  if (isSame(after, workOf(decodeDocument(text))[field])) return text
  const replaced = withText(text, name, after)
  if (!isSame(workOf(decodeDocument(replaced))[field], after)) throw unreadError(text, name)
  return replaced
}

function replaceState(text: string, before: WorkState, after: WorkState): string {
  if (isSame(after.state, before.state) && plainLine(after.now) === plainLine(before.now)) return text
  const here = workOf(decodeDocument(text))
  const keepsState = isSame(after.state, before.state) || isSame(after.state, here.state)
  const keepsNow = [before.now, here.now].some((now) => plainLine(now) === plainLine(after.now))
  if (keepsState && keepsNow) return text
  const state = keepsState ? here.state : after.state
  const now = keepsNow ? here.now : after.now
  const replaced = keepsState ? withNow(text, now) : withState(text, state, now)
  const read = workOf(decodeDocument(replaced))
  if (!isSame(read.state, state) || plainLine(read.now) !== plainLine(now))
    throw unreadError(text, 'Current State')
  return replaced
}

/** Lets a text pass only where every section and every delta that was there is still found. */
function whole(before: string, after: string): string {
  if (before === after) return after
  const [old, now] = [decodeDocument(before), decodeDocument(after)]
  const lost = [...old.sections.keys()].find((name) => !now.sections.has(name))
  if (lost !== undefined || old.deltas.length !== now.deltas.length)
    throw unreadError(before, lost ?? 'Next Actions')
  return after
}
