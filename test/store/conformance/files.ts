import { expect, test } from 'vitest'
import { sha256 } from '../../../src/core/canonical.ts'
import type { ViewRow } from '../../../src/store/local-state.ts'
import { AT, grow, LATER, type Spanned, WORKSPACE } from '../make.ts'
import { BESIDE, growWork, newEntry, newPoint, newWork, pathOf, rowOf, step } from '../make-work.ts'
import type { OpenActs } from '../subjects.ts'

const HERE = { workspace: WORKSPACE.id }
export const NOTE = '.claude/checkpoints/20260102T030405Z_000-abc.json'
const LEDGER = '.agents/session_ledger.md'
const INDEX = '.claude/state-index.json'

const kept = (text: string) => ({ hash: sha256(text), text })
export const newFile = ({ hash = sha256('a note'), ...more }: Partial<ViewRow> = {}): ViewRow => ({
  ...{ ...HERE, kind: 'note', path: NOTE, stream: newWork().id, checkpoint: newPoint('auth', 1).id },
  ...{ hash, contentHash: hash, base: null, stamp: null, state: 'pending', current: false },
  ...more,
})
export const newLedger = (sequence: number, text: string, at = AT) => ({
  ...{ path: LEDGER, checkpoint: newPoint('auth', sequence).id, hash: sha256(text), at },
})

/** Says what a ledger holds, as a save does. */
const write = (store: Spanned, sequence: number, text: string, workspace = WORKSPACE.id) =>
  store.acts.commit({ workspace, texts: [kept(text)], ledgers: [newLedger(sequence, text)] })

/** Files that a save writes beside the documents, and what stood in the ledger. */
export function provesFiles(open: OpenActs): void {
  test('a note, a ledger and an index are owed until they are stamped, and known by their path', async () => {
    const store = await open()
    await growWork(store)
    const files = [
      newFile(),
      newFile({ kind: 'ledger', path: LEDGER, hash: sha256('a ledger'), base: sha256('before') }),
      newFile({ kind: 'index', path: INDEX, hash: '' }),
    ]
    await store.acts.commit({ ...HERE, texts: [kept('a note'), kept('a ledger')], views: files })
    expect(await store.local.listOwedViews(WORKSPACE.id)).toEqual([files[1], files[0], files[2]])
    for (const file of files) expect(await store.local.readFileView(WORKSPACE.id, file.path)).toEqual(file)
    expect(await store.log.readText(sha256('a note'))).toBe('a note')
    await store.local.markPublished([
      { ...HERE, path: NOTE, hash: sha256('a note') },
      { ...HERE, path: LEDGER, hash: sha256('another') },
    ])
    expect((await store.local.listOwedViews(WORKSPACE.id)).map(({ path }) => path)).toEqual([LEDGER, INDEX])
    expect(await store.local.readFileView(WORKSPACE.id, NOTE)).toEqual({ ...files[0], state: 'published' })
    await store.local.forgetViews([{ ...HERE, path: INDEX }])
    expect(await store.local.readFileView(WORKSPACE.id, INDEX)).toBeNull()
    expect(await store.check()).toEqual([])
  })

  test('a file that is placed again takes the place of the older row, here and not elsewhere', async () => {
    const store = await open()
    await growWork(store, { length: 2 })
    const ledger = newFile({ kind: 'ledger', path: LEDGER, state: 'published' })
    const more = { checkpoint: newPoint('auth', 2).id, hash: sha256('newer'), base: ledger.hash }
    const newer = newFile({ ...more, kind: 'ledger', path: LEDGER })
    await store.acts.commit({ ...HERE, views: [ledger] })
    await store.acts.commit({ workspace: BESIDE.id, views: [ledger] })
    await store.acts.commit({ ...HERE, views: [newer] })
    expect(await store.local.readFileView(WORKSPACE.id, LEDGER)).toEqual(newer)
    expect(await store.local.readFileView(BESIDE.id, LEDGER)).toEqual({ ...ledger, workspace: BESIDE.id })
    expect((await store.local.listOwedViews(BESIDE.id)).length).toBe(0)
  })

  test('documents, entries and the files of runs are no such files', async () => {
    const store = await open()
    await grow(store)
    await growWork(store)
    const entry = newEntry('auth', 1)
    await store.acts.commit({ ...HERE, views: [entry] })
    for (const path of ['r1/1', pathOf('auth'), entry.path, 'nothing'])
      expect(await store.local.readFileView(WORKSPACE.id, path)).toBeNull()
  })

  test('thousands of notes of a stream are not its document', async () => {
    const store = await open()
    await growWork(store)
    const files = Array.from({ length: 2_000 }, (_, at) =>
      newFile({ path: `notes/${at}`, state: 'published' }),
    )
    await store.acts.commit({ ...HERE, views: files })
    await store.acts.commit(step('auth', 2))
    expect(await store.acts.listWork(WORKSPACE.repository, WORKSPACE.id)).toHaveLength(1)
    expect((await rowOf(store))?.view).toMatchObject({
      path: pathOf('auth'),
      checkpoint: newPoint('auth', 2).id,
    })
    expect(await store.local.readFileView(WORKSPACE.id, 'notes/1999')).toEqual(files[1_999])
  })

  test('a commit whose head moved leaves no file and no ledger behind', async () => {
    const store = await open()
    await growWork(store, { length: 2 })
    const [append] = step('auth', 2).appends ?? []
    const refused = await store.acts.commit({
      ...HERE,
      ...{ appends: append ? [append] : [], texts: [kept('a note')], views: [newFile()] },
      ledgers: [newLedger(1, 'a note')],
    })
    expect(refused).toEqual({ done: false, why: 'head_moved' })
    expect(await store.local.readFileView(WORKSPACE.id, NOTE)).toBeNull()
    expect(await store.acts.listLedgers(WORKSPACE.id)).toEqual([])
    expect(await store.log.readText(sha256('a note'))).toBeNull()
  })

  test('the ledgers of a workspace are numbered from one, oldest first, each with its stream', async () => {
    const store = await open()
    await growWork(store, { length: 2 })
    await growWork(store, { name: 'other' })
    await write(store, 1, 'first')
    await write(store, 1, 'beside', BESIDE.id)
    const other = { ...newLedger(1, 'second', LATER), checkpoint: newPoint('other', 1).id }
    await store.acts.commit({ ...HERE, texts: [kept('second')], ledgers: [other] })
    await write(store, 2, 'third')
    const row = { number: 1, stream: 'auth' }
    expect(await store.acts.listLedgers(WORKSPACE.id)).toEqual([
      { ...row, ...newLedger(1, 'first') },
      { ...other, number: 2, stream: 'other' },
      { ...newLedger(2, 'third'), number: 3, stream: 'auth' },
    ])
    expect(await store.acts.listLedgers(BESIDE.id)).toEqual([{ ...row, ...newLedger(1, 'beside') }])
    expect(await store.acts.listLedgers('ws_9')).toEqual([])
  })

  test('of one checkpoint an edit and what was written over it are two, and the same text is one', async () => {
    const store = await open()
    await growWork(store)
    const texts = [kept('by hand'), kept('ours')]
    const ledgers = [newLedger(1, 'by hand'), newLedger(1, 'ours')]
    for (const _ of ['once', 'twice']) await store.acts.commit({ ...HERE, texts, ledgers })
    expect((await store.acts.listLedgers(WORKSPACE.id)).map(({ number, hash }) => [number, hash])).toEqual([
      [1, sha256('by hand')],
      [2, sha256('ours')],
    ])
  })
}
