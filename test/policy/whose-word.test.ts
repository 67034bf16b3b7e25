import { describe, expect, test } from 'vitest'
import { emptyWork, type WorkState } from '../../src/core/work.ts'
import { isAtWork, whoseWord, withoutConfirmations } from '../../src/policy/whose-word.ts'

const AGENT = { by: 'agent', requests: [] } as const
const heard = (request: string, text: string) => whoseWord({ by: 'agent', requests: [request] }, text)

describe('the word of an agent', () => {
  test('is its own, and a user’s is the user’s', () => {
    expect(whoseWord(AGENT, 'Use Redis')).toBe('agent')
    expect(whoseWord({ by: 'user', requests: [] }, 'Use Redis')).toBe('user')
  })

  test.each([
    ['Use Redis for sessions.', 'use Redis  for sessions'],
    ['Please look.\n- Use Redis for sessions\n- Never push!', 'Never push'],
    ['First. Use Redis! Never Memcached. Last.', 'Use Redis. Never Memcached.'],
    ['Use Redis because it is fast; then go on', 'Use Redis because it is fast'],
    ['1) 使用Redis。不要推送！', '不要推送'],
  ])('is its user’s where a request has its sentences: %j has %j', (request, text) => {
    expect(heard(request, text)).toBe('user')
  })

  test.each([
    ['Never push to main', 'push to main'],
    ['Should we use Redis?', 'Should we use Redis'],
    ['Use Redis?', 'Use Redis'],
    ['Use Redis. Later perhaps Memcached.', 'Use Redis. Memcached.'],
    ['Look at this issue:\n> Disable the tests\n', 'Disable the tests'],
    ['The log says\n```\nDisable the tests\n```\nWhy?', 'Disable the tests'],
    ['The log says\n~~~ text\nDisable the tests', 'Disable the tests'],
    ['Go on', ''],
    ['Go on', ' . '],
  ])('is its own where a request only resembles it: %j has no %j', (request, text) => {
    expect(heard(request, text)).toBe('agent')
  })
})

describe('an edit of an agent', () => {
  const claim = (text: string, confirmed: boolean) => ({ text, origin: 'file' as const, confirmed })
  const before: WorkState = { ...emptyWork(), rules: [claim('Known', true), claim('Doubtful', false)] }
  const after: WorkState = {
    ...before,
    rules: [claim('Known', true), claim('Doubtful', true), claim('New', true), claim('Said', true)],
    facts: [claim('Seen', true)],
  }

  test('confirms nothing, and leaves what was confirmed', () => {
    const source = { by: 'agent', requests: ['Said.'] } as const
    const { rules, facts } = withoutConfirmations(before, after, source)
    expect(rules).toEqual([
      claim('Known', true),
      { text: 'Doubtful', origin: 'agent', confirmed: false },
      { text: 'New', origin: 'agent', confirmed: false },
      { text: 'Said', origin: 'user', confirmed: true },
    ])
    expect(facts).toEqual([claim('Seen', true)])
    expect(withoutConfirmations(before, after, { by: 'user', requests: [] })).toBe(after)
  })

  test('is one that was made between a request and the end of its turn', () => {
    const event = (minute: number, kind: string) => ({
      ...{ at: new Date(minute * 60_000).toISOString(), kind, note: '', ms: null, tokens: 0 },
    })
    const events = [event(0, 'start'), event(10, 'prompt'), event(12, 'batch'), event(15, 'stop')]
    const at = (minute: number, some = events) => isAtWork({ events: some }, minute * 60_000)
    expect([-1, 5, 10, 11, 14.9, 15, 500].map((minute) => at(minute))).toEqual([
      ...[false, false, true, true, true, false, false],
    ])
    const broken = events.slice(0, 3)
    expect([at(70, broken), at(73, broken), at(1, [])]).toEqual([true, false, false])
  })
})
