import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { eventOf } from '../../src/agents/claude/hooks.ts'
import { userConfigPath } from '../../src/engine/context/load-settings.ts'
import { recallSession } from '../../src/engine/sessions/hear-event.ts'
import { noteSave } from '../../src/engine/sessions/note-save.ts'
import { onEvent } from '../../src/engine/sessions/on-event.ts'
import { readHint } from '../../src/engine/sessions/session-files.ts'
import { HOUR, idOf, keyOf, Lab, MINUTE } from './lab.ts'

const A = idOf('a')
const IN_A = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: A }
const ASKS = 'Save what was decided, why, and the next step'

const prompt = (lab: Lab, more = {}) => lab.act(A, 'UserPromptSubmit', { prompt: 'Go on', ...more })
const edits = (count: number, more = {}) => ({
  tool_calls: Array.from({ length: count }, () => ({ tool_name: 'Edit', tool_input: { file_path: '/a' } })),
  ...more,
})
const hintOf = (lab: Lab) => readHint(join(lab.box.home, 'sessions'), keyOf(A))

/** Requests seven minutes apart, with two edits each; answers what was told with each of them. */
async function work(lab: Lab, requests: number): Promise<Array<string | null>> {
  const told: Array<string | null> = []
  for (let request = 0; request < requests; request += 1) {
    told.push(await prompt(lab))
    lab.hear(A, 'PostToolBatch', edits(2))
    lab.wait(7 * MINUTE)
  }
  return told
}

async function started(): Promise<Lab> {
  const lab = new Lab()
  await lab.start(A)
  return lab
}

describe('a session in which much was said', () => {
  test('is asked for a save once, with what was done', async () => {
    const lab = await started()
    const told = await work(lab, 8)
    expect(told.map((text) => text !== null)).toEqual([
      ...[false, false, false, false, false, true, false, false],
    ])
    expect(told[5]).toBe(
      `Savepoint: 6 requests and 10 edits in this session without a save. ${ASKS} before you continue: run \`savepoint save --decision "… because …" --next "…"\`. Skip it if nothing was decided.`,
    )
    expect(hintOf(lab)?.stretch).toBeNull()
  })

  test('is told of the tool where the plugin runs the hook', async () => {
    const lab = await started()
    await work(lab, 5)
    const event = lab.hear(A, 'UserPromptSubmit', { prompt: 'Go on' })
    const env = { CLAUDE_PLUGIN_ROOT: '/plugins/savepoint' }
    const answer = await lab.within((context) => onEvent(context, event, null), { env })
    expect(answer?.text).toContain('call `savepoint_save` with')
    expect(answer?.tokens).toBeGreaterThan(20)
  })

  test('is asked once when several hooks come at the same moment', async () => {
    const lab = await started()
    await work(lab, 5)
    const told = await Promise.all(Array.from({ length: 6 }, () => prompt(lab)))
    expect(told.filter((text) => text !== null)).toHaveLength(1)
  })

  test('is asked again only after a save and as much work', async () => {
    const lab = await started()
    await work(lab, 9)
    await lab.save(A, { text: 'Login', decision: ['RS256 because the gateway has a public key'] })
    expect(hintOf(lab)?.stretch).toMatchObject({ requests: 0, edits: 0, activeMs: 0 })
    const told = await work(lab, 8)
    expect(told.findIndex((text) => text !== null)).toBe(5)
    expect(told[5]).toContain('6 requests and 10 edits since the last save.')
    expect(told.filter((text) => text !== null)).toHaveLength(1)
  })

  test('goes on with its stretch after a save at a terminal, which is not its own', async () => {
    const lab = await started()
    await work(lab, 5)
    await lab.save(null, { text: 'Login' })
    expect(await prompt(lab)).toContain(ASKS)
  })

  test('is asked in a new row as in one of an older version', async () => {
    const lab = await started()
    await lab.within(async ({ store }) => {
      const row = await store.log.readSession(keyOf(A))
      if (row === null) return
      const { stretch: _stretch, ...older } = row.session
      await store.log.advance(older, row.version)
    })
    expect((await work(lab, 6))[5]).toContain(ASKS)
  })

  test('gets back what a summary dropped first, and is asked with the next request', async () => {
    const lab = await started()
    lab.talk(A)
    await work(lab, 5)
    await lab.act(A, 'PreCompact', { trigger: 'auto' })
    await lab.act(A, 'PostCompact', { compact_summary: '<summary>Nothing.</summary>' })
    const told = [await prompt(lab), await prompt(lab), await prompt(lab)]
    expect(told.map((text) => text?.includes(ASKS) ?? null)).toEqual([false, true, null])
  })
})

