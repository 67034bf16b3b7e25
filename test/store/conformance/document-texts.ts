import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sha256 } from '../../../src/core/canonical.ts'
import type { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import type { Open } from '../conformance.ts'
import { AT, LATER, WORKSPACE } from '../make.ts'
import { BESIDE, growWork, hashOf, newDocument, rowOf } from '../make-work.ts'

const HERE = { workspace: WORKSPACE.id }

/** The exact bytes of every version, and which checkpoint each shows. */
export function provesTexts(open: Open): void {
  const keep = (store: SqliteStore, text: string) =>
    store.acts.commit({ ...HERE, texts: [{ hash: sha256(text), text }] })
  const AWKWARD = [
    '',
    '\n',
    '\uFEFF---\r\ncheckpoint: a\r\n',
    'no end',
    'a\r\nb\nc\rd\0e',
    '👩‍🚀 ünï 日本 \u2028',
  ]

  test('a text comes back byte for byte, however awkward and however often it is kept', async () => {
    const store = await open()
    for (const text of [...AWKWARD, 'x\n'.repeat(400_000)]) {
      for (const _ of ['once', 'again']) await keep(store, text)
      const found = await store.log.readText(sha256(text))
      expect(Buffer.from(found ?? 'nothing').equals(Buffer.from(text)), text.slice(0, 20)).toBe(true)
    }
  })

  test('any well-formed text comes back as it went in', async () => {
    const store = await open()
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
        await keep(store, text)
        expect(await store.log.readText(sha256(text))).toBe(text)
      }),
      { numRuns: 60 },
    )
  })

  test('a text that is not there is null', async () => {
    const store = await open()
    expect(await store.log.readText(sha256('never seen'))).toBeNull()
  })

  test('a text that does not match its hash is told, by reading and by check, and never shown', async () => {
    const store = await open()
    await store.acts.commit({ ...HERE, texts: [{ hash: sha256('what was meant'), text: 'something else' }] })
    await expect(store.log.readText(sha256('what was meant'))).rejects.toMatchObject({
      reason: 'checkpoint_integrity_mismatch',
    })
    const [problem, ...more] = await store.check()
    expect(problem?.what).toContain(sha256('what was meant').slice(0, 12))
    expect(more).toEqual([])
  })

  test('the texts of a repository are those of its versions, files and ledgers, in all its workspaces', async () => {
    const store = await open()
    const { stream, ids } = await growWork(store, { length: 2 })
    const [checkpoint = ''] = ids
    const kept = (text: string) => ({ hash: sha256(text), text })
    const file = { kind: 'note', stream, checkpoint, base: null, state: 'pending' } as const
    const seen = { stream, checkpoint, current: false }
    await store.acts.commit({
      workspace: BESIDE.id,
      texts: ['a note', 'a ledger', 'half a save', 'nobody shows it'].map(kept),
      files: [{ ...file, path: '.claude/checkpoints/a.json', hash: sha256('a note') }],
      ledgers: [{ path: 'ledger.md', checkpoint, hash: sha256('a ledger'), at: AT }],
      versions: [{ ...seen, hash: sha256('half a save'), problem: 'it has no end' }],
    })
    expect([...(await store.acts.listTextHashes(WORKSPACE.repository))].sort()).toEqual(
      [hashOf('auth', 1), hashOf('auth', 2), sha256('a note'), sha256('a ledger')].sort(),
    )
    expect((await store.acts.listTextHashes('repo_2')).size).toBe(0)
  })

  test('a version is known for its stream alone, with its problem', async () => {
    const store = await open()
    const { stream, ids } = await growWork(store)
    const { stream: other } = await growWork(store, { name: 'other' })
    const [checkpoint = ''] = ids
    const hash = sha256('broken')
    const version = { checkpoint, current: true, problem: 'line 3 is torn' }
    await store.acts.commit({
      ...HERE,
      texts: [{ hash, text: 'broken' }],
      versions: [{ ...version, stream, hash }],
    })
    expect(await store.log.findVersion(stream, hash)).toEqual(version)
    expect(await store.log.findVersion(other, hash)).toBeNull()
    expect(await store.log.findVersion(stream, sha256('never seen'))).toBeNull()
    const mended = { checkpoint, current: false, problem: null }
    await store.acts.commit({ ...HERE, versions: [{ ...mended, stream, hash }] })
    expect(await store.log.findVersion(stream, hash)).toEqual(mended)
  })
}

