import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../src/core/agent-event.ts'
import { END_REASONS, SESSION_SOURCES, type Session } from '../../src/core/session.ts'
import { applyEvent, beginSession, measureEvent, parentOf } from '../../src/policy/session-apply.ts'
import { after, sampleSession } from './session-sample.ts'

const COMMON = {
  ...{ agent: 'claude', session: 'sess-abc', cwd: '/repo', transcript: null },
  ...{ permissionMode: null, helper: null },
}
type Said = AgentEvent extends infer Event
  ? Event extends AgentEvent
    ? Omit<Event, keyof typeof COMMON | 'at'>
    : never
  : never

// `as`: the two halves make one of the events, which the compiler cannot see.
const event = (ms: number, said: Said, more: Partial<AgentEvent> = {}) =>
  ({ ...COMMON, at: after(ms), ...said, ...more }) as AgentEvent

/** A session after events, one second apart. */
const told = (...all: Said[]) =>
  all.reduce((session, said, index) => applyEvent(session, event((index + 1) * 1_000, said)), sampleSession())

const START: Said = { kind: 'start', source: 'resume', model: null }
const PROMPT: Said = { kind: 'prompt', text: 'Go on' }
const END: Said = { kind: 'end', reason: 'prompt_input_exit' }
const EVERY: Said[] = [
  START,
  PROMPT,
  { kind: 'batch', tools: [{ name: 'Read', path: '/repo/a', isEdit: false, running: null }] },
  { kind: 'stop', again: false, said: 'Done', background: [] },
  { kind: 'failure', error: 'rate_limit', details: '' },
  { kind: 'compacting', automatic: true },
  { kind: 'compacted', summary: 'All' },
  { kind: 'helper-started', id: 'h1', what: 'explorer' },
  { kind: 'helper-stopped', id: 'h1', said: 'Found' },
  { kind: 'task-created', id: '1', what: 'Write' },
  { kind: 'task-completed', id: '1', what: 'Write' },
  END,
]

describe('any event', () => {
  test.each(EVERY)('$kind is noted, moves the clock and keeps what it does not speak of', (said) => {
    const before = sampleSession({ accomplishments: ['a'], stream: 'auth', nudged: ['70'], journalRead: 7 })
    const now = applyEvent(before, event(5_000, said), 12)
    expect(now.events).toEqual([
      { at: after(5_000), kind: said.kind, note: expect.any(String), ms: 12, tokens: 0 },
    ])
    expect(now.lastActivityAt).toBe(after(5_000))
    expect(now.phase).toBe(said.kind === 'end' ? 'recent' : 'active')
    for (const name of [
      'id',
      'workspace',
      'startedAt',
      'accomplishments',
      'stream',
      'nudged',
      'journalRead',
      'source',
    ] as const)
      expect(now[name]).toEqual(before[name])
    expect(before.events).toEqual([])
  })

  test.each(EVERY)('$kind that comes late from a journal does not turn the clock back', (said) => {
    const now = applyEvent(sampleSession({ lastActivityAt: after(9_000) }), event(5_000, said))
    expect(now.lastActivityAt).toBe(after(9_000))
    expect(now.events.at(-1)?.at).toBe(after(5_000))
  })

  test.each(EVERY)(
    '$kind tells where the transcript is and what is permitted, and null tells nothing',
    (said) => {
      const known = applyEvent(
        sampleSession(),
        event(1, said, { transcript: '/new.jsonl', permissionMode: 'plan' }),
      )
      expect(known.environment).toMatchObject({ transcriptPath: '/new.jsonl', permissionMode: 'plan' })
      const unknown = applyEvent(sampleSession(), event(1, said))
      expect(unknown.environment).toMatchObject({ transcriptPath: '/t.jsonl', permissionMode: 'default' })
      // It belongs to where it began, wherever the agent went meanwhile.
      const moved = applyEvent(sampleSession(), event(1, said, { cwd: '/elsewhere' }))
      expect(moved.environment.workingDirectory).toBe('/repo')
    },
  )

  test('of more than a hundred the newest stay', () => {
    const session = told(...Array.from({ length: 130 }, () => PROMPT))
    expect(session.events).toHaveLength(100)
    expect(session.events.at(-1)?.at).toBe(after(130_000))
  })
})

