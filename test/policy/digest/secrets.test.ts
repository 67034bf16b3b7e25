import { expect, test } from 'vitest'
import { isSecretFile, namesSecretFile } from '../../../src/core/secret-file.ts'
import { foldEntry } from '../../../src/policy/digest/fold.ts'
import { emptyDigest } from '../../../src/policy/digest/state.ts'

const SECRET = [
  ...[
    '.env',
    '.env.production',
    'config/prod.env',
    'server.pem',
    '/home/a/.ssh/id_rsa',
    'id_ed25519',
    '.netrc',
  ],
  ...['.pgpass', '.npmrc', '/root/.aws/credentials', 'credentials.json', 'vault.kdbx', 'C:\\keys\\tls.key'],
]
const ORDINARY = [
  ...['.env.example', '.env.sample', '.env.template', 'id_rsa.pub', 'src/credentials.ts', 'environment.ts'],
  ...['docs/secrets.md', 'secret-file.test.ts', '.ssh/known_hosts', 'keyboard.js', 'package.json'],
]

test('files are secrets by their names, and their examples are not', () => {
  expect(SECRET.filter((path) => !isSecretFile(path))).toEqual([])
  expect(ORDINARY.filter(isSecretFile)).toEqual([])
  expect(namesSecretFile('cat ./.env | head -3')).toBe(true)
  expect(namesSecretFile('cp .env.example /tmp/x && npm test')).toBe(false)
})

const AT = '2026-01-02T03:04:05.000Z'
function lastDetail(input: { command?: string; path?: string }, text: string): string {
  const digest = emptyDigest()
  const does = input.path === undefined ? {} : { does: 'look' as const }
  foldEntry(digest, { kind: 'tool', at: AT, id: 't1', name: 'Bash', input, ...does })
  foldEntry(digest, { kind: 'result', at: AT, id: 't1', failed: true, refused: false, text })
  return digest.lastCall?.detail ?? ''
}

test('what is read from such a file is not kept, not even a line of it', () => {
  expect(lastDetail({ command: 'cat .env; false' }, 'PIN one two three')).toBe('')
  expect(lastDetail({ command: 'cat notes; false' }, 'PIN one two three')).toBe('PIN one two three')
})

test('one line of a key does not look like a key: it is taken out before a line is chosen', () => {
  const body = 'MIIEpAIBAAKCAQEA7b3f9Xq2'
  const key = ['-----BEGIN RSA PRIVATE', ` KEY-----\n${body}`].join('')
  expect(lastDetail({ command: 'deploy' }, `at the gate\n${key}`)).not.toContain(body)
})
