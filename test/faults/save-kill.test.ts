import { writeFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { decodeNote } from '../../src/formats/note-json/codec.ts'
import { INDEX, LEDGER, LEDGER_ON, notesIn, put, tempsIn } from '../cli/save-lab.ts'
import type { Sandbox } from '../support/sandbox.ts'
import { inStore } from '../support/stored-documents.ts'
import { isFull, leastOf } from './sample.ts'
import { hasCompiler, type LoggedCall, type Mode } from './shim.ts'
import {
  command,
  type Fault,
  type Faulted,
  keep,
  lastJson,
  pointsOf,
  putBack,
  type Scene,
  type Struck,
  sweep,
} from './sweep.ts'

const LONG = 240_000
const SLOW = { timeout: 100_000, interval: 50 }
const DOCUMENT = 'checkpoints/active/auth.md'
const WRITTEN = [DOCUMENT, LEDGER, INDEX] as const
const OTHER_KEYS = '{ "active_plan_stage" : "two",  "theirs": [1.0, null],\n  "last_checkpoint": "x" }\n'

/** The files that a save replaces, each with its times made one. */
type Files = Record<(typeof WRITTEN)[number], string>

/** What a sandbox holds before the save, and after one that nothing happens to. */
interface Foreseen {
  old: Files
  new: Files
  notes: Map<string, string>
}

const timeless = (text: string) => text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
const filesOf = (box: Sandbox): Files => {
  const [document, ledger, index] = WRITTEN.map((path) => timeless(box.read(path)))
  return { [DOCUMENT]: document ?? '', [LEDGER]: ledger ?? '', [INDEX]: index ?? '' }
}
const same = (a: Files, b: Files) => WRITTEN.every((path) => a[path] === b[path])

async function did(box: Sandbox, words: string[]): Promise<void> {
  const { code, text } = await command(box, words)
  expect({ words, code, text }).toMatchObject({ code: 0 })
}

const WORDS = ['save', 'Second', '--decision', 'Two', '--done', 'Step', '--next', 'More']

/** A save that writes a document, a note, the index and the ledger, failed again and again. */
function saveScene(): Scene {
  const foreseen = new Map<Sandbox, Foreseen>()
  return {
    words: WORDS,
    async prepare(box) {
      put(box, INDEX, OTHER_KEYS)
      writeFileSync(box.path('.agents.yml'), LEDGER_ON)
      await did(box, ['trust'])
      await did(box, ['new', 'auth', '--current'])
      await did(box, ['save', 'First', '--decision', 'One'])
      await vi.waitFor(async () => {
        await did(box, ['list'])
        expect(await isSettled(box)).toBe(true)
      }, SLOW)
      foreseen.set(box, await foresee(box))
      return []
    },
    async aftermath(box, struck) {
      const seen = foreseen.get(box)
      if (!seen) throw new Error('the scene was not prepared')
      return [...halves(box, seen), ...pretences(box, seen, struck), ...(await afterNext(box, seen, struck))]
    },
  }
}

/** The looks of all documents are known, so that the command makes the same calls each time. */
const isSettled = (box: Sandbox) =>
  inStore(box, async ({ store, identity }) =>
    (await store.acts.listWork(identity.repository, identity.workspace)).every(
      ({ view }) => view?.stamp != null,
    ),
  )

async function foresee(box: Sandbox): Promise<Foreseen> {
  const notes = new Map(notesIn(box).map((path) => [path, box.read(path)]))
  const old = filesOf(box)
  keep(box, 'ahead')
  await did(box, WORDS)
  const after = filesOf(box)
  expect(WRITTEN.map((path) => old[path] === after[path])).toEqual([false, false, true])
  expect(box.read(INDEX)).not.toContain('"x"')
  putBack(box, 'ahead')
  return { old, new: after, notes }
}

/** Right after the fault each file is the old or the new one whole, and every note can be read. */
function halves(box: Sandbox, seen: Foreseen): string[] {
  const now = filesOf(box)
  const torn = WRITTEN.filter((path) => now[path] !== seen.old[path] && now[path] !== seen.new[path])
  const unread = notesIn(box)
    .filter((path) => path.endsWith('.json') && !path.includes('/.'))
    .filter((path) => 'problem' in decodeNote(Buffer.from(box.read(path)), path))
  const changed = [...seen.notes].filter(([path, text]) => box.read(path) !== text).map(([path]) => path)
  return [...torn.map((path) => `${path} is neither old nor new: ${now[path]}`), ...unread, ...changed].map(
    (what) => `at once: ${what}`,
  )
}

interface Answer {
  ok?: boolean
  sequence?: number
  views?: Array<{ kind: string; path: string; state: string; problem: string | null }>
}

/** What a receipt calls written is there, and what it does not has its problem. */
function pretences(box: Sandbox, seen: Foreseen, { done, answer }: Struck): string[] {
  if (done.code !== 0) return []
  // `as`: the shape is what the verb answers with.
  const { views = [] } = (answer ?? {}) as Answer
  if (views.length !== 4) return [`the receipt has ${views.length} files`]
  const now = filesOf(box)
  return views.flatMap(({ path, kind, state, problem }) => {
    if (state !== 'written') return problem === null ? [`${path} is ${state}, and nobody says why`] : []
    if (kind === 'note') return notesIn(box).includes(path) ? [] : [`${path} is not there`]
    const isNew = WRITTEN.some((one) => one === path && now[one] === seen.new[one])
    return isNew ? [] : [`${path} is not written, though the receipt says so`]
  })
}

/** The next command, which only reads, finishes what is owed; then a save works as if nothing had been. */
async function afterNext(box: Sandbox, seen: Foreseen, { done, hit }: Struck): Promise<string[]> {
  const wrong: string[] = []
  const isConfirmed = lastJson(done.stdout)?.ok === true
  const resumed = await command(box, ['resume', 'auth'])
  const told = lastJson(resumed.text)
  if (resumed.code !== 0) wrong.push(`resume ends with ${resumed.code}: ${resumed.text}`)
  const isNew = told?.sequence === 3
  if (isConfirmed && !isNew) wrong.push(`a confirmed save is not there: ${told?.sequence}`)
  const now = filesOf(box)
  if (!same(now, isNew ? seen.new : seen.old))
    wrong.push(`after resume the files are not those of ${told?.sequence}: ${JSON.stringify(now)}`)
  const { last_checkpoint: last } = box.readJson(INDEX)
  if (last !== `${String(told?.savedAt).slice(0, 19)}Z`)
    wrong.push(`the index says ${last}: ${told?.savedAt}`)
  const notes = notesIn(box).filter((path) => !path.includes('/.'))
  if (notes.length !== seen.notes.size + (isNew ? 1 : 0)) wrong.push(`after resume there are ${notes}`)
  const owed = await inStore(box, ({ store, identity }) => store.local.listOwedViews(identity.workspace))
  if (owed.length > 0) wrong.push(`${owed.map(({ path }) => path)} are owed still`)
  const again = lastJson((await command(box, ['save', 'Third'])).text)
  if (again?.ok !== true || again.sequence !== (isNew ? 4 : 3))
    wrong.push(`a further save: ${JSON.stringify(again)}`)
  const index: unknown = JSON.parse(box.read(INDEX))
  expect(index).toMatchObject({ active_plan_stage: 'two', theirs: [1, null] })
  // Where taking a temp away is what failed nobody owes anything, and it stays under its hidden name.
  const isLeft = done.signal === null && hit?.call === 'unlink'
  if (tempsIn(box.repo).length > 0 && !isLeft) wrong.push(`${tempsIn(box.repo)} lie about`)
  const doctor = lastJson((await command(box, ['doctor'])).text)
  if (doctor?.healthy !== true) wrong.push(`doctor: ${JSON.stringify(doctor)}`)
  return wrong
}

const inRepo = ({ path }: LoggedCall) => path.startsWith('repo/')

async function expectSound(choose: (calls: LoggedCall[]) => Fault[], floor: number): Promise<Faulted[]> {
  const all = await sweep(saveScene(), choose)
  expect(all.flatMap(({ wrong }) => wrong)).toEqual([])
  expect(all.filter(({ hit }) => hit !== undefined).length).toBeGreaterThanOrEqual(leastOf(floor))
  return all
}

/** What a save writes, each with several calls. */
const PARTS = ['session_ledger', 'state-index', '.claude/checkpoints', 'auth.md', 'home/']

test.skipIf(!hasCompiler)(
  'a save survives a kill at every call: ledger and index are the old or the new one, never empty [001.22] [003.34]',
  { timeout: LONG },
  async () => {
    const all = await expectSound(
      (calls) => pointsOf(calls).map(({ number }) => ({ at: number, mode: 'kill' })),
      40,
    )
    // A sample need not meet each of them.
    for (const part of isFull ? PARTS : [])
      expect(all.filter(({ hit }) => hit?.path.includes(part)).length).toBeGreaterThanOrEqual(3)
  },
)

test.skipIf(!hasCompiler)('a save survives half of every write', { timeout: LONG }, async () => {
  await expectSound(
    (calls) =>
      calls.filter(({ call }) => call === 'write').map(({ number }) => ({ at: number, mode: 'torn' })),
    10,
  )
})

const MODES: Mode[] = ['ENOSPC', 'EIO', 'EROFS']

test.skipIf(!hasCompiler)(
  'a save succeeds whatever file call fails in the workspace, and its receipt says which file is not written',
  { timeout: LONG },
  async () => {
    const all = await expectSound(
      (calls) =>
        calls
          .filter(inRepo)
          .map(({ number }, index) => ({ at: number, mode: MODES[index % MODES.length] ?? 'EIO' })),
      24,
    )
    expect(all.filter(({ done }) => done.code !== 0).map(({ hit, done }) => [hit, done.stdout])).toEqual([])
    // Every failure is told, but that of taking a temp away.
    const silent = all.filter(({ hit, done }) => {
      // `as`: the shape is what the verb answers with.
      const { views = [] } = (lastJson(done.stdout) ?? {}) as Answer
      return hit?.call !== 'unlink' && views.every(({ state }) => state === 'written')
    })
    expect(silent.map(({ hit }) => hit)).toEqual([])
  },
)

test.skipIf(!hasCompiler)(
  'a save on a workspace that is full or read-only from some call on is in the store, and its files follow',
  { timeout: LONG },
  async () => {
    const all = await expectSound(
      (calls) =>
        calls
          .filter(inRepo)
          .filter((_, index) => index % 4 === 0)
          .map(({ number }, index) => ({ at: number, mode: index % 2 ? 'EROFS' : 'ENOSPC', sticky: true })),
      6,
    )
    expect(all.length).toBeGreaterThanOrEqual(leastOf(6))
  },
)