describe('a session that ended', () => {
  test('has its time and reason', () => {
    for (const reason of END_REASONS) {
      const session = told(PROMPT, { kind: 'end', reason })
      expect(session).toMatchObject({ phase: 'recent', endedAt: after(2_000), endReason: reason })
      expect(session.events.at(-1)?.note).toBe(reason)
    }
  })

  test.each(EVERY.filter(({ kind }) => kind !== 'end'))('and says $kind is alive again', (said) => {
    const session = told(END, said)
    expect(session).toMatchObject({ phase: 'active', endedAt: null, endReason: null })
  })

  test('and ends again has its last end', () => {
    const session = told(END, START, PROMPT, { kind: 'end', reason: 'logout' })
    expect(session).toMatchObject({ phase: 'recent', endedAt: after(4_000), endReason: 'logout' })
  })

  test('stays archived at a further end, and wakes at a word', () => {
    const archived = sampleSession({ phase: 'archived', endedAt: after(0), endReason: 'other' })
    expect(applyEvent(archived, event(1, END)).phase).toBe('archived')
    expect(applyEvent(archived, event(1, PROMPT))).toMatchObject({ phase: 'active', endedAt: null })
  })
})

test('the newest words of both sides are known, and an empty answer takes none away', () => {
  const said: Said = { kind: 'stop', again: false, said: 'First', background: [] }
  const session = told(PROMPT, said, { kind: 'prompt', text: 'More' }, { ...said, said: '' })
  expect(session.lastPrompt).toEqual({ at: after(3_000), text: 'More' })
  expect(session.lastSaid).toEqual({ at: after(2_000), text: 'First' })
})

describe('a session that was stopped', () => {
  const FAILED: Said = { kind: 'failure', error: 'rate_limit', details: 'until 5 pm' }

  test('is paused, also when it ends so', () => {
    const paused = { reason: 'rate_limit', at: after(1_000) }
    expect(told(FAILED)).toMatchObject({ phase: 'active', paused })
    expect(told(FAILED, END)).toMatchObject({ phase: 'recent', paused })
    expect(told(FAILED).events[0]?.note).toBe('rate_limit')
  })

  test.each(EVERY.filter(({ kind }) => ['start', 'prompt', 'batch', 'stop'].includes(kind)))(
    'goes on with $kind',
    (said) => {
      expect(told(FAILED, said).paused).toBeNull()
    },
  )
})

describe('a compaction', () => {
  const COMPACTING: Said = { kind: 'compacting', automatic: false }

  test('is owed from its beginning, with its summary once that is known', () => {
    expect(told(COMPACTING)).toMatchObject({
      compactions: 0,
      compaction: { at: after(1_000), summary: null },
    })
    const over = told(
      COMPACTING,
      { kind: 'start', source: 'compact', model: null },
      { kind: 'compacted', summary: 'S' },
    )
    expect(over).toMatchObject({ compactions: 1, compaction: { at: after(1_000), summary: 'S' } })
    expect(over.events.map(({ note }) => note)).toEqual(['requested', 'compact', ''])
  })

  test('whose beginning nobody heard is owed all the same', () => {
    expect(told({ kind: 'compacted', summary: 'S' })).toMatchObject({
      compactions: 1,
      compaction: { at: after(1_000), summary: 'S' },
    })
  })
})

