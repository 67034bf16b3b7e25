import { describe, expect, test } from 'vitest'
import { MOST_QUERY_CHARACTERS, readQuery } from '../../src/policy/search-query.ts'

describe('a query', () => {
  test.each([
    ['token refresh', ['token', 'refresh']],
    ['"race condition" lock', ['race condition', 'lock']],
    ['"never closed', ['never closed']],
    ['src/auth.ts', ['src/auth.ts']],
    ['NOT a OR b', ['NOT', 'a', 'OR', 'b']],
    ['** !! "…" word', ['word']],
    ['nul\u0000l', ['nul', 'l']],
  ])('%j asks for the plain words %j', (query, texts) => {
    expect(readQuery(query)).toMatchObject({ terms: texts.map((text) => ({ text, prefix: false })) })
  })

  test.each(['xyz*', '"two wor"*', 'a*'])('%j asks for a beginning', (query) => {
    expect(readQuery(query)).toMatchObject({ terms: [{ prefix: true }] })
  })

  test.each(['', '   ', '"" * -', '!?', '"'])('%j is none, and says how one looks', (query) => {
    expect(readQuery(query)).toContain('savepoint search token refresh')
  })

  test('has an end', () => {
    expect(readQuery('x'.repeat(MOST_QUERY_CHARACTERS))).not.toBeTypeOf('string')
    expect(readQuery('x'.repeat(MOST_QUERY_CHARACTERS + 1))).toContain('501')
    expect(readQuery('a '.repeat(25))).toContain('25')
  })

  test.each([
    ['検索', true],
    ['ภาษาไทย', true],
    ['日本 token', true],
    ['Größe', false],
    ['한국어', false],
  ])('%s needs a scan: %s', (query, unspaced) => {
    expect(readQuery(query)).toMatchObject({ unspaced })
  })
})
