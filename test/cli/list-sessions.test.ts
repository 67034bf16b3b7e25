import { expect, test } from 'vitest'
import type { Sandbox } from '../support/sandbox.ts'
import { commit, elsewhere, workBox } from './document-lab.ts'
import { onTerminal } from './resume-lab.ts'
import { ago, ended, idOf, MINUTE, recorded, silent } from './session-lab.ts'

const HOUR = 60 * MINUTE
const asked = (text: string, ms = MINUTE) => ({ lastPrompt: { at: ago(ms), text } })
const lines = (box: Sandbox, ...more: string[]) =>
  box
    .run(['list', ...more])
    .stdout.trimEnd()
    .split('\n')
const listed = (box: Sandbox, ...more: string[]) =>
  // `as`: what these tests compare.
  box.json(['list', ...more]) as unknown as {
    documents: Array<{ id: string; sessions: Array<{ id: string; asked: string; state: string }> }>
    unsaved: Array<{ branch: string | null; sessions: Array<{ id: string }>; moreSessions: number }>
    hidden: number
    hiddenBy: object
  }

test('sessions stand below the work that they saved to, the newest three of them', async () => {
  const box = workBox()
  box.json(['save', 'Login', '--stream', 'auth'])
  await recorded(box, { id: idOf('a1'), stream: 'auth', ...asked('Move the login to tokens.') })
  await silent(box, { id: idOf('b2'), stream: 'auth', ...asked('Add rate limiting.') })
  await ended(box, { id: idOf('c3'), stream: 'auth', ...asked('Write the docs.') }, 26 * HOUR)
  await ended(box, { id: idOf('d4'), stream: 'auth', ...asked('Plan it all out.') }, 50 * HOUR)
  expect(lines(box).slice(1)).toEqual([
    expect.stringMatching(/^auth {2}open/),
    '  a1000000  1m ago      active       Move the login to tokens.',
    '  b2000000  3h 00m ago  interrupted  Add rate limiting.',
    '  c3000000  1d 2h ago   ended        Write the docs.',
    '  1 more: savepoint sessions --all',
  ])
  expect(listed(box).documents).toMatchObject([
    { id: 'auth', moreSessions: 1, sessions: [{ id: idOf('a1'), state: 'live' }, {}, {}] },
  ])
})

test('work in which nobody saved is the work of its branch, and is never called nothing', async () => {
  const box = workBox()
  await recorded(box, { id: idOf('a1'), ...asked('Move the login to tokens.') })
  await ended(box, {
    id: idOf('b2'),
    environment: { gitBranch: 'feature/pay' },
    ...asked('Add a card form.'),
  })
  const [, ...told] = lines(box)
  expect(told).toEqual([
    expect.stringMatching(/^main {9}not saved yet {2}\d{4}-\d\d-\d\d \d\d:\d\d$/),
    '  a1000000  1m ago   active  Move the login to tokens.',
    expect.stringMatching(/^feature\/pay {2}not saved yet {2}\d{4}/),
    '  b2000000  30m ago  ended   Add a card form.',
  ])
  expect(listed(box)).toMatchObject({
    documents: [],
    unsaved: [{ branch: 'main' }, { branch: 'feature/pay' }],
    hidden: 0,
  })
})

test('a session without a save stands below the work of its branch where there is one', async () => {
  const box = workBox()
  box.json(['save', 'Login'])
  await recorded(box, { id: idOf('a1'), ...asked('Move the login to tokens.') })
  expect(listed(box)).toMatchObject({
    documents: [{ id: 'main', sessions: [{ id: idOf('a1') }] }],
    unsaved: [],
  })
})

test('a session without a save in another worktree is not of this one', async () => {
  const box = workBox()
  box.git('worktree', 'add', '--quiet', '-b', 'other', '../other')
  await recorded(elsewhere(box, 'other'), { id: idOf('a1'), ...asked('Move the login to tokens.') })
  expect(listed(box)).toMatchObject({ documents: [], unsaved: [] })
})

test('a session that was asked nothing is no work', async () => {
  const box = workBox()
  await recorded(box, { id: idOf('a1') })
  expect(lines(box)).toEqual([expect.stringContaining('Nothing saved here yet.')])
})

test('what was asked in the transcript counts where the newest words say little', async () => {
  const box = workBox()
  const { lastPrompt } = asked('go on')
  await recorded(box, {
    id: idOf('a1'),
    lastPrompt,
    asked: { at: ago(HOUR), text: 'Move the login to tokens.' },
  })
  expect(lines(box).at(-1)).toContain('Move the login to tokens.')
})

test('what is not shown is counted with its reason, and --all shows it', async () => {
  const box = workBox()
  for (const name of ['auth', 'pay']) box.json(['new', name])
  box.json(['archive', 'pay', '--outcome', 'Live'])
  commit(box)
  box.git('worktree', 'add', '--quiet', '-b', 'other', '../other')
  const other = elsewhere(box, 'other')
  other.json(['trust'])
  other.json(['new', 'there'])
  other.json(['save', 'Heard', '--stream', 'session-0123456789ab'])
  expect(lines(box).at(-1)).toBe(
    'Not shown: 1 archived, 1 on another branch or in another worktree, 1 other session without a save (savepoint list --all)',
  )
  expect(listed(box)).toMatchObject({ hidden: 3, hiddenBy: { archived: 1, elsewhere: 1, sessions: 1 } })
  expect(listed(box, '--all')).toMatchObject({ hidden: 0, documents: [{}, {}, {}, {}] })
})

test('where all work is archived the list says so, and not that there is none', () => {
  const box = workBox()
  box.json(['new', 'pay'])
  box.json(['archive', 'pay', '--outcome', 'Live'])
  expect(lines(box)).toEqual(['No open work here.', 'Not shown: 1 archived (savepoint list --all)'])
})

test('an agent is told no name of a branch where the workspace is not trusted', async () => {
  const box = workBox()
  box.json(['untrust'])
  await recorded(box, {
    id: idOf('a1'),
    environment: { gitBranch: 'evil/name' },
    ...asked('Move the login.'),
  })
  const told = box.run(['list'], { env: { CLAUDECODE: '1' } }).stdout
  expect(told).toContain('Move the login.')
  expect(told).not.toContain('evil')
})

test('nothing that was asked drives a terminal, and no line is wider than it', async () => {
  const box = workBox()
  await recorded(box, { id: idOf('a1'), ...asked(`Red \u001b[31m text\nand more ${'x'.repeat(300)}`) })
  const told = box.run(['list'], { env: { COLUMNS: '40' } }).stdout
  expect(told).not.toContain('\u001b')
  expect(told.split('\n').filter(Boolean)).toHaveLength(3)
})

test('on a narrow terminal the time goes before the problem does', () => {
  const box = workBox()
  box.json(['save', 'Login fails at night', '--stream', 'auth'])
  const lineAt = (columns: number) => onTerminal(box, columns, ['list']).stdout.split(/\r?\n/)[1]
  expect(lineAt(80)).toMatch(/^auth {2}open {6}\d{4}-\d\d-\d\d \d\d:\d\d {2}Login fails at night$/)
  expect(lineAt(48)).toMatch(/^auth {2}open {6}\d{4}-\d\d-\d\d {2}Login fails at night$/)
  expect(lineAt(40)).toBe('auth  open      Login fails at night')
})
