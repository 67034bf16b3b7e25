import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sha256 } from '../../../src/core/canonical.ts'
import type { Log } from '../../../src/store/log.ts'
import { growInLog } from '../make-log.ts'
import type { OpenLog } from '../subjects.ts'

/** The exact bytes of every version, and which checkpoint each shows. */
export function provesTexts(open: OpenLog): void {
  const keep = (log: Log, text: string) => log.append({ texts: [{ hash: sha256(text), text }] })
  const AWKWARD = [
    '',
    '\n',
    '\uFEFF---\r\ncheckpoint: a\r\n',
    'no end',
    'a\r\nb\nc\rd\0e',
    '👩‍🚀 ünï 日本 \u2028',
  ]

  test('a text comes back byte for byte, however awkward and however often it is kept', async () => {
    const log = await open()
    for (const text of [...AWKWARD, 'x\n'.repeat(400_000)]) {
      for (const _ of ['once', 'again']) await keep(log, text)
      const found = await log.readText(sha256(text))
      expect(Buffer.from(found ?? 'nothing').equals(Buffer.from(text)), text.slice(0, 20)).toBe(true)
    }
  })

  test('any well-formed text comes back as it went in', async () => {
    const log = await open()
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
        await keep(log, text)
        expect(await log.readText(sha256(text))).toBe(text)
      }),
      { numRuns: 60 },
    )
  })

  test('a text that is not there is null', async () => {
    const log = await open()
    expect(await log.readText(sha256('never seen'))).toBeNull()
  })

  test('a text that does not match its hash is told, and never shown', async () => {
    const log = await open()
    await log.append({ texts: [{ hash: sha256('what was meant'), text: 'something else' }] })
    await expect(log.readText(sha256('what was meant'))).rejects.toMatchObject({
      reason: 'checkpoint_integrity_mismatch',
    })
  })

  test('a version is known for its stream alone, with its problem', async () => {
    const log = await open()
    const { stream, ids } = await growInLog(log)
    const { stream: other } = await growInLog(log, { name: 'other' })
    const [checkpoint = ''] = ids
    const hash = sha256('broken')
    const version = { checkpoint, current: true, problem: 'line 3 is torn' }
    await log.append({
      texts: [{ hash, text: 'broken' }],
      versions: [{ ...version, stream, hash }],
    })
    expect(await log.findVersion(stream, hash)).toEqual(version)
    expect(await log.findVersion(other, hash)).toBeNull()
    expect(await log.findVersion(stream, sha256('never seen'))).toBeNull()
    const mended = { checkpoint, current: false, problem: null }
    await log.append({ versions: [{ ...mended, stream, hash }] })
    expect(await log.findVersion(stream, hash)).toEqual(mended)
  })
}

/** Texts that were kept though they could not be read. */
export function provesUnread(open: OpenLog): void {
  test('the versions that could not be read are listed for their stream, and no other one is', async () => {
    const log = await open()
    const { stream, ids } = await growInLog(log, { length: 2 })
    const { stream: other } = await growInLog(log, { name: 'other' })
    const [checkpoint = ''] = ids
    const listUnread = async (of: string) =>
      (await log.listVersions(of)).filter(({ problem }) => problem !== null)
    expect(await listUnread(stream)).toEqual([])
    const broken = ['half a save', 'torn'].map((text) => ({
      ...{ hash: sha256(text), checkpoint, current: false, problem: `${text} does not parse` },
    }))
    await log.append({
      texts: ['half a save', 'torn'].map((text) => ({ hash: sha256(text), text })),
      versions: broken.map((version) => ({ ...version, stream })),
    })
    const inOrder = broken.toSorted((a, b) => (a.hash < b.hash ? -1 : 1))
    expect(await listUnread(stream)).toEqual(inOrder)
    expect(await listUnread(other)).toEqual([])
    expect(await listUnread('work_nobody')).toEqual([])
    const [mended, still] = inOrder
    await log.append({
      versions: [{ hash: '', checkpoint, current: false, ...mended, problem: null, stream }],
    })
    expect(await listUnread(stream)).toEqual([still])
  })
}
