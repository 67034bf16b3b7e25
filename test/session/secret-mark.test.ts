import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { secretMarkIn } from '../../src/engine/context/secret-mark.ts'
import { redact } from '../../src/policy/redact.ts'
import { testPorts } from '../support/ports.ts'

const TOKEN = ['gh', 'p_', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6'].join('')
const OTHER = ['gh', 'p_', 'Z9y8X7w6V5u4T3s2R1q0P9o8N7m6L5k4'].join('')

function emptyHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'savepoint-test-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

test('equal secrets have equal marks, in every process of one home, and other marks in another', () => {
  const home = emptyHome()
  const { random } = testPorts()
  const first = redact(`${TOKEN} ${OTHER} ${TOKEN}`, secretMarkIn(home, random)).split(' ')
  expect(first[0]).toMatch(/^\[redacted:github-token:[0-9a-f]{8}\]$/)
  expect(first[2]).toBe(first[0])
  expect(first[1]).not.toBe(first[0])
  expect(redact(TOKEN, secretMarkIn(home, random))).toBe(first[0])
  expect(redact(`GITHUB_TOKEN="${TOKEN}"`, secretMarkIn(home, random))).toContain(first[0])
  expect(redact(TOKEN, secretMarkIn(emptyHome(), random))).not.toBe(first[0])
})

test('the key is made once, for its owner alone, and only where a secret is met', () => {
  const home = emptyHome()
  const mark = secretMarkIn(home, testPorts().random)
  redact('nothing secret', mark)
  expect(readdirSync(home)).toEqual([])
  redact(TOKEN, mark)
  expect(readdirSync(home)).toEqual(['redaction.key'])
  expect(statSync(join(home, 'redaction.key')).mode & 0o777).toBe(0o600)
})

test('a home that is not there, or holds no key of ours, still hides the value', () => {
  const home = emptyHome()
  expect(redact(TOKEN, secretMarkIn(join(home, 'gone'), testPorts().random))).toBe('[redacted:github-token]')
  chmodSync(home, 0o500)
  expect(redact(TOKEN, secretMarkIn(home, testPorts().random))).not.toContain(TOKEN)
  chmodSync(home, 0o700)
})
