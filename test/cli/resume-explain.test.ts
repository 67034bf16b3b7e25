import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { ExplainedLine } from '../../src/policy/brief/explain.ts'
import type { Sandbox } from '../support/sandbox.ts'
import { active, edit, put, textOf, workBox } from './document-lab.ts'
import { HOUR, LEDGER, LEDGER_ON, onTerminal, settings, told, turned, widest } from './resume-lab.ts'

/** Two saves of a user, one of an agent, and a file that was changed since. */
function savedBox(): Sandbox {
  const box = workBox()
  put(box, 'src/token.ts', 'one')
  const at = (ms: number) => ({ env: turned(box, ms) })
  const first = ['save', 'Moving login to tokens', '--goal', 'A login lasts a day', '--rule', 'Short commits']
  box.json([...first, '--decision', 'JWT over cookies because the app has no session'], at(-50 * HOUR))
  box.json(['save', '--next', 'Test the refresh', '--file', 'src/token.ts: signs'], at(-2 * HOUR))
  box.json(['save', '--by', 'agent', '--decision', 'Passkeys over JWT', '--next', 'Test the refresh'])
  writeFileSync(box.path('src/token.ts'), 'two')
  return box
}

const explained = (box: Sandbox, ...more: string[]) =>
  // `as`: what --explain adds to the answer.
  (told(box, ['--explain', ...more]) as unknown as { explained: ExplainedLine[] }).explained
const lineWith = (lines: readonly ExplainedLine[], part: string) => {
  const found = lines.filter(({ text }) => text.includes(part))
  expect(found, part).toHaveLength(1)
  return found[0]
}

test('each line says from which save it is, whose word, how fresh it is, and what changes it', () => {
  const lines = explained(savedBox())
  expect(lineWith(lines, 'Goal')).toMatchObject({
    ...{ section: 'Work', rank: 'must', state: 'told', age: '2 days', mark: null },
    source: { kind: 'save', stream: 'main', sequence: 1, session: null, isOlder: false },
    commands: ['savepoint save --goal "…"'],
  })
  // It was said again since, and stands since the second save.
  expect(lineWith(lines, 'Test the refresh')).toMatchObject({
    source: { kind: 'save', sequence: 2 },
    age: '2 hours',
  })
  expect(lineWith(lines, 'JWT over cookies (why')).toMatchObject({
    source: { by: 'user', sequence: 1 },
    commands: ['savepoint reword "JWT over cookies" --to "…"', 'savepoint remove "JWT over cookies"'],
  })
  expect(lineWith(lines, 'UNCONFIRMED: Passkeys')).toMatchObject({
    source: { by: 'agent', sequence: 3 },
    commands: ['savepoint confirm "Passkeys over JWT"', 'savepoint reject "Passkeys over JWT" --why "…"'],
  })
  expect(lineWith(lines, 'src/token.ts')).toMatchObject({
    ...{ section: 'Files', rank: 'should', mark: 'stale', note: 'changed since', commands: [] },
  })
})

