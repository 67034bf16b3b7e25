import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LATER, REQUIREMENTS } from '../requirements.ts'
import { projectRoot } from '../support/sandbox.ts'

/** The ids in the titles of tests that run: `test('… [004.12]', …)`, not of skipped ones and not of comments. */
function citations(): Set<string> {
  const cited = new Set<string>()
  const folder = join(projectRoot, 'test')
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.test.ts')) continue
    const text = readFileSync(join(folder, name), 'utf8')
    for (const [, title] of text.matchAll(
      /^\s*(?:test|it)(?:\.(?:each|skipIf|runIf)\([^\n]*\))?\(\s*(['"`].*)$/gm,
    ))
      for (const [, id] of (title ?? '').matchAll(/\[(\d{3}\.\d{2})\]/g)) if (id) cited.add(id)
  }
  return cited
}

test('every requirement has a test, and every test cites a requirement that exists', () => {
  const cited = citations()
  expect(Object.keys(REQUIREMENTS).filter((id) => !cited.has(id))).toEqual([])
  expect([...cited].filter((id) => !Object.hasOwn(REQUIREMENTS, id))).toEqual([])
})

test('what nothing keeps yet is no requirement that is kept, and no test claims it', () => {
  const cited = citations()
  expect(Object.keys(LATER).filter((id) => Object.hasOwn(REQUIREMENTS, id) || cited.has(id))).toEqual([])
})
