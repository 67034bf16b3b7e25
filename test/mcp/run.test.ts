import { expect, test } from 'vitest'
import { sandbox } from '../support/sandbox.ts'
import { served } from './server.ts'

test('/checkpoint, by the tool that its page calls, takes the manual snapshot of the run and names it [004.27]', async () => {
  const box = sandbox()
  box.start()
  box.json(['run', 'step', 'r1', 's1', 'in_progress'])
  const server = await served(box)
  const { text } = await server.did('save', { summary: 'Backfill is half way', note: true })
  const latest = box.readJson('checkpoints/r1/latest.json')
  expect(latest.source_details.at(-1)).toMatchObject({ source: 'manual' })
  expect(text).toMatch(new RegExp(`Run r1: .*snapshot ${latest.snapshot_id}`))
})

test('a run is named to whoever asks for the status or for the work [004.04]', async () => {
  const box = sandbox()
  box.start()
  box.json(['save', 'Backfill'])
  const server = await served(box)
  expect((await server.did('status', {})).text).toMatch(/Runs +r1 in_progress/)
  expect((await server.did('resume', {})).text).toContain('Run r1 is in progress')
})