describe('nobody is asked', () => {
  test('in a short task, whatever it changed [003.22]', async () => {
    const lab = await started()
    lab.hear(A, 'PostToolBatch', edits(50))
    for (const _ of [1, 2, 3]) {
      expect(await prompt(lab)).toBeNull()
      lab.wait(3 * MINUTE)
    }
  })

  test('for the hours in which the user was away', async () => {
    const lab = await started()
    for (const _ of [1, 2, 3]) {
      expect(await prompt(lab)).toBeNull()
      lab.wait(9 * HOUR)
    }
  })

  test('in a helper; what it edits counts for the main conversation', async () => {
    const lab = await started()
    for (let request = 0; request < 20; request += 1) expect(await prompt(lab, { agent_id: 'h1' })).toBeNull()
    expect((await lab.row(A)).stretch).toMatchObject({ requests: 0, isAsked: false })
    lab.hear(A, 'PostToolBatch', edits(12, { agent_id: 'h1' }))
    for (let request = 0; request < 5; request += 1) expect(await prompt(lab)).toBeNull()
    expect(await prompt(lab)).toContain('6 requests and 12 edits')
  })

  test('who handed the work off [003.22]', async () => {
    const lab = await started()
    await work(lab, 3)
    await lab.within(
      (context) => noteSave(context, { stream: 'auth', accomplishments: [], handedOff: true }),
      { env: IN_A },
    )
    expect((await work(lab, 9)).filter((text) => text !== null)).toEqual([])
    expect(hintOf(lab)?.stretch).toBeNull()
  })

  test('a second time for what the advice about a full window asked for', async () => {
    const lab = await started()
    await work(lab, 4)
    expect(await lab.act(A, 'PostToolBatch', edits(0), { usedPercent: 72 })).toContain('savepoint save')
    expect((await work(lab, 5)).filter((text) => text !== null)).toEqual([])
    await lab.save(A, { text: 'Login' })
    expect((await work(lab, 6))[5]).toContain(ASKS)
  })

  const off = 'session:\n  ask_to_save: false\n'

  test.each(['.agents.yml', '.agents.local.yml', 'the own file'])('where %s says so', async (name) => {
    const lab = new Lab()
    const file = name === 'the own file' ? userConfigPath(lab.box.env) : lab.box.path(name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, off)
    await lab.start(A)
    expect(hintOf(lab)?.stretch).toBeNull()
    expect((await work(lab, 9)).filter((text) => text !== null)).toEqual([])
  })

  test('from the moment on that the setting says so, and the next hooks know it', async () => {
    const lab = await started()
    await work(lab, 5)
    expect(hintOf(lab)?.stretch).not.toBeNull()
    writeFileSync(lab.box.path('.agents.yml'), off)
    expect(await prompt(lab)).toBeNull()
    expect(hintOf(lab)?.stretch).toBeNull()
  })
})

test('what a hook counts without the store is what the row comes to', async () => {
  const lab = await started()
  await prompt(lab)
  for (let request = 0; request < 4; request += 1) {
    lab.hear(A, 'UserPromptSubmit', { prompt: 'Go on' })
    lab.hear(A, 'PostToolBatch', edits(request))
    lab.wait(MINUTE)
    lab.hear(A, 'PostToolBatch', edits(1, { agent_id: 'h1' }))
    lab.hear(A, 'Stop')
  }
  const hint = hintOf(lab)
  const event = eventOf({ hook_event_name: 'UserPromptSubmit', session_id: A, cwd: '/' }, lab.now)
  const counted = event && recallSession(join(lab.box.home, 'sessions'), event)?.stretch
  expect(counted).toMatchObject({ requests: 5, edits: 10 })
  await lab.follow()
  expect(counted).toMatchObject({ ...(await lab.row(A)).stretch })
  // Who takes in the journal leaves the hint as it is: both still come to the same.
  expect(hintOf(lab)).toEqual(hint)
})
