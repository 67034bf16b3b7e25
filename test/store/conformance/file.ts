import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../../src/core/canonical.ts'
import type { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import {
  AT,
  appendTo,
  contentOf,
  freshFolder,
  grow,
  LATER,
  NOTHING_MORE,
  newCheckpoint,
  newOutcome,
  newView,
  noteOn,
  readmitTo,
  removeFrom,
  WORKSPACE,
} from '../make.ts'
import { filled, foundAt, says } from '../make-search.ts'
import { keyOf, newSession } from '../make-session.ts'
import { documentsOf, growWork, newDocument, newPoint, newWork } from '../make-work.ts'
import type { OpenFile } from '../subjects.ts'
import { everything } from './documents.ts'
import { NOTE, newFile, newLedger } from './files.ts'

/** A store with something of everything in it. */
async function furnished(store: SqliteStore): Promise<void> {
  const { stream, ids } = await grow(store, { length: 4 })
  await store.log.pin(ids[1] ?? '', true)
  await removeFrom(store.acts, stream, ids.slice(0, 2), LATER)
  await store.log.recordOutcome(stream, newOutcome('waiting'), AT)
  const note = { kind: 'manual', at: LATER, note: 'once more' } as const
  await noteOn(store.acts, stream, { head: ids[3] ?? '', notes: 0 }, note, newView('latest'))
  await store.local.markPublished([{ ...newView('r1/3'), expected: newView('r1/3').hash }])
  await store.log.markMaintained(stream, LATER)
}

/** What only the file of a store has: its own check, its copy, and references that SQLite guards. */
export function provesFile(open: OpenFile): void {
  describe('the file', () => {
    test('a sound store has nothing to tell', async () => {
      const store = await open()
      expect(await store.check()).toEqual([])
      await furnished(store)
      expect(await store.check()).toEqual([])
    })

    test('check tells of a number that is missing', async () => {
      const store = await open()
      const { stream } = await grow(store)
      await readmitTo(store.acts, newCheckpoint(stream, 3), 3, [])
      expect((await store.check()).map(({ what }) => what).join()).toContain('r1')
    })

    test('a backup opens and has the same content', async () => {
      const store = await open()
      await furnished(store)
      const file = join(freshFolder(), 'copy')
      await store.copyTo(file)
      const copy = await open(file)
      expect(await contentOf(copy)).toEqual(await contentOf(store))
      expect(await copy.check()).toEqual([])
    })

    test('a backup stands for its instant: what comes later is not in it', async () => {
      const store = await open()
      const { stream, ids } = await grow(store)
      const file = join(freshFolder(), 'copy')
      await store.copyTo(file)
      await appendTo(store.acts, newCheckpoint(stream, 2), ids[0] ?? '', NOTHING_MORE)
      const copy = await open(file)
      expect((await copy.log.readHistory(stream)).map(({ id }) => id)).toEqual(ids)
    })

    test('a backup never overwrites', async () => {
      const store = await open()
      await grow(store)
      const file = join(freshFolder(), 'copy')
      await store.copyTo(file)
      const before = statSync(file)
      await expect(store.copyTo(file)).rejects.toMatchObject({ reason: 'backup_exists' })
      expect(statSync(file).mtimeMs).toBe(before.mtimeMs)
    })

    test('a backup into a folder that is not there leaves nothing behind', async () => {
      const store = await open()
      await grow(store)
      const folder = join(freshFolder(), 'nowhere')
      await expect(store.copyTo(join(folder, 'copy'))).rejects.toMatchObject({
        reason: 'folder_unreadable',
      })
      expect(existsSync(folder)).toBe(false)
    })

    test('a backup is private', async () => {
      const store = await open()
      await grow(store)
      const file = join(freshFolder(), 'copy')
      await store.copyTo(file)
      expect(statSync(file).mode & 0o777).toBe(0o600)
    })

    test('a backup has the documents, the focus, the trust and the marks', async () => {
      const store = await open()
      await growWork(store, { length: 2 })
      await growWork(store, { name: 'theirs', foreign: true })
      await store.acts.commit({ workspace: WORKSPACE.id, focus: newWork().id })
      await store.local.setTrust(WORKSPACE.id, WORKSPACE.path, 'own', AT)
      const file = join(freshFolder(), 'copy')
      await store.copyTo(file)
      expect(await documentsOf(await open(file))).toEqual(await documentsOf(store))
    })

    test('a change that names what is not there fails whole', async () => {
      const store = await open()
      await growWork(store, { length: 2 })
      const before = await documentsOf(store)
      const change = everything(newPoint('auth', 2).id)
      await expect(store.acts.commit({ ...change, focus: 'work_nobody' })).rejects.toThrow()
      expect(await documentsOf(store)).toEqual(before)
      const stray = { ...newDocument('auth', 2), checkpoint: 'cp_nobody' }
      await expect(store.acts.commit({ ...change, views: [stray] })).rejects.toThrow()
      expect(await documentsOf(store)).toEqual(before)
    })

    test('a ledger whose text nobody gave is refused as a whole', async () => {
      const store = await open()
      await growWork(store)
      const ledgers = [newLedger(1, 'never given')]
      await expect(
        store.acts.commit({ workspace: WORKSPACE.id, views: [newFile()], ledgers }),
      ).rejects.toThrow()
      expect(await store.acts.listLedgers(WORKSPACE.id)).toEqual([])
      expect(await store.local.readFileView(WORKSPACE.id, NOTE)).toBeNull()
    })

    test('sessions are in a backup, with what was read', async () => {
      const store = await open()
      await store.local.seeWorkspace(WORKSPACE, AT)
      await store.log.advance(newSession('s1'), null, 'reading')
      await store.log.advance(newSession('s1', { stream: 'auth' }), 1)
      const file = join(freshFolder(), 'copy.db')
      await store.copyTo(file)
      const copy = await open(file)
      expect(await copy.log.listSessions({})).toEqual(await store.log.listSessions({}))
      expect(await copy.log.readSession(keyOf('s1'))).toMatchObject({
        version: 2,
        session: { stream: 'auth' },
      })
      expect(await copy.log.readReading(keyOf('s1'))).toBe('reading')
    })

    test('the search index is whole in a backup', async () => {
      const store = await open()
      await says(store, 1, { now: 'Logging out' })
      await filled(store)
      const file = join(freshFolder(), 'copy.db')
      await store.copyTo(file)
      const copy = await open(file)
      expect(await copy.check()).toEqual([])
      await says(copy, 2, { now: 'Logging in' })
      expect((await foundAt(copy, 'logging')).toSorted()).toEqual(['checkpoint auth@1', 'checkpoint auth@2'])
    })

    test('check tells of a text that does not match its hash', async () => {
      const store = await open()
      const hash = sha256('what was meant')
      await store.log.append({ texts: [{ hash, text: 'something else' }] })
      const [problem, ...more] = await store.check()
      expect(problem?.what).toContain(hash.slice(0, 12))
      expect(more).toEqual([])
    })
  })
}
