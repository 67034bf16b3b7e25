import { expect, test } from 'vitest'
import { idOf, Lab, streamOf } from './lab.ts'

const A = idOf('a')
const batch = (lab: Lab, usedPercent: number) =>
  lab.act(A, 'PostToolBatch', { tool_calls: [] }, { usedPercent })

async function talked(): Promise<Lab> {
  const lab = new Lab()
  await lab.start(A)
  lab.talk(A)
  return lab
}

test('at 70 % what was said so far is saved, at 85 % what came since, with the advice to clear and reload [003.17] [003.18] [000.64] [000.92]', async () => {
  const lab = await talked()
  const advised = await batch(lab, 70)
  expect(advised).toContain('`savepoint save ')
  expect(advised).not.toContain('/clear')
  const wanted = 'Please move the login to tokens. Always use tabs for indentation.'
  expect(await lab.work(streamOf(A))).toMatchObject({ intent: wanted, now: '' })
  lab.prompt(A, 'Never touch the billing module.')
  expect(await batch(lab, 84)).toBeNull()
  expect(await lab.work(streamOf(A))).toMatchObject({ intent: wanted, now: '' })
  expect(await batch(lab, 85)).toMatch(/`savepoint save .*`\/clear`.*brief/)
  expect(await lab.work(streamOf(A))).toMatchObject({
    ...{ intent: wanted, now: 'Never touch the billing module.' },
  })
})

test('after the second compaction the advice is to save, clear and reload, and it comes once [003.32]', async () => {
  const lab = await talked()
  const told: string[] = []
  const hear = async (name: string, more: Record<string, unknown>) => {
    const text = await lab.act(A, name, more, { usedPercent: 10 })
    if (text !== null) told.push(text)
  }
  const advices = () => told.filter((text) => text.includes('compacted'))
  const compacted = async () => {
    await hear('PreCompact', { trigger: 'auto' })
    await hear('PostCompact', { compact_summary: 'All of it: the login with tokens, tabs for indentation.' })
    await hear('UserPromptSubmit', { prompt: 'Go on' })
    await hear('PostToolBatch', { tool_calls: [] })
    await hear('Stop', {})
  }
  await compacted()
  expect(advices()).toEqual([])
  await compacted()
  expect(advices()).toEqual([expect.stringMatching(/compacted 2 times.*`savepoint save .*`\/clear`.*brief/s)])
  await compacted()
  expect(advices()).toHaveLength(1)
})
