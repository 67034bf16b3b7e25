import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findSecrets } from '../../src/policy/redact/find-secrets.ts'
import { makeRules } from '../../src/policy/redact/rules.ts'
import { redact, type SecretMark } from '../../src/policy/redact.ts'
import { cpuMs } from '../support/cpu-time.ts'
import { projectRoot } from '../support/sandbox.ts'
import {
  isReadable,
  ordinarySentences,
  plantSecrets,
  SECRET_KINDS,
  SECRET_PLACES,
} from '../support/secret-corpus.ts'

const planted = plantSecrets()

test('of 1,000 planted secrets of 40 kinds in 25 places at least 99 in 100 are redacted', () => {
  expect(Object.keys(SECRET_KINDS).length).toBeGreaterThanOrEqual(40)
  expect(Object.keys(SECRET_PLACES).length).toBeGreaterThanOrEqual(25)
  expect(planted.length).toBeGreaterThanOrEqual(1_000)
  // Each of them can be read before.
  expect(planted.filter(({ text, secret }) => !isReadable(text, secret))).toEqual([])
  const missed = planted.filter(({ text, secret }) => isReadable(redact(text), secret))
  expect(missed.length / planted.length, JSON.stringify(missed.slice(0, 5))).toBeLessThanOrEqual(0.01)
})

test('no kind and no place is missed more often than once in ten', () => {
  for (const by of ['kind', 'place'] as const) {
    const missed = planted.filter(({ text, secret }) => isReadable(redact(text), secret))
    for (const name of new Set(planted.map((one) => one[by]))) {
      const all = planted.filter((one) => one[by] === name).length
      expect(missed.filter((one) => one[by] === name).length / all, name).toBeLessThanOrEqual(0.1)
    }
  }
})

const withHash: SecretMark = (kind) => `[redacted:${kind}:0a1b2c3d]`

test('a mark is never redacted again, with a hash or without', () => {
  for (const mark of [undefined, withHash])
    for (const { text } of planted) {
      const clean = redact(text, mark)
      expect(redact(clean, mark)).toBe(clean)
    }
  const old =
    'password: [redacted:assigned-secret], then Bearer [redacted:bearer] and https://u:[redacted:url-password]@h'
  expect(redact(old, withHash)).toBe(old)
})

test('ordinary sentences about passwords and tokens stay as they are', () => {
  const sentences = ordinarySentences()
  expect(sentences).toHaveLength(2_000)
  expect(sentences.filter((one) => redact(one) !== one)).toEqual([])
})

test('a redaction takes the value, not the sentence', () => {
  const said = 'Decision: the password: "xK9#mP2$vL8q" stays until Monday, because the vault is down.'
  expect(redact(said)).toBe(
    'Decision: the password: "[redacted:assigned-secret]" stays until Monday, because the vault is down.',
  )
})

test.each([
  'commit 3f2a9c0d1e4b5a6978876554433221100ffeedda',
  '"integrity": "sha512-7YvAt1YBNgSxCmXZBqBRo2YqTnVVZbHSMJ4JrV7v0mnDxNhQcVLQpJ2pGcvXrkQm7zC5gDWZ8rV6Ld4x3n9Q7A=="',
  'session b7bb2d2f-96d3-4561-8cfb-4d53ea228843 saved cp_20261118T004200Z_000012_k3j9x2',
  '/home/anna/projects/shop/node_modules/@scope/pkg/dist/index-3a9f8c2e.js',
  'getServerSideAuthenticationTokenProviderFactory2',
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'cache_key: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  'the line -----BEGIN PRIVATE KEY----- comes first and -----END PRIVATE KEY----- comes last',
])('%s is no secret', (text) => {
  expect(redact(text)).toBe(text)
})

/** Sources that are on every machine on which the tests run; every so many-th of them, the same ones each time. */
function sources(every: number): string[] {
  const files = ['node_modules', 'src'].flatMap((folder) =>
    readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:[cm]?[jt]s|json|md|ya?ml)$/.test(name))
      .map((name) => join(projectRoot, folder, name))
      .sort(),
  )
  return files.filter((_, at) => at % every === 0)
}

test('in a sample of code at most 5 hits in 10 MB are false', () => {
  let bytes = 0
  const hits: string[] = []
  for (const path of sources(9)) {
    const text = readFileSync(path, 'utf8')
    // Tests of libraries hold tokens that are made to be taken for real ones.
    if (text.length > 1_000_000 || /[\\/](?:tests?|__tests__)[\\/]/.test(path)) continue
    bytes += text.length
    hits.push(...findSecrets(text).secrets.map(({ kind, value }) => `${kind} ${path} ${value.slice(0, 40)}`))
  }
  expect(bytes).toBeGreaterThan(1_000_000)
  expect(hits.length, hits.join('\n')).toBeLessThanOrEqual(Math.max(1, (bytes / 10_000_000) * 5))
})

/** What each rule begins with, over and over, alone and with what its value may be made of. */
const HOSTILE = [...new Set(makeRules().flatMap(({ at }) => at))].flatMap((at) => [
  at,
  `${at}a1`,
  `-${at}=x `,
])

const msToRedact = (unit: string, length: number) => {
  const text = unit.repeat(Math.ceil(length / unit.length))
  return Math.min(...[1, 2].map(() => cpuMs(() => redact(text))))
}

test('what any rule begins with, over and over, is read in linear time: a megabyte within 250 ms', () => {
  // The first text pays for what is compiled.
  redact(planted.map(({ text }) => text.slice(-2_000)).join('\n'))
  const slow = HOSTILE.filter((unit) => msToRedact(unit, 50_000) > 50)
  expect(slow).toEqual([])
  expect(
    HOSTILE.filter((_, at) => at % 25 === 0).filter((unit) => msToRedact(unit, 1_000_000) > 250),
  ).toEqual([])
}, 120_000)
