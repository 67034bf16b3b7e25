import { describe, expect, test } from 'vitest'
import { emptyWork, type WorkState } from '../../src/core/work.ts'
import {
  type Correction,
  correctWork,
  followCorrections,
  withoutCorrected,
} from '../../src/policy/correct.ts'
import { mergeSessionWork } from '../../src/policy/digest/work.ts'
import {
  applySaying,
  capWork,
  inheritWork,
  NOTHING_SAID,
  rejectedAgain,
  type Saying,
} from '../../src/policy/save.ts'
import { withoutConfirmations } from '../../src/policy/whose-word.ts'

const AT = '2026-01-02T03:04:05.000Z'
const USER = { by: 'user', requests: [] } as const
const agent = (...requests: string[]) => ({ by: 'agent', requests }) as const
const save = (before: WorkState, saying: Partial<Saying>) =>
  applySaying(before, { ...NOTHING_SAID, ...saying }, AT)

const WORK = save(
  save(emptyWork(), {
    decisions: ['JWT over cookies because the app has no session'],
    rules: ['Never push to main', 'Use tabs'],
    facts: ['Node 20'],
    constraints: ['No new service'],
    questions: ['Which expiry?'],
    next: ['Write the test', 'Ship it'],
    blockers: ['Review'],
  }),
  { by: 'agent', decisions: ['Redis for sessions'], rules: ['Deploy on Fridays'], facts: ['Port 3000'] },
)

type Act = { act: 'confirm' | 'remove' } | { act: 'reject'; why: string } | { act: 'reword'; to: string }
const correct = (
  text: string,
  act: Act,
  { work = WORK, by = USER as Parameters<typeof correctWork>[2], field = null as Correction['field'] } = {},
) => correctWork(work, [{ text, field, ...act }], by)
const textsOf = (list: ReadonlyArray<{ text: string }>) => list.map(({ text }) => text)

describe('the item that a text means', () => {
  test('is the only one that has it, in all fields or in one', () => {
    expect(correct('tabs', { act: 'remove' }).items).toEqual([{ field: 'rules', text: 'Use tabs' }])
    expect(() => correct('se', { act: 'remove' })).toThrow(/several match "se".*Give more of the text/)
    expect(correct('se', { act: 'remove' }, { field: 'constraints' }).work.constraints).toEqual([])
    expect(() => correct('vim', { act: 'remove' }, { field: 'rules' })).toThrow(
      'no rule matches "vim"; known: "Never push to main", "Use tabs", "Deploy on Fridays"',
    )
  })

  test('to be confirmed is one that nobody confirmed', () => {
    const { work } = correct('redis', { act: 'confirm' })
    expect(work.decisions[1]).toMatchObject({ origin: 'user', confirmed: true })
    expect(() => correct('jwt', { act: 'confirm' })).toThrow('no unconfirmed claim matches "jwt"')
  })

  test('a refusal names ten of many', () => {
    const many = save(emptyWork(), { facts: Array.from({ length: 30 }, (_, n) => `fact number ${n}`) })
    expect(() => correct('x', { act: 'remove' }, { work: many })).toThrow(/"fact number 9" and 20 more$/)
  })
})

