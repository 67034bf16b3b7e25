import fc from 'fast-check'
import { expect, test } from 'vitest'
import { redact, redactAll } from '../../src/policy/redact.ts'
import { cpuMs } from '../support/cpu-time.ts'

/** Put together at run time, so that no scanner takes this file for a leak. */
const glue = (...parts: string[]) => parts.join('')
const R = 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6'

const SECRETS: Array<[string, string, string]> = [
  [
    'private-key',
    glue('-----BEGIN RSA PRIVATE', ' KEY-----\nMIIEow', R, '\n-----END RSA PRIVATE KEY-----'),
    R,
  ],
  ['anthropic-key', glue('sk-', 'ant-api03-', R), R],
  ['openai-key', glue('sk-', 'proj-', R), R],
  ['github-token', glue('gh', 'p_', R), R],
  ['github-token', glue('github', '_pat_', R), R],
  ['gitlab-token', glue('gl', 'pat-', R), R],
  ['npm-token', glue('npm', '_', R), R],
  ['slack-token', glue('xo', 'xb-123456789012-', R), R],
  ['stripe-key', glue('sk', '_live_', R), R],
  ['google-key', glue('AI', 'za', R), R],
  ['aws-key-id', glue('AK', 'IAABCDEFGHIJKLMNOP'), 'ABCDEFGHIJKLMNOP'],
  ['jwt', glue('ey', 'JhbGciOiJI.', R, '.', R), R],
  ['bearer', glue('Authorization: Bearer ', R), R],
  ['url-password', glue('postgres://user:', 'hunter2hunter2', '@host/db'), 'hunter2hunter2'],
  ['assigned-secret', glue('AWS_SECRET_ACCESS', '_KEY=', R), R],
  ['assigned-secret', glue('--token', '=', R), R],
  ['assigned-secret', glue('{"password":', ' "', R, '"}'), R],
]

test.each(SECRETS)('a secret of the kind %s is replaced: %s', (kind, text, secret) => {
  const clean = redact(`before ${text} after`)
  expect(clean).not.toContain(secret)
  expect(clean).toContain(`[redacted:${kind}]`)
  expect(clean.startsWith('before ')).toBe(true)
  expect(clean.endsWith(' after')).toBe(true)
})

test('an encrypted private key is replaced whole, headers and body', () => {
  const key = glue(
    '-----BEGIN RSA PRIVATE',
    ' KEY-----\nProc-Type: 4,ENCRYPTED\n\n',
    R,
    '\n-----END RSA PRIVATE KEY-----',
  )
  expect(redact(key)).not.toContain(R)
})

test('of two private keys both go, and what stands between them stays', () => {
  const key = glue('-----BEGIN RSA PRIVATE', ' KEY-----\n', R, '\n-----END RSA PRIVATE KEY-----')
  expect(redact(`a ${key} b ${key} c`)).toBe('a [redacted:private-key] b [redacted:private-key] c')
})

test('a private key whose end was cut off is replaced to the end of the text', () => {
  expect(redact(glue('a -----BEGIN PRIVATE', ' KEY-----\n', R))).toBe('a [redacted:private-key]')
})

const SPACED = ['--token', '--password', '--api-key', '--db-password']

test.each(SPACED)('a secret after the option %s is replaced, with a space or an equals sign', (option) => {
  for (const between of [' ', '='])
    expect(redact(`tool ${option}${between}${R} --verbose`)).toMatch(
      /^tool --[a-z-]+[ =]\[redacted:[a-z-]+\] --verbose$/,
    )
})

test('an option that takes no value does not swallow the next one', () => {
  expect(redact('tool --token --verbose')).toBe('tool --token --verbose')
})

test('text without secrets stays as it is', () => {
  const plain =
    'npm test -- --reporter=dot; see http://example.com/a:b, 3 of 4 tokens used, skip-this, password reset page'
  expect(redact(plain)).toBe(plain)
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z .,/()]{0,80}$/), (text) => {
      expect(redact(text)).toBe(text)
    }),
  )
})

test('redacting twice changes nothing more', () => {
  for (const [, text] of SECRETS) expect(redact(redact(text))).toBe(redact(text))
})

test('redactAll reaches every text inside a value, and changes nothing else', () => {
  const secret = glue('gh', 'p_', R)
  const value = {
    text: `a ${secret}`,
    list: ['plain', secret, { deep: [secret] }],
    count: 3,
    yes: true,
    none: null,
    gone: undefined,
  }
  expect(redactAll(value)).toEqual({
    text: 'a [redacted:github-token]',
    list: ['plain', '[redacted:github-token]', { deep: ['[redacted:github-token]'] }],
    count: 3,
    yes: true,
    none: null,
    gone: undefined,
  })
  expect(value.text).toContain(secret)
  expect(redactAll(secret)).toBe('[redacted:github-token]')
})

test('redactAll reaches the keys of a value too', () => {
  const secret = glue('gh', 'p_', R)
  expect(redactAll({ toolUsage: { [`mcp__x__${secret}`]: 2 } })).toEqual({
    toolUsage: { 'mcp__x__[redacted:github-token]': 2 },
  })
})

test('redactAll keeps the shape of any value without secrets', () => {
  const text = fc.stringMatching(/^[a-z .,/()]{0,40}$/)
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      tie('list'),
      tie('object'),
    ),
    list: fc.array(tie('tree'), { maxLength: 4 }),
    object: fc.dictionary(text, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
  }))
  fc.assert(
    fc.property(tree, (value) => {
      expect(redactAll(value)).toEqual(value)
    }),
  )
})