describe('what is in flight', () => {
  const idsIn = ({ inFlight }: Session) => inFlight.map(({ kind, id }) => `${kind} ${id}`)
  const background = (...ids: string[]): Said => ({
    ...{ kind: 'stop', again: false, said: '' },
    background: ids.map((id) => ({ id, what: `run ${id}` })),
  })
  const helper: Said = { kind: 'helper-started', id: 'h1', what: 'explorer' }
  const task: Said = { kind: 'task-created', id: 'h1', what: 'Write' }

  test('helpers and tasks come and go by their own ids', () => {
    expect(told(helper, task).inFlight).toEqual([
      { id: 'h1', kind: 'subagent', what: 'explorer', since: after(1_000) },
      { id: 'task h1', kind: 'task', what: 'Write', since: after(2_000) },
    ])
    expect(idsIn(told(helper, task, { kind: 'helper-stopped', id: 'h1', said: '' }))).toEqual([
      'task task h1',
    ])
    expect(idsIn(told(helper, task, { kind: 'task-completed', id: 'h1', what: '' }))).toEqual(['subagent h1'])
    expect(idsIn(told(helper, helper))).toEqual(['subagent h1'])
  })

  test('the end of what nobody saw begin is nothing', () => {
    expect(
      told({ kind: 'helper-stopped', id: 'h9', said: '' }, { kind: 'task-completed', id: '9', what: '' })
        .inFlight,
    ).toEqual([])
  })

  test('a stop tells all that runs in the background, each since it was first seen', () => {
    const session = told(helper, background('a', 'b'), background('b', 'c'))
    expect(idsIn(session)).toEqual(['subagent h1', 'background b', 'background c'])
    expect(session.inFlight.map(({ since }) => since)).toEqual([after(1_000), after(2_000), after(3_000)])
  })

  test('the answer of a tool says what a helper is for, and that a command runs', () => {
    const left = (id: string, kind: 'subagent' | 'background', what: string): Said => ({
      kind: 'batch',
      tools: [{ name: 'Tool', path: null, isEdit: false, running: { id, kind, what } }],
    })
    const session = told(
      helper,
      left('h1', 'subagent', 'Look for it'),
      left('b1', 'background', 'npm run dev'),
    )
    expect(session.inFlight).toEqual([
      { id: 'h1', kind: 'subagent', what: 'Look for it', since: after(1_000) },
      { id: 'b1', kind: 'background', what: 'npm run dev', since: after(3_000) },
    ])
  })

  test('a client that starts anew runs nothing; one that only compacted goes on', () => {
    for (const source of SESSION_SOURCES) {
      const session = told(helper, { kind: 'start', source, model: null })
      expect(idsIn(session), source).toEqual(source === 'compact' ? ['subagent h1'] : [])
    }
  })

  test('is bounded', () => {
    const many = Array.from({ length: 80 }, (_, id): Said => ({ ...helper, id: `h${id}` }) as Said)
    const session = told(...many)
    expect(session.inFlight).toHaveLength(50)
    expect(session.inFlight.at(-1)?.id).toBe('h79')
  })
})

describe('a session begins', () => {
  const where = {
    ...{ repository: 'r1', workspace: 'w1', branch: 'main', commit: 'abc' },
    ...{ parent: 'p1', stream: 'auth' },
  }

  test('with what its start says', () => {
    const session = beginSession(event(0, { kind: 'start', source: 'clear', model: 'm' }), where)
    expect(session).toMatchObject({
      ...{ agent: 'claude', id: 'sess-abc', source: 'clear', phase: 'active', parent: 'p1', stream: 'auth' },
      ...{ startedAt: after(0), lastActivityAt: after(0), events: [], journalRead: 0 },
      environment: { gitBranch: 'main', gitCommitHash: 'abc', workingDirectory: '/repo', model: 'm' },
    })
  })

  test('with any event, where nobody heard it start', () => {
    for (const said of EVERY.filter(({ kind }) => kind !== 'start'))
      expect(beginSession(event(0, said), where)).toMatchObject({
        source: 'startup',
        environment: { model: null },
      })
  })
})