test('the brief is the same to the letter, and every line of it is explained in its order', () => {
  const box = savedBox()
  for (const budget of ['200', '1500']) {
    const [plain, explainedToo] = [
      told(box, ['--budget', budget]),
      told(box, ['--explain', '--budget', budget]),
    ]
    expect(explainedToo.text).toBe(plain.text)
    expect(explainedToo.page).toEqual(plain.page)
    const lines = explained(box, '--budget', budget).filter(
      ({ state }) => state === 'told' || state === 'shortened',
    )
    const shown = plain.page.sections.flatMap(({ title, lines: all }) => all.map(() => title))
    expect(lines.filter(({ rank }) => rank !== 'head').map(({ section }) => section)).toEqual(shown)
    expect(lines.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThan(plain.tokens)
  }
})

test('what a budget cut stands where it would stand, with what it would cost', () => {
  const box = savedBox()
  for (let number = 0; number < 12; number += 1)
    box.json(['save', '--fact', `Fact ${number}: ${'the cache is cold at noon '.repeat(4)}`])
  const { cuts, shortened } = told(box, ['--budget', '300']) as unknown as {
    cuts: Array<{ title: string; count: number }>
    shortened: number
  }
  const lines = explained(box, '--budget', '300')
  const facts = lines.filter(({ section }) => section === 'Facts')
  expect(facts).toHaveLength(12)
  const cut = facts.filter(({ state }) => state === 'cut')
  expect(cut).toHaveLength(cuts.find(({ title }) => title === 'Facts')?.count ?? -1)
  expect(cut.every(({ tokens }) => tokens > 20)).toBe(true)
  expect(lines.filter(({ state }) => state === 'shortened')).toHaveLength(shortened)
})

test('an edit of a document, an edit of the ledger and a name that is asked for are told', () => {
  const box = workBox({ auth: textOf('auth') })
  edit(box, active('auth'), '- Use refresh tokens', '- Use refresh tokens\n- Sign them')
  const lines = explained(box, 'auth')
  expect(lineWith(lines, 'Sign them')).toMatchObject({
    source: { kind: 'document', stream: 'auth', sequence: 2 },
    commands: [
      'savepoint reword "Sign them" --to "…" --stream auth',
      'savepoint remove "Sign them" --stream auth',
    ],
  })
  expect(lineWith(lines, 'Use refresh tokens')).toMatchObject({ source: { kind: 'document', sequence: 1 } })

  const ledger = workBox()
  settings(ledger, LEDGER_ON)
  ledger.json(['save', 'Login', '--next', 'Test it'])
  edit(ledger, LEDGER, 'Test it', 'Test it twice')
  expect(lineWith(explained(ledger), 'Test it twice')).toMatchObject({ source: { kind: 'edit' }, age: '' })
})

test('a command names an item by words that no other has, and is safe to copy', () => {
  const box = workBox()
  const long = 'Retry every request that failed with a lost connection'
  box.json([
    'save',
    '--rule',
    `${long} once`,
    '--rule',
    `${long} twice`,
    '--rule',
    'Say `no` to $HOME, it\'s "theirs"',
  ])
  const commands = explained(box).flatMap((line) => line.commands)
  expect(commands).toContain(`savepoint remove "${long} once"`)
  expect(commands).toContain(`savepoint remove 'Say \`no\` to $HOME, it'\\''s "theirs"'`)
})

test.each([80, 40])(
  'on a terminal of %i columns it is a page of its own, and no line is wider',
  (columns) => {
    const box = savedBox()
    const { code, stdout } = onTerminal(box, columns, ['resume', '--explain'])
    expect(code).toBe(0)
    expect(widest(stdout)).toBeLessThanOrEqual(columns)
    expect(stdout).toMatch(/^main #3: \d+ of 1500 tokens \(estimated\)\n/)
    const page = stdout.replace(/\s+/g, ' ')
    expect(page).toContain('Work (cut last)')
    expect(page).toContain(
      'JWT over cookies (why: the app has no session) from save #1 of main by user, 2 days ago',
    )
    expect(page).toContain(
      'src/token.ts, created: signs from save #1 of main, 2 days ago; stale: changed since',
    )
  },
)

test('into a pipe it is the same page, and where there is nothing to explain it says so', () => {
  const box = savedBox()
  const { stdout } = box.run(['resume', '--explain'])
  expect(stdout).toContain('change  savepoint reword')
  expect(stdout).not.toContain('<savepoint>')
  expect(workBox().run(['resume', '--explain']).stdout).toContain('Nothing saved here yet.')
})

test('what an agent decided and the user confirmed is told as the word of both', () => {
  const box = savedBox()
  box.json(['confirm', 'Passkeys over JWT'])
  expect(lineWith(explained(box), 'Passkeys')).toMatchObject({
    source: { by: 'agent', sequence: 3, confirmed: { by: 'user', sequence: 4 } },
  })
  // It stands since, and is told with the save in which it was confirmed.
  box.json(['save', '--next', 'Ship it'])
  const page = box.run(['resume', '--explain']).stdout.replace(/\s+/g, ' ')
  expect(page).toContain('from save #3 of main by agent, less than a minute ago; confirmed by user in #4')
  expect(lineWith(explained(box), 'JWT over cookies (why')?.source).toMatchObject({ confirmed: null })
})

test('after an undo and a redo each line is told from the save in which it was said', () => {
  const box = savedBox()
  const sources = () =>
    explained(box)
      .filter(({ source }) => source.kind !== 'found')
      .map(({ text, source }) => ({ text, source }))
  const before = sources()
  box.json(['save', '--next', 'Ship it'])
  const after = sources()
  box.json(['undo'])
  expect(sources()).toEqual(before)
  box.json(['undo', '--redo'])
  expect(sources()).toEqual(after)
})

test('a rejected decision can only be removed, and each command that is told works', () => {
  const box = savedBox()
  box.json(['reject', 'Passkeys over JWT', '--why', 'no browser has them'])
  const { commands = [] } = lineWith(explained(box), 'Passkeys') ?? {}
  expect(commands).toEqual(['savepoint remove "Passkeys over JWT"'])
  expect(box.run(['remove', 'Passkeys over JWT']).code).toBe(0)
})
