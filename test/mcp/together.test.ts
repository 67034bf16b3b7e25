import { expect, test } from 'vitest'
import { history } from '../cli/document-lab.ts'
import { faultsOf, hookAtOnce, idOf, payload, rowsOf } from '../cli/hook-lab.ts'
import { within } from '../cli/session-lab.ts'
import { sandbox } from '../support/sandbox.ts'
import { inStore } from '../support/stored-documents.ts'
import { served } from './server.ts'

const SAVES = 40
const numbers = Array.from({ length: SAVES }, (_, at) => at + 1)

test('two servers and hooks at once on one workspace: nothing is lost, and one document is in focus', {
  timeout: 240_000,
}, async () => {
  const box = sandbox()
  for (const name of ['auth', 'pay']) box.json(['new', name])
  const ids = ['a', 'b'].map((letter) => idOf(letter.repeat(4)))
  for (const id of ids) await hookAtOnce(box, payload(box, id, 'SessionStart', { source: 'startup' })).done
  const servers = await Promise.all(ids.map((id) => served(box, { env: within(id) })))

  const agent = async (at: number) => {
    const server = servers[at]
    if (!server) throw new Error('there are two')
    for (const n of numbers) {
      await server.did('save', { summary: `Save ${n}`, stream: 'shared', decision: [`Decision ${at}-${n}`] })
      if (n % 4 === 0) await server.did('focus', { id: n % 8 === 0 ? 'auth' : 'pay' })
    }
  }
  const hooks = async () => {
    const ended = []
    for (const n of numbers.slice(0, 12))
      for (const id of ids)
        ended.push(await hookAtOnce(box, payload(box, id, 'UserPromptSubmit', { prompt: `Word ${n}` })).done)
    return ended
  }
  const [heard] = await Promise.all([hooks(), agent(0), agent(1)])
  expect(heard.filter(({ code, stderr }) => code !== 0 || stderr !== '')).toEqual([])

  const told = new Set<string>()
  const points = history(box, 'shared')
  // A hook may have saved, too.
  expect(points.length).toBeGreaterThanOrEqual(2 * SAVES)
  expect(points.map(({ sequence }) => sequence).toSorted((a, b) => a - b)).toEqual(
    points.map((_, at) => at + 1),
  )
  await inStore(box, async ({ store }) => {
    for (const { checkpoint } of points) {
      const stored = await store.log.readCheckpoint(checkpoint)
      if (stored?.state !== 'whole') throw new Error(`${checkpoint} is not whole`)
      for (const { text } of stored.checkpoint.work.decisions) told.add(text)
    }
  })
  for (const at of [0, 1]) for (const n of numbers) expect(told).toContain(`Decision ${at}-${n}`)

  // `as`: what the verb answers with.
  const documents = box.json(['list']).documents as Array<{ id: string; standing: string }>
  expect(documents.filter(({ standing }) => standing === 'focused')).toHaveLength(1)
  const rows = await rowsOf(box)
  for (const id of ids)
    expect(rows.find((row) => row.id === id)?.events.filter(({ kind }) => kind === 'prompt')).toHaveLength(12)
  expect(faultsOf(box).filter(({ reason }) => reason !== 'store_busy')).toEqual([])
  expect(box.json(['doctor'])).toMatchObject({ healthy: true })
})
