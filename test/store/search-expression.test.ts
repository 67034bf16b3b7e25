import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import '../support/property-seed.ts'
import { readQuery } from '../../src/policy/search-query.ts'
import { openDatabase } from '../../src/store/sqlite/driver.ts'
import { MIGRATIONS } from '../../src/store/sqlite/migrations.ts'
import { expressionOf } from '../../src/store/sqlite/search-expression.ts'

const expressions = (query: string) => {
  const read = readQuery(query)
  return typeof read === 'string' ? read : read.terms.map(expressionOf)
}

describe('the terms of a query in the syntax of FTS5', () => {
  test.each([
    ['token refresh', ['"token"', '"refresh"']],
    ['"race condition" lock', ['"race condition"', '"lock"']],
    ['"never closed', ['"never closed"']],
    ['xyz*', ['"xyz" *']],
    ['authenticat*', ['("authenticat" * OR "authent" OR "authentic")']],
    ['"two wor"*', ['"two wor" *']],
    ['a*', ['"a"']],
    ['deploy', ['("deploy" OR "deployment")']],
    ['src/auth.ts', ['"src/auth.ts"']],
    ['NOT a OR b AND NEAR(c)', ['"NOT"', '"a"', '"OR"', '"b"', '"AND"', '"NEAR(c)"']],
    ['text : foo ^bar -baz', ['"text"', '"foo"', '"^bar"', '"-baz"']],
    ['** !! "…" word', ['"word"']],
    ['nul\u0000l', ['"nul"', '"l"']],
  ])('%j reads as %j', (query, wanted) => {
    expect(expressions(query)).toEqual(wanted)
  })
})

describe('against SQLite', () => {
  const indexed = (...texts: string[]) => {
    const db = openDatabase(':memory:')
    for (const step of MIGRATIONS) db.exec(step)
    for (const text of texts)
      db.prepare('INSERT INTO search_texts (text, branch) VALUES (?, ?)').run(text, 'bx0')
    const select = db.prepare('SELECT rowid AS n FROM search_texts WHERE search_texts MATCH ? ORDER BY rowid')
    return {
      db,
      find: (query: string, join = ' AND '): number[] => {
        const read = readQuery(query)
        if (typeof read === 'string') return []
        // `as`: the one column of the statement above.
        return (
          select.all(`text : (${read.terms.map(expressionOf).join(join)})`) as Array<{ n: number }>
        ).map(({ n }) => n)
      },
    }
  }

  test('no query, whatever its characters, is an error or reaches another column', () => {
    const { db, find } = indexed('The refresh token races', 'Another text')
    const syntax = fc.constantFrom(
      '"',
      '*',
      '(',
      ')',
      'AND',
      'OR',
      'NOT',
      'NEAR(',
      '^',
      ':',
      '-',
      '+',
      '{',
      '}',
      'branch',
      'bx0',
      ' ',
      ',',
      '\u0000',
      '\ud800',
      '検',
      'e\u0301',
    )
    const query = fc
      .array(fc.oneof(syntax, fc.string({ unit: 'binary' }), fc.string()), { maxLength: 12 })
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(query, fc.constantFrom(' AND ', ' OR '), (text, join) => {
        expect(() => find(text, join)).not.toThrow()
      }),
      { numRuns: 3_000 },
    )
    expect(find('bx0')).toEqual([])
    expect(find('branch : bx0', ' OR ')).toEqual([])
    db.close()
  })

  test('words match in any form and order; a phrase as it stands; accents do not matter', () => {
    const { db, find } = indexed('The refresh tokens raced', 'Refreshing of a token', 'Die Größe zählt')
    expect(find('token refreshed')).toEqual([1, 2])
    expect(find('"refresh token"')).toEqual([1])
    expect(find('große ZAHLT')).toEqual([3])
    const deploys = indexed('deployment', 'deploy', 'deployed', 'deployers')
    for (const word of ['deploy', 'deployments', 'deploy*', 'deploym*', 'deployer'])
      expect(deploys.find(word), word).toEqual([1, 2, 3, 4])
    deploys.db.close()
    db.close()
  })

  test('every beginning of a word finds it, also one that ends inside an ending', () => {
    const words = [
      ...'authentication migrations security refreshing configurable deployment validator parallel'.split(
        ' ',
      ),
      ...'serialization indexes retries dependency consistency caching queries performance'.split(' '),
    ]
    const { db, find } = indexed(...words)
    const missed = words.flatMap((word, at) =>
      Array.from({ length: word.length - 3 }, (_, more) => word.slice(0, 4 + more)).filter(
        (beginning) => !find(`${beginning}*`).includes(at + 1),
      ),
    )
    expect(missed).toEqual([])
    expect(find('carton*')).toEqual([])
    db.close()
  })
})