describe('what is rejected', () => {
  const { work: without } = correct('fridays', { act: 'reject', why: 'nobody is there' })

  test('leaves its list, and a decision against it says why', () => {
    expect(textsOf(without.rules)).toEqual(['Never push to main', 'Use tabs'])
    expect(without.decisions.at(-1)).toEqual({
      ...{ text: 'Deploy on Fridays', why: '', origin: 'user', confirmed: true },
      ...{ supersededBy: 'Deploy on Fridays', rejected: 'nobody is there' },
    })
    const { work } = correct('jwt', { act: 'reject', why: 'phones' })
    expect(work.decisions[0]).toMatchObject({
      ...{ text: 'JWT over cookies', why: 'the app has no session' },
      ...{ supersededBy: 'JWT over cookies', rejected: 'phones' },
    })
  })

  test('does not come back by the word of an agent, whatever it calls it', () => {
    const said = {
      ...{ by: 'agent', rules: ['deploy on fridays.'], facts: ['Deploy on  Fridays'] },
      ...{ decisions: ['Deploy on Fridays because it is quick'], next: ['Deploy on Fridays', 'Ship'] },
    } as const satisfies Partial<Saying>
    const again = save(without, { ...said, decisions: [...said.decisions] })
    expect(again.decisions.map(({ rejected }) => rejected)).toEqual([undefined, undefined, 'nobody is there'])
    expect([textsOf(again.rules), textsOf(again.next)]).toEqual([textsOf(without.rules), ['Ship']])
    expect(textsOf(again.facts)).toEqual(['Node 20', 'Port 3000'])
    const told = rejectedAgain(without, { ...NOTHING_SAID, ...said, decisions: [...said.decisions] })
    expect(new Set(told.map(({ rejected }) => rejected))).toEqual(new Set(['nobody is there']))
    const edited = {
      ...without,
      facts: [...without.facts, { text: 'Deploy on Fridays', origin: 'file' as const, confirmed: true }],
    }
    expect(textsOf(withoutConfirmations(without, edited, agent()).facts)).toEqual(['Node 20', 'Port 3000'])
    const unstruck = without.decisions.map((one) => ({ ...one, supersededBy: null }))
    expect(
      withoutConfirmations(without, { ...without, decisions: unstruck }, agent()).decisions.at(-1),
    ).toEqual(without.decisions.at(-1))
  })

  test('stands again where the user says it again', () => {
    const again = save(without, { rules: ['Deploy on Fridays'] })
    expect(textsOf(again.rules)).toContain('Deploy on Fridays')
    expect(textsOf(again.decisions)).toEqual(['JWT over cookies', 'Redis for sessions'])
    const { work } = correct('jwt', { act: 'reject', why: 'phones' })
    const [revived] = save(work, { decisions: ['JWT over cookies'] }).decisions
    expect(revived).toEqual(WORK.decisions[0])
    const passedOn = save(without, {
      ...{ by: 'agent', requests: ['Deploy on Fridays.'], rules: ['Deploy on Fridays'] },
    })
    expect(passedOn.rules.at(-1)).toMatchObject({ origin: 'user', confirmed: true })
  })

  test('is inherited by work that begins, and capped like what was superseded', () => {
    expect(inheritWork(without).decisions.at(-1)?.rejected).toBe('nobody is there')
    const many = save(without, { decisions: Array.from({ length: 300 }, (_, n) => `D${n}`) })
    expect(capWork(many).work.decisions.some(({ rejected }) => rejected !== undefined)).toBe(false)
  })

  test('is not asked back by an answer in the talk of a session', () => {
    const answered = save(emptyWork(), { decisions: ['Which store? → Redis'] })
    const { work } = correct('redis', { act: 'reject', why: 'cost' }, { work: answered })
    const found = {
      ...{
        heard: emptyWork(),
        times: { intent: null, now: null, next: null, blockers: null, questions: null },
      },
      ...{ decisions: answered.decisions, done: [], artifacts: [] },
    }
    expect(mergeSessionWork(work, found, null).decisions).toEqual(work.decisions)
  })
})

describe('what is removed or reworded', () => {
  const { work: removed } = correct('never push', { act: 'remove' })
  const { work: reworded } = correct('tabs', { act: 'reword', to: 'Use tabs in Go' })

  test('is not brought back by the work of a session that still has it', () => {
    expect(withoutCorrected(removed, 'rules', WORK.rules)).toEqual(WORK.rules.slice(1))
    expect(withoutCorrected(reworded, 'rules', WORK.rules).map(({ text }) => text)).not.toContain('Use tabs')
    const { work } = correct('write the test', { act: 'remove' }, { work: { ...WORK, overheard: ['next'] } })
    const found = {
      ...{ heard: WORK, times: { intent: AT, now: AT, next: AT, blockers: AT, questions: AT } },
      ...{ decisions: WORK.decisions, done: [], artifacts: [] },
    }
    expect(textsOf(mergeSessionWork(work, found, null).next)).toEqual(['Ship it'])
  })

  test('is followed by a session that goes on from the work', () => {
    const { work: origin } = correct('fridays', { act: 'reject', why: 'nobody is there' }, { work: reworded })
    const session = save(WORK, { by: 'agent', facts: ['Seen by the session'] })
    const followed = followCorrections(session, origin)
    expect(textsOf(followed.rules)).toEqual(['Never push to main', 'Use tabs in Go'])
    expect(followed.decisions.at(-1)?.rejected).toBe('nobody is there')
    expect(textsOf(followed.facts)).toEqual(['Node 20', 'Port 3000', 'Seen by the session'])
    expect(followCorrections(session, WORK)).toBe(session)
  })

  test('what was confirmed since is confirmed there too, by whom it was', () => {
    const session = save(WORK, { by: 'agent', constraints: ['EU only'] })
    const origin = { ...WORK, constraints: [{ text: 'EU  only', origin: 'user' as const, confirmed: true }] }
    expect(session.constraints.at(-1)).toMatchObject({ origin: 'agent', confirmed: false })
    const followed = followCorrections(session, origin)
    expect(followed.constraints.at(-1)).toEqual({ text: 'EU only', origin: 'user', confirmed: true })
    expect(followCorrections(followed, session)).toBe(followed)
  })

  test('stands again when somebody says it, and is no longer remembered', () => {
    const again = save(removed, { rules: ['Never push to main'] })
    expect(textsOf(again.rules)).toEqual(['Use tabs', 'Deploy on Fridays', 'Never push to main'])
    expect(again.corrected).toEqual([])
  })

  test('keeps its place and its reason, and becomes the word of who rewords it', () => {
    expect(reworded.rules[1]).toEqual({ text: 'Use tabs in Go', origin: 'user', confirmed: true })
    const jwt = correct('jwt', { act: 'reword', to: 'JWT in a header' }).work.decisions[0]
    expect(jwt).toMatchObject({ text: 'JWT in a header', why: 'the app has no session' })
    const why = correct('jwt', { act: 'reword', to: 'JWT because of phones' }).work.decisions[0]
    expect(why).toMatchObject({ text: 'JWT', why: 'of phones' })
    expect(() => correct('tabs', { act: 'reword', to: 'never push to MAIN.' })).toThrow(
      'already a rule like that',
    )
    const superseded = save(WORK, { decisions: ['Passkeys'], supersedes: ['jwt'] })
    const { work } = correct('passkeys', { act: 'reword', to: 'WebAuthn' }, { work: superseded })
    expect(work.decisions[0]?.supersededBy).toBe('WebAuthn')
  })

  test('of many the newest are remembered', () => {
    let work = save(emptyWork(), { facts: Array.from({ length: 150 }, (_, n) => `fact <${n}>`) })
    for (let n = 0; n < 120; n += 1) work = correct(`<${n}>`, { act: 'remove' }, { work }).work
    expect([work.corrected?.length, work.corrected?.[0]?.text]).toEqual([100, 'fact <20>'])
  })
})

