import fc from 'fast-check'
import { expect, test } from 'vitest'
import { signatureOf } from '../../../src/formats/checkpoint-md/signature.ts'

const TEXT = `---
checkpoint: auth
created: 2026-01-01T00:00:00Z
anchor: phase 2
owner: ann
status: active
---

## Problem

Tokens expire _too_ early, after __15__ minutes.

## Essential Information

### Decisions

* Use refresh tokens
* Keep \`_private_\` names

### Artifact Trail

| File | Status | Key Change |
|---|---|---|
| \`src/a.ts\` | created | login |

### Current State

\`\`\`sh
npm  test

  npm run   build
\`\`\`

## Notes of ours

1. first
2. second
`

const sameAs = (text: string) => expect(signatureOf(text) === signatureOf(TEXT))
const replaced = (from: string, to: string) => {
  if (!TEXT.includes(from)) throw new Error(`the text has no ${from}`)
  return TEXT.replace(from, to)
}

/** What formatters do to Markdown, each by itself. */
const LAYOUT: Record<string, (text: string) => string> = {
  'line endings of Windows': (text) => text.replace(/\n/g, '\r\n'),
  'a byte order mark': (text) => `\uFEFF${text}`,
  'no last line break': (text) => text.trimEnd(),
  'more blank lines': (text) => text.replace(/\n\n## /g, '\n\n\n\n## '),
  'fewer blank lines': (text) => text.replace(/\n\n(#{2,3} .*)\n\n/g, '\n$1\n'),
  'spaces at the ends of lines': (text) => text.replace(/(early, after .*)\n/g, '$1  \n'),
  'padded tables': (text) =>
    text
      .replace('| File | Status | Key Change |', '| File       | Status  | Key Change |')
      .replace('|---|---|---|', '| ---------- | ------- | ---------- |')
      .replace('| `src/a.ts` | created | login |', '| `src/a.ts` | created | login      |'),
  'other bullets': (text) => text.replace(/^\* /gm, '- '),
  'plus bullets': (text) => text.replace(/^\* /gm, '+ '),
  'other emphasis': (text) => text.replace('_too_', '*too*'),
  'other strong emphasis': (text) => text.replace('__15__', '**15**'),
  'keys in another order': (text) =>
    text.replace('anchor: phase 2\nowner: ann\n', 'owner: ann\nanchor: phase 2\n'),
  'quoted values': (text) => text.replace('anchor: phase 2', 'anchor: "phase 2"'),
  'the status': (text) => text.replace('status: active', 'status: current'),
  'no status': (text) => text.replace('status: active\n', ''),
}

test.each(Object.keys(LAYOUT))('%s are a matter of taste', (name) => {
  const text = LAYOUT[name]?.(TEXT) ?? ''
  expect(text).not.toBe(TEXT)
  sameAs(text).toBe(true)
})

test('all that a formatter does at once says the same', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(Object.keys(LAYOUT), { minLength: 1 }), (names) => {
      // Bytes of the whole file come last: the others look for lines.
      const order = [...names].sort((a, b) => Number(/endings|mark/.test(a)) - Number(/endings|mark/.test(b)))
      sameAs(order.reduce((text, name) => LAYOUT[name]?.(text) ?? text, TEXT)).toBe(true)
    }),
  )
})

const SAYS_OTHER: Record<string, string> = {
  'a word': replaced('early', 'late'),
  'a letter': replaced('Tokens', 'tokens'),
  'a number': replaced('15', '16'),
  'a number in a list': replaced('1. first', '3. first'),
  'a sign': replaced('minutes.', 'minutes?'),
  'a known key': replaced('phase 2', 'phase 3'),
  'an unknown key': replaced('owner: ann', 'owner: bob'),
  'a new key': replaced('owner: ann', 'owner: ann\nteam: x'),
  'a key that is gone': replaced('owner: ann\n', ''),
  'an id': replaced('checkpoint: auth', 'checkpoint: auth-2'),
  'a heading': replaced('### Decisions', '### Choices'),
  'the level of a heading': replaced('### Decisions', '## Decisions'),
  'an unknown section': replaced('second', 'third'),
  'a section that is gone': TEXT.slice(0, TEXT.indexOf('## Notes of ours')),
  'a cell': replaced('| login |', '| logout |'),
  'a row': replaced('| login |', '| login |\n| `b.ts` | created | x |'),
  'the order of items': replaced(
    '* Use refresh tokens\n* Keep `_private_` names',
    '* Keep `_private_` names\n* Use refresh tokens',
  ),
  'a tick': replaced('1. first', '1. [x] first'),
  'two words in one': replaced('refresh tokens', 'refreshtokens'),
  'code in a line': replaced('`_private_`', '`*private*`'),
  'spaces in code': replaced('npm  test', 'npm test'),
  'spaces before code': replaced('  npm run', 'npm run'),
  'blank lines in code': replaced('npm  test\n\n', 'npm  test\n'),
  'the language of code': replaced('```sh', '```bash'),
  'an item that moves into another': replaced('* Keep', '  * Keep'),
  'text that becomes code': replaced('Tokens expire', '    Tokens expire'),
}

