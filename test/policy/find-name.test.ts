import { describe, expect, test } from 'vitest'
import { lookupProblem } from '../../src/core/id.ts'
import { matchName, type NamedWork } from '../../src/policy/find-name.ts'

const work = (name: string, more: Partial<NamedWork> = {}): NamedWork => ({
  ...{ name, branch: null, standing: 'open', foreign: false, ...more },
})
const all = [
  work('feature-webhook', { branch: 'feature/webhook' }),
  work('feature-retries', { branch: 'feature/retries' }),
  work('a-b', { branch: 'a/b' }),
  work('a-b-2', { branch: 'a-b' }),
  work('auth'),
  work('auth-tokens'),
  work('old-login', { standing: 'archived' }),
  work('payments-old', { standing: 'archived' }),
  work('payments-new'),
  work('theirs', { foreign: true }),
]
const nothing = { found: null, several: [], alike: null }

describe('a name as somebody types it', () => {
  test.each([
    ['the name itself, though others begin so', 'auth', 'auth'],
    ['in another case', 'AUTH-Tokens', 'auth-tokens'],
    ['the name of its branch', 'feature/webhook', 'feature-webhook'],
    ['a name before a branch that is called so', 'a-b', 'a-b'],
    ['the branch of two that have one slug', 'a/b', 'a-b'],
    ['the beginning', 'feature-w', 'feature-webhook'],
    ['the beginning of the branch', 'feature/r', 'feature-retries'],
    ['the beginning, of one that is open', 'pay', 'payments-new'],
    ['the beginning, of one that is over', 'old', 'old-login'],
    ['the whole name of foreign work', 'theirs', 'theirs'],
  ])('%s', (_, typed, found) => {
    expect(matchName(all, typed)).toEqual({ found })
  })

  test('several that begin so are named, and none is taken', () => {
    expect(matchName(all, 'feature')).toMatchObject({ several: ['feature-retries', 'feature-webhook'] })
  })

  test.each([
    ['featre-webhook', 'feature-webhook'],
    ['feature-wehbook', 'feature-webhook'],
    ['auht', 'auth'],
    ['payment-new', 'payments-new'],
  ])('%s: did you mean %s?', (typed, alike) => {
    expect(matchName(all, typed)).toEqual({ ...nothing, alike })
  })

  test.each(['nowhere', 'x', 'their', 'thiers'])(
    '%s is like nothing, and foreign work is not suggested',
    (typed) => {
      expect(matchName(all, typed)).toEqual(nothing)
    },
  )
})

test.each(['feature/webhook', 'users/ann/fix-#12', '功能/登录', 'v1.0'])('%s can name work', (word) => {
  expect(lookupProblem(word)).toBeNull()
})

test.each([
  '../x',
  '/etc/passwd',
  'a//b',
  'a/.b',
  '-x',
  'a b',
  'a\u001b[2J',
  'a\u202eb',
  'x.lock/',
  '',
  'a/',
])('%j cannot', (word) => {
  expect(lookupProblem(word)).not.toBeNull()
})