/** Texts that were kept though they could not be read. */
export function provesUnread(open: Open): void {
  test('the versions that could not be read are listed for their stream, and no other one is', async () => {
    const store = await open()
    const { stream, ids } = await growWork(store, { length: 2 })
    const { stream: other } = await growWork(store, { name: 'other' })
    const [checkpoint = ''] = ids
    expect(await store.log.listUnreadVersions(stream)).toEqual([])
    const broken = ['half a save', 'torn'].map((text) => ({
      ...{ hash: sha256(text), checkpoint, current: false, problem: `${text} does not parse` },
    }))
    await store.acts.commit({
      ...HERE,
      texts: ['half a save', 'torn'].map((text) => ({ hash: sha256(text), text })),
      versions: broken.map((version) => ({ ...version, stream })),
    })
    const inOrder = broken.toSorted((a, b) => (a.hash < b.hash ? -1 : 1))
    expect(await store.log.listUnreadVersions(stream)).toEqual(inOrder)
    expect(await store.log.listUnreadVersions(other)).toEqual([])
    expect(await store.log.listUnreadVersions('work_nobody')).toEqual([])
    const [mended, still] = inOrder
    await store.acts.commit({
      ...HERE,
      versions: [{ hash: '', checkpoint, current: false, ...mended, problem: null, stream }],
    })
    expect(await store.log.listUnreadVersions(stream)).toEqual([still])
  })
}

/** Who is trusted, and which text nobody has reviewed. */
export function provesTrust(open: Open): void {
  test('trust holds for one workspace at one path, until it is taken', async () => {
    const store = await open()
    for (const workspace of [WORKSPACE, BESIDE]) await store.local.seeWorkspace(workspace, AT)
    const { id, path } = WORKSPACE
    expect(await store.local.isTrusted(id, path)).toBe(false)
    await store.local.setTrust(id, path, AT)
    expect(await store.local.isTrusted(id, path)).toBe(true)
    expect(await store.local.isTrusted(id, BESIDE.path)).toBe(false)
    expect(await store.local.isTrusted(BESIDE.id, path)).toBe(false)
    await store.local.setTrust(id, '/moved', LATER)
    expect(await store.local.isTrusted(id, '/moved')).toBe(true)
    expect(await store.local.isTrusted(id, path)).toBe(false)
    await store.local.setTrust(BESIDE.id, null, LATER)
    expect(await store.local.isTrusted(id, '/moved')).toBe(true)
    for (const _ of ['once', 'again']) await store.local.setTrust(id, null, LATER)
    expect(await store.local.isTrusted(id, '/moved')).toBe(false)
    expect(await store.local.isTrusted(id, '')).toBe(false)
    await store.local.setTrust(id, path, LATER)
    expect(await store.local.isTrusted(id, path)).toBe(true)
  })

  test('foreign marks are told by every read, and a review takes those it names', async () => {
    const store = await open()
    await growWork(store)
    const { stream, ids } = await growWork(store, { length: 3, from: 2, foreign: true })
    await growWork(store, { name: 'other', foreign: true })
    expect((await store.log.readHistory(stream)).map(({ foreign }) => foreign)).toEqual([false, true, true])
    expect((await store.log.readCheckpoint(ids[1] ?? ''))?.row.foreign).toBe(true)
    expect((await rowOf(store))?.position.foreign).toBe(true)
    await store.acts.commit({ workspace: BESIDE.id, documents: [newDocument('auth', 1)] })
    expect((await rowOf(store, 'auth', BESIDE.id))?.position.foreign).toBe(false)
    await store.acts.commit({ workspace: BESIDE.id, reviews: ids.slice(2) })
    expect((await store.log.readHistory(stream)).map(({ foreign }) => foreign)).toEqual([false, true, false])
    await store.acts.commit({ workspace: BESIDE.id, reviews: [...ids, 'cp_nobody'] })
    expect((await store.log.readHistory(stream)).map(({ foreign }) => foreign)).toEqual([false, false, false])
    expect((await rowOf(store, 'other'))?.position.foreign).toBe(true)
  })
}