test.each(Object.keys(SAYS_OTHER))('%s is a change', (name) => {
  sameAs(SAYS_OTHER[name] ?? '').toBe(false)
})

test('code ends where its fence does', () => {
  const inside = (body: string) => signatureOf(`## A\n\n\`\`\`\`\n\`\`\`js\n${body}\n\`\`\`\n\`\`\`\`\n`)
  expect(inside('a  b')).not.toBe(inside('a b'))
  const told = (body: string) => signatureOf(`## A\n\n\`\`\`\n\`\`\`js\n${body}\n\`\`\`\n`)
  expect(told('a  b')).not.toBe(told('a b'))
  const after = (body: string) => signatureOf(`## A\n\n\`\`\`\nx\n\`\`\`\n\n${body}\n`)
  expect(after('a  b')).toBe(after('a b'))
})

test('code nested in a list keeps its indentation, its spaces and its empty lines', () => {
  const said = (code: string, indent = '    ') =>
    signatureOf(`- a\n\n${indent}\`\`\`py\n${code}\n${indent}\`\`\`\n\nafter  it\n`)
  const code = '    if x:\n\n        run("a  b")'
  expect(said(code.replace('        run', '    run'))).not.toBe(said(code))
  expect(said(code.replace('a  b', 'a b'))).not.toBe(said(code))
  expect(said(code.replace('\n\n', '\n'))).not.toBe(said(code))
  expect(said(`${code}\n        \`\`\`\n    a  b`)).not.toBe(said(`${code}\n        \`\`\`\n    a b`))
  expect(said(code)).toContain('\nafter it')
  expect(signatureOf('- ```\n  a  b\n  ```\n')).not.toBe(signatureOf('- ```\n  a b\n  ```\n'))
  expect(signatureOf('> ```\n> a  b\n> ```\nc  d')).toContain('> a  b\n> ```\nc d')
  expect(signatureOf('```a``` b\nc  d')).toContain('\nc d')
})

test('code without a fence keeps its indentation, a tab is four spaces, a row of a table has none', () => {
  expect(signatureOf('- a\n\n        b | c\n')).not.toBe(signatureOf('- a\n\n    b | c\n'))
  expect(signatureOf('\tb')).toBe(signatureOf('    b'))
  expect(signatureOf('  | a | b |\n  |---|---|\n')).toBe(signatureOf('| a | b |\n|---|---|\n'))
})

test('any change of letters or digits outside of layout is seen', () => {
  const at = [...TEXT.matchAll(/[A-Za-z0-9]/g)]
    .map(({ index }) => index)
    // `status` is focus, and that is no state of the work.
    .filter((index) => index < TEXT.indexOf('status:') || index > TEXT.indexOf('active') + 5)
  fc.assert(
    fc.property(fc.constantFrom(...at), (index) => {
      const changed = `${TEXT.slice(0, index)}${TEXT[index] === 'Z' ? 'Y' : 'Z'}${TEXT.slice(index + 1)}`
      sameAs(changed).toBe(false)
    }),
    { numRuns: 300 },
  )
})

test('a text without front matter has a signature too', () => {
  expect(signatureOf('# A\r\n\r\n\r\nb\r\n')).toBe(signatureOf('# A\n\nb'))
  expect(signatureOf('')).toBe(signatureOf('\n\n'))
})
