import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Finished, type Sandbox, sandbox } from '../support/sandbox.ts'
import { disagreements, filesOf, inStore, notesOf } from '../support/stored-documents.ts'

const LONG = 60_000
const MANY = 20
const numbers = Array.from({ length: MANY }, (_, index) => index)

/** The same home and another worktree. */
function worktree(box: Sandbox, name: string): Sandbox {
  box.git('worktree', 'add', '--quiet', '-b', name, join(box.root, name))
  return Object.assign(Object.create(box) as Sandbox, { repo: join(box.root, name) })
}

/** All at once, each in a process of its own. */
const atOnce = (box: Sandbox, lines: string[][]): Promise<Finished[]> =>
  Promise.all(lines.map((line) => box.spawn([...line, '--json']).done))

const reasonOf = ({ code, stdout }: Finished): string =>
  code === 0 ? 'ok' : String(JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}').reason)

const failed = (all: Finished[]) => all.filter(({ code }) => code !== 0)

/** A delta that names its file: git need not be asked. */
const deltaOf = (id: string, what: string) => ['delta', id, '--what', what, '--artifact', 'a.ts:modified:x']

const deltasIn = (text: string) => text.match(/^## Delta: /gm)?.length ?? 0

/** The numbers that the answers name, in order. */
const sequencesOf = (all: Finished[]) =>
  all.map(({ stdout }) => Number(JSON.parse(stdout).sequence)).sort((a, b) => a - b)

async function expectSound(box: Sandbox): Promise<void> {
  expect(await disagreements(box)).toEqual([])
  expect(filesOf(box).temps).toEqual([])
  const { healthy, findings } = box.json(['doctor'])
  expect(healthy).toBe(true)
  // `as`: the answer of a command that is tested elsewhere. Documents that nobody focused are no trouble.
  const troubles = (findings as Array<{ what: string }>).filter(
    ({ what }) => !/^No document is marked cur/.test(what),
  )
  expect(troubles).toEqual([])
}

test('20 processes that focus on 20 documents leave exactly one current, on disk and in the store [000.10] [000.15]', {
  timeout: LONG,
}, async () => {
  const box = sandbox()
  for (const index of numbers) box.json(['new', `s${index}`])
  const all = await atOnce(
    box,
    numbers.map((index) => ['focus', `s${index}`]),
  )
  expect(failed(all)).toEqual([])
  const currents = [...filesOf(box).texts].filter(([, text]) => /^status: current$/m.test(text))
  expect(currents).toHaveLength(1)
  const focused = await inStore(box, async ({ store, identity }) =>
    (await store.acts.listWork(identity.repository, identity.workspace)).filter((row) => row.focused),
  )
  expect(focused.map(({ stream }) => `active/${stream.name}.md`)).toEqual([currents[0]?.[0]])
  await expectSound(box)
})

test('20 processes that add a delta to one document add 20 deltas and 20 checkpoints [000.66]', {
  timeout: LONG,
}, async () => {
  const box = sandbox()
  box.json(['new', 'auth', '--current'])
  const all = await atOnce(
    box,
    numbers.map((index) => deltaOf('auth', `step ${index}.`)),
  )
  expect(failed(all)).toEqual([])
  const text = box.read('checkpoints/active/auth.md')
  expect(deltasIn(text)).toBe(MANY)
  for (const index of numbers) expect(text.split(`\nstep ${index}.\n`)).toHaveLength(2)
  const notes = await notesOf(box, 'auth')
  expect(notes).toEqual(['created', ...numbers.map(() => 'delta')])
  expect(sequencesOf(all)).toEqual(numbers.map((index) => index + 2))
  await expectSound(box)
})

test('of 20 processes that begin one document one wins, and 19 are told that it exists [000.08]', {
  timeout: LONG,
}, async () => {
  const box = sandbox()
  const all = await atOnce(
    box,
    numbers.map((index) => ['new', 'auth', '--anchor', `attempt ${index}`]),
  )
  expect(all.map(reasonOf).sort()).toEqual(['ok', ...numbers.slice(1).map(() => 'stream_exists')].sort())
  const winner = all.findIndex(({ code }) => code === 0)
  expect(box.read('checkpoints/active/auth.md')).toContain(`anchor: attempt ${winner}\n`)
  expect(await notesOf(box, 'auth')).toEqual(['created'])
  await expectSound(box)
})

test('deltas, focus, archives and readers at the same time leave nothing half done', {
  timeout: LONG,
}, async () => {
  const box = sandbox()
  for (const id of ['a', 'b', 'c']) box.json(['new', id])
  const deltas = numbers.slice(0, 8).map((index) => deltaOf('a', `step ${index}.`))
  const focus = ['a', 'b', 'a', 'b'].map((id) => ['focus', id])
  // Whoever comes second finds the work done.
  const archive = ['first', 'second'].map(() => ['archive', 'c', '--outcome', 'done', '--learning', 'one'])
  const readers = ['list', 'tree', 'list', 'show'].map((verb) => (verb === 'show' ? [verb, 'a'] : [verb]))
  const lines = [...deltas, ...focus, ...archive, ...readers]
  // Dealt like cards, so that every kind meets every other.
  const dealt = numbers.flatMap((turn) => lines.filter((_, index) => index % 5 === turn))
  const all = await atOnce(box, dealt)
  expect(failed(all)).toEqual([])
  const { texts } = filesOf(box)
  expect([...texts.keys()].sort()).toEqual(['LEARNINGS.md', 'active/a.md', 'active/b.md', 'archive/c.md'])
  expect(deltasIn(texts.get('active/a.md') ?? '')).toBe(8)
  expect(texts.get('LEARNINGS.md')?.match(/^## .* c$/gm)).toHaveLength(1)
  expect((await notesOf(box, 'c')).filter((note) => note === 'archived')).toHaveLength(1)
  await expectSound(box)
})

test('two worktrees that add deltas to one stream at once keep their own files and one history', {
  timeout: LONG,
}, async () => {
  const box = sandbox()
  box.git('config', 'user.name', 'Ann Author')
  box.git('config', 'user.email', 'ann@example.org')
  box.json(['new', 'auth'])
  box.git('add', '--all')
  box.git('commit', '--quiet', '-m', 'begin')
  const other = worktree(box, 'side')
  other.json(['trust'])
  const mine = numbers.slice(0, 10)
  const [here, there] = await Promise.all([
    atOnce(
      box,
      mine.map((index) => deltaOf('auth', `here ${index}.`)),
    ),
    atOnce(
      other,
      mine.map((index) => deltaOf('auth', `there ${index}.`)),
    ),
  ])
  expect(failed([...here, ...there])).toEqual([])
  expect(sequencesOf([...here, ...there])).toEqual(numbers.map((index) => index + 2))
  for (const [place, word] of [
    [box, 'here'],
    [other, 'there'],
  ] as const) {
    const text = place.read('checkpoints/active/auth.md')
    expect(deltasIn(text)).toBe(10)
    expect(text.match(new RegExp(`^${word} \\d+\\.$`, 'gm'))).toHaveLength(10)
    await expectSound(place)
  }
  expect(await notesOf(box, 'auth')).toEqual(['created', ...numbers.map(() => 'delta')])
})