const filled = (unit: string, bytes: number) => unit.repeat(Math.ceil(bytes / unit.length))
const msToRedact = (text: string) => cpuMs(() => redact(text))
const ADVERSARIAL = [
  ...[
    'a',
    '-',
    ':',
    '://a:',
    '://a:b',
    'token',
    'token:',
    'a_',
    'a_token',
    'sk-',
    'sk-ant-',
    'Bearer ',
    '@',
    '\n',
  ],
  ...[
    'eyJ',
    '-eyJaaaaaaaa',
    'eyJaaaaaaaa.',
    'eyJaaaaaaaa.aaaaaaaa',
    'xoxb-',
    'AKIA',
    'AIza',
    'ghp_',
    'npm_',
    '"\'=',
  ],
  ...['-----BEGIN ', '-----BEGIN PRIVATE KEY-----', '-----BEGIN A ', 'secret=', 'api_key: "'],
]

test.each(ADVERSARIAL)('a megabyte of %j is read in linear time', (unit) => {
  // The small one first: a quadratic rule fails here in half a second, not after minutes.
  expect(msToRedact(filled(unit, 50_000))).toBeLessThan(300)
  expect(msToRedact(filled(unit, 1_000_000))).toBeLessThan(1_000)
})

/** What a brief, a ledger or a terminal leaves out of a text. */
const UNSEEN = fc.oneof(
  fc
    .integer({ min: 0, max: 0xe0fff })
    .map((code) => (code >= 0xd800 && code <= 0xdfff ? '\u200b' : String.fromCodePoint(code)))
    .filter((one) => /[\p{Cc}\p{Default_Ignorable_Code_Point}]/u.test(one) && !/[\n\t]/.test(one)),
  fc.constantFrom(
    '\u200b',
    '\u00ad',
    '\ufeff',
    '\u2060',
    '\u202e',
    '\u0000',
    '\u0007',
    '\u001b',
    '\r',
    '\u0085',
  ),
  fc.constantFrom('\u{e0041}', '\ufe0f', '\u180e', '\u{1d173}', '\ufffa'),
  fc.constantFrom(
    '\u001b[0m',
    '\u001b[1;31m',
    '\u001b[K',
    '\u001b]0;title\u0007',
    '\u001b]8;;\u001b\\',
    '\u001b(B',
  ),
)
const [ESC, BELL] = ['\u001b', '\u0007']
const SEQUENCE = new RegExp(
  `${ESC}(?:\\[[\\d;]*[A-Za-z]|\\][^${BELL}${ESC}]*(?:${BELL}|${ESC}\\\\)|\\(B)`,
  'g',
)
const shown = (text: string) =>
  text.replace(SEQUENCE, '').replace(/(?!\n)[\p{Cc}\p{Default_Ignorable_Code_Point}\ufffa]/gu, '')

test.each(SECRETS)(
  'what nobody sees, put anywhere into a secret of the kind %s, does not let it pass',
  (_, text, secret) => {
    const pieces = Array.from({ length: secret.length - 9 }, (__, at) => secret.slice(at, at + 10))
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(), UNSEEN), { minLength: 1, maxLength: 4 }), (inserts) => {
        let hidden = text
        // From the end to the beginning, so that no insert stands inside another.
        for (const [at, one] of inserts
          .map(([n, one]) => [1 + (n % (text.length - 1)), one] as const)
          .sort((a, b) => b[0] - a[0]))
          hidden = hidden.slice(0, at) + one + hidden.slice(at)
        const clean = redact(`before ${hidden} after`)
        expect(clean).toContain('[redacted:')
        expect(pieces.filter((piece) => shown(clean).includes(piece) || clean.includes(piece))).toEqual([])
        expect(redactAll([hidden]).join()).toBe(redact(hidden))
      }),
    )
  },
)

test.each(['\\u200b', '\\u2060', '\\uFEFF', '\\\\u001b[1m', '\\033[0m', '\\e[31m'])(
  'what nobody sees hides no secret as %s either, the way JSON and scripts write it',
  (escaped) => {
    const split = glue('gh', 'p_', `${R.slice(0, 9)}${escaped}${R.slice(9)}`)
    expect(redact(`token of ${split}`)).toContain('[redacted:github-token]')
  },
)

test('a secret that is only seen before what is hidden goes is found beside one that is only seen after', () => {
  const whole = glue('gh', 'p_', R)
  const split = glue('gh', '\u200bp_', R)
  expect(redact(`a\u200b${whole} ${split}`)).toBe('a[redacted:github-token] [redacted:github-token]')
})

test('hidden characters stay where they hide nothing', () => {
  const colours = `\u001b[32mpassed\u001b[0m\r\n👩\u200d💻 ${glue('gh', 'p_', R)} done`
  expect(redact(colours)).toBe('\u001b[32mpassed\u001b[0m\r\n👩\u200d💻 [redacted:github-token] done')
})

test.each([
  '\u200b',
  '\u001b[0m',
  '\u001b[',
  '\u001b]',
  '\u001b]a',
  '[redacted:a]\u200b',
  'ghp_\u200b',
  '\u001b[0;',
  '\r\n',
])('a megabyte of the hidden %j is read in linear time', (unit) => {
  expect(msToRedact(filled(unit, 50_000))).toBeLessThan(300)
  expect(msToRedact(filled(unit, 1_000_000))).toBeLessThan(1_500)
})

test('of a key whose beginning was cut off, what is left goes too', () => {
  const body = 'MIIEpAIBAAKCAQEA7b3f'
  const end = '-----END RSA PRIVATE KEY-----'
  expect(redact(`${body}\n${end}\nafter`)).toBe('[redacted:private-key]\nafter')
  const whole = `-----BEGIN RSA PRIVATE KEY-----\n${body}\n${end}`
  expect(redact(`${body}\n${end}\nbetween\n${whole}\nafter`)).toBe(
    '[redacted:private-key]\nbetween\n[redacted:private-key]\nafter',
  )
})