describe('an agent', () => {
  test.each([
    ['redis', { act: 'reject', why: 'cost' }],
    ['fridays', { act: 'remove' }],
    ['port 3000', { act: 'reword', to: 'Port 4000' }],
    ['write the test', { act: 'remove' }],
  ] as const)('takes back what is its own: %s', (text, act) => {
    expect(correct(text, act, { by: agent() }).items).toHaveLength(1)
  })

  test('that rewords its choice has chosen, and has seen what it saw', () => {
    const own = correct('fridays', { act: 'reword', to: 'Deploy on Mondays' }, { by: agent() }).work
    expect(own.rules.at(-1)).toMatchObject({ origin: 'agent', confirmed: false })
    const seen = correct('port', { act: 'reword', to: 'Port 4000' }, { by: agent() }).work
    expect(seen.facts.at(-1)).toMatchObject({ origin: 'agent', confirmed: true })
  })

  test.each([
    ['redis', { act: 'confirm' }, 'Redis is fine'],
    ['jwt', { act: 'reject', why: 'Yes, do that' }, 'Yes, do that.'],
    ['never push', { act: 'remove' }, 'Remove the dead code'],
    ['never push', { act: 'reword', to: 'Yes' }, 'Yes'],
    ['never push', { act: 'remove' }, 'Should we remove never push to main?'],
    ['never push', { act: 'remove' }, '> Remove never push to main'],
  ] as const)('does not touch the user’s word: %s, %j, where the user said %j', (text, act, request) => {
    expect(() => correct(text, act, { by: agent(request) })).toThrow(/^Only the user can/)
  })

  test.each([
    ['redis', { act: 'confirm' }, 'Redis for sessions.'],
    ['jwt', { act: 'reject', why: 'phones' }, 'Look. Reject JWT over cookies. Then go on.'],
    ['never push', { act: 'remove' }, 'remove "Never push to main"'],
    ['tabs', { act: 'reword', to: 'Use spaces' }, 'Reword "Use tabs" to "Use spaces"!'],
  ] as const)('passes on the user’s word: %s, %j, where the user said %j', (text, act, request) => {
    expect(correct(text, act, { by: agent(request) }).items).toHaveLength(1)
  })
})

test('the same item said twice stands once, in the words in which it was said first', () => {
  const twice = save(WORK, {
    rules: ['use  tabs.', 'Never push to main', 'Small commits', 'small commits.'],
    facts: ['NODE 20.'],
    decisions: ['jwt over cookies. because phones', 'Passkeys', 'passkeys.'],
    questions: ['which expiry?'],
  })
  expect(textsOf(twice.rules)).toEqual([
    'Never push to main',
    'Use tabs',
    'Deploy on Fridays',
    'Small commits',
  ])
  expect([textsOf(twice.facts), textsOf(twice.questions)]).toEqual([
    ['Node 20', 'Port 3000'],
    ['Which expiry?'],
  ])
  expect(twice.decisions.map(({ text, why }) => [text, why])).toEqual([
    ['JWT over cookies', 'phones'],
    ['Redis for sessions', ''],
    ['Passkeys', ''],
  ])
})