describe('how long our part took', () => {
  const timing = { of: 'prompt' as const, ms: 40, tokens: 300 }

  test('goes to the newest event of its kind that was not measured', () => {
    const session = measureEvent(told(PROMPT, PROMPT, END), timing)
    expect(session.events.map(({ ms, tokens }) => [ms, tokens])).toEqual([
      [null, 0],
      [40, 300],
      [null, 0],
    ])
    expect(measureEvent(session, { ...timing, ms: 7 }).events[0]).toMatchObject({ ms: 7 })
  })

  test('is nothing where there is no such event', () => {
    const session = told(END)
    expect(measureEvent(session, timing)).toBe(session)
  })
})

describe('the session before this one', () => {
  const other = (id: string, ms: number, more: Partial<Session> = {}) =>
    sampleSession({
      id,
      lastActivityAt: after(ms),
      endedAt: after(ms),
      endReason: 'clear',
      phase: 'recent',
      ...more,
    })
  const parent = (source: (typeof SESSION_SOURCES)[number], ...others: Session[]) => {
    const start = event(100_000, { kind: 'start', source, model: null })
    return start.kind === 'start' ? (parentOf(start, others)?.id ?? null) : null
  }

  test('is for a clear the one that was cleared a moment ago', () => {
    expect(parent('clear', other('old', 30_000), other('near', 99_990))).toBe('near')
    expect(parent('clear', other('old', 30_000))).toBeNull()
    expect(parent('clear', other('left', 99_990, { endReason: 'logout' }))).toBeNull()
    expect(parent('clear', other('alive', 99_990, { endedAt: null, endReason: null }))).toBeNull()
    // The two hooks of one clear may come in either order.
    expect(parent('clear', other('after', 100_500))).toBe('after')
  })

  test('is for a clear the one that ended nearest to it, of several in either order', () => {
    const [far, near] = [other('far', 95_000), other('near', 99_000)]
    expect(parent('clear', far, near)).toBe('near')
    expect(parent('clear', near, far)).toBe('near')
    // A clear of another terminal comes a while later.
    expect(parent('clear', near, other('later', 150_000))).toBe('near')
    expect(parent('clear', near, other('nearer', 99_900, { endReason: 'logout' }))).toBe('near')
  })

  test('is none where two were cleared at once', () => {
    expect(parent('clear', other('one', 99_000), other('two', 98_500))).toBeNull()
    expect(parent('fork', other('one', 99_000), other('two', 98_500))).toBe('one')
  })

  test('is taken once: who was cleared has one that goes on from it', () => {
    const near = other('near', 99_990)
    const child = (of: string) => other('child', 99_995, { parent: of, endedAt: null, endReason: null })
    expect(parent('clear', near, child('near'))).toBeNull()
    expect(parent('clear', near, other('next', 95_000), child('near'))).toBe('next')
    expect(parent('clear', near, child('somebody'))).toBe('near')
    // Of one session there may be several forks.
    expect(parent('fork', near, other('child', 90_000, { parent: 'near' }))).toBe('near')
  })

  test('is for a fork the one that spoke last', () => {
    const alive = { endedAt: null, endReason: null, phase: 'active' } as const
    expect(parent('fork', other('a', 1_000, alive), other('b', 2_000, alive))).toBe('b')
    expect(parent('fork', other('sess-abc', 3_000, alive), other('b', 2_000))).toBe('b')
  })

  test('is none for any other start', () => {
    for (const source of ['startup', 'resume', 'compact'] as const)
      expect(parent(source, other('near', 99_990))).toBeNull()
  })
})

test('any row of events leaves a session whose phase, end and counts agree', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...EVERY), { maxLength: 150 }), (all) => {
      const session = told(...all)
      const last = all.at(-1)
      expect(session.phase).toBe(last?.kind === 'end' ? 'recent' : 'active')
      expect(session.endedAt !== null).toBe(last?.kind === 'end')
      expect(session.compactions).toBe(all.filter(({ kind }) => kind === 'compacted').length)
      expect(session.events).toHaveLength(Math.min(100, all.length))
    }),
    { numRuns: 50 },
  )
})
