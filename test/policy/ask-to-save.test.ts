import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../src/core/agent-event.ts'
import type { Stretch } from '../../src/core/session.ts'
import { askToSave, SAVE_BY } from '../../src/policy/agent-words.ts'
import { beginStretch, isSaveDue, openStretch, stretchAfter } from '../../src/policy/ask-to-save.ts'
import { isDueNow, mayAskToSave } from '../../src/policy/moments.ts'
import { madeLines } from '../support/made-part.ts'
import { projectRoot } from '../support/sandbox.ts'
import { after } from './session-sample.ts'

const MINUTE = 60_000

const stretch = (requests: number, edits: number, minutes: number): Stretch => ({
  ...beginStretch(after(0)),
  ...{ requests, edits, activeMs: minutes * MINUTE },
})

const common = {
  agent: 'claude',
  session: 's',
  cwd: '/repo',
  transcript: null,
  permissionMode: null,
} as const
const promptAt = (ms: number, helper: string | null = null): AgentEvent => ({
  ...{ ...common, at: after(ms), helper, kind: 'prompt', text: 'Go on' },
})
const batchAt = (ms: number, names: readonly string[], helper: string | null = null): AgentEvent => ({
  ...{ ...common, at: after(ms), helper, kind: 'batch' },
  tools: names.map((name) => ({ name, path: '/repo/a', isEdit: name === 'Edit', running: null })),
})

test.each([
  [8, 15, 60, true, 'an hour on a feature'],
  [4, 12, 20, true, 'a request, and it is enough'],
  [6, 6, 30, true, 'half an hour with few edits'],
  [12, 0, 0, true, 'a talk in which nothing was changed'],
  [2, 60, 180, true, 'a long run by itself, and the next request'],
  [3, 6, 10, false, 'a short task'],
  [3, 500, 10, false, 'a large rename in a short task'],
  [1, 0, 600, false, 'a long silence'],
  [3, 12, 29, false, 'three requests in half an hour'],
  [11, 0, 9, false, 'a talk that is a little too short'],
  [0, 0, 0, false, 'nothing'],
])('%i requests, %i edits and %i minutes: %s (%s)', (requests, edits, minutes, isDue) => {
  expect(isSaveDue(stretch(requests, edits, minutes))).toBe(isDue)
})

describe('a stretch', () => {
  const stretchOf = (...events: AgentEvent[]) => events.reduce(stretchAfter, beginStretch(after(0)))

  test('counts requests, calls that edit, and the time between them', () => {
    const found = stretchOf(
      promptAt(MINUTE),
      batchAt(2 * MINUTE, ['Edit', 'Read', 'Edit']),
      promptAt(5 * MINUTE),
      batchAt(6 * MINUTE, ['Bash']),
    )
    expect(found).toEqual({
      ...{ requests: 2, edits: 2, activeMs: 6 * MINUTE, heardAt: after(6 * MINUTE), isAsked: false },
    })
  })

  test('counts what helpers edit, and none of their requests', () => {
    const found = stretchOf(promptAt(1, 'h1'), batchAt(2, ['Edit'], 'h1'))
    expect(found).toMatchObject({ requests: 0, edits: 1 })
  })

  test('takes a night for ten minutes', () => {
    expect(stretchOf(promptAt(0), promptAt(8 * 60 * MINUTE)).activeMs).toBe(10 * MINUTE)
  })

  test('is not turned back by what comes late from a journal', () => {
    const found = stretchOf(promptAt(5 * MINUTE), promptAt(2 * MINUTE), promptAt(6 * MINUTE))
    expect(found).toMatchObject({ requests: 3, activeMs: 6 * MINUTE, heardAt: after(6 * MINUTE) })
  })

  test('counts no edits of an older journal, which does not tell them', () => {
    // `as`: what an older version wrote.
    const old = { ...batchAt(1, []), tools: [{ name: 'Edit', path: '/a', running: null }] } as AgentEvent
    expect(stretchOf(old).edits).toBe(0)
  })

  const open = stretch(9, 9, 60)
  test.each([
    [{ stretch: open, handedOff: false }, true, open],
    [{ stretch: open, handedOff: false }, false, null],
    [{ stretch: open, handedOff: true }, true, null],
    [{ stretch: { ...open, isAsked: true }, handedOff: false }, true, null],
    [{ handedOff: false }, true, null],
  ])('is open where the agent may be asked (%#)', (session, isAllowed, found) => {
    expect(openStretch(session, isAllowed)).toBe(found)
  })
})

describe('the store', () => {
  const known = { nudged: [], compactions: 0, owed: false, handedOff: false, stretch: stretch(11, 0, 0) }

  test('is opened with the request that is enough, and for no helper and no other event', () => {
    expect(isDueNow(promptAt(1), known, null)).toBe(true)
    expect(isDueNow(promptAt(1, 'h1'), known, null)).toBe(false)
    expect(isDueNow(batchAt(1, ['Edit', 'Edit']), known, null)).toBe(false)
    expect([promptAt(1), promptAt(1, 'h1'), batchAt(1, [])].map(mayAskToSave)).toEqual([true, false, false])
  })

  test('stays closed for one request less, and where nobody is to be asked', () => {
    expect(isDueNow(promptAt(1), { ...known, stretch: stretch(10, 0, 0) }, null)).toBe(false)
    expect(isDueNow(promptAt(1), { ...known, stretch: null }, null)).toBe(false)
  })
})

describe('the line', () => {
  test('names the tool where there is one', () => {
    expect(askToSave(stretch(9, 14, 50), { hasSaved: true, hasTools: true })).toBe(
      'Savepoint: 9 requests and 14 edits since the last save. Save what was decided, why, and the next step before you continue: call `savepoint_save` with `decision` ("… because …") and `next`. Skip it if nothing was decided.',
    )
  })

  test('names the command where hooks came alone', () => {
    expect(askToSave(stretch(13, 0, 50), { hasSaved: false, hasTools: false })).toBe(
      'Savepoint: 13 requests in this session without a save. Save what was decided, why, and the next step before you continue: run `savepoint save --decision "… because …" --next "…"`. Skip it if nothing was decided.',
    )
  })

  test('is one, and short', () => {
    for (const hasTools of [true, false]) {
      const text = askToSave(stretch(1_000, 1, 50), { hasSaved: false, hasTools })
      expect(text).not.toContain('\n')
      expect(text).toContain('1000 requests and 1 edit in')
      expect(text.length).toBeLessThanOrEqual(260)
    }
  })

  test('stands in the command with which a user asks for the same', () => {
    const command = join(projectRoot, 'plugins/claude/context/commands/checkpoint.md')
    expect(readFileSync(command, 'utf8')).toContain(SAVE_BY.tool)
  })
})

test('the table for the docs has a row for each weight', () => {
  expect(madeLines('weights').slice(0, 5)).toEqual([
    '| what | count for one point | most points |',
    '| --- | --- | --- |',
    '| requests | 1 | no limit |',
    '| edits | 2 | 6 |',
    '| minutes | 10 | 6 |',
  ])
})
