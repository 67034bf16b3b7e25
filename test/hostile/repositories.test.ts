import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { heard, idOf } from '../cli/hook-lab.ts'
import type { Sandbox } from '../support/sandbox.ts'
import { cloned, deliver, delivered, OWN_RULE, saveOwn } from './deliver.ts'
import { HOSTILE_REPOSITORIES, PAYLOAD, traceOf } from './repositories.ts'
import { isWhole } from './sample.ts'

/** All that the model of a session is told by hooks until its first answer, and after a compaction. */
function toldIn(box: Sandbox, letters: string): string {
  const say = (name: string, more: object) => heard(box, idOf(letters), name, more).stdout
  return [
    say('SessionStart', { source: 'startup' }),
    say('UserPromptSubmit', { prompt: 'go on' }),
    say('PreCompact', { trigger: 'auto' }),
    say('SessionStart', { source: 'compact' }),
  ].join('\n')
}

/** A fixed eighth of them, and every one that runs a program. */
const REPOSITORIES = HOSTILE_REPOSITORIES.filter((one, at) => isWhole || at % 8 === 0 || one.isLocal)

test('there are sixty of them, and no two are alike', () => {
  const names = HOSTILE_REPOSITORIES.map(({ name }) => name)
  expect([names.length >= 60, new Set(names).size]).toEqual([true, names.length])
})

describe.each(REPOSITORIES)('$name', (hostile) => {
  test('says nothing to an agent before its user trusts it, nor after a save of the user’s own', () => {
    const box = delivered(hostile)
    expect(toldIn(box, 'a')).not.toContain(PAYLOAD)
    saveOwn(box)
    const told = toldIn(box, 'b')
    expect(told).toContain(OWN_RULE)
    if (!hostile.namesOwnWork) expect(told).not.toContain(PAYLOAD)
    expect(existsSync(traceOf(box))).toBe(false)
  })

  test.skipIf(hostile.isLocal)('says nothing to an agent after a pull', () => {
    const { box, theirs } = cloned(() => undefined)
    saveOwn(box)
    deliver(hostile, theirs)
    box.git('pull', '--quiet')
    const told = toldIn(box, 'c')
    expect(told).toContain(OWN_RULE)
    expect(told).not.toContain(PAYLOAD)
  })

  test('is fenced and without anything hidden once its user trusts it, and takes the place of nothing', () => {
    const box = delivered(hostile)
    saveOwn(box)
    box.run(['trust'])
    const told = toldIn(box, 'd')
    expect(told).toContain(OWN_RULE)
    for (const line of told.split('\n').filter((one) => one !== '')) expectFenced(line)
    expect(existsSync(traceOf(box))).toBe(false)
  })
})

/** One answer of a hook: its words begin and end with our marks, each of which stands there once. */
function expectFenced(answer: string): void {
  const text: string = JSON.parse(answer).hookSpecificOutput?.additionalContext ?? ''
  if (!text.includes(PAYLOAD)) return
  expect(text.split('</savepoint>')).toHaveLength(text.split('<savepoint>').length)
  expect(text).toMatch(/^<savepoint>.*<\/savepoint>$/s)
  expect(text).not.toMatch(/<(?!\/?savepoint>)[A-Za-z/!?]/)
  expect(text).not.toMatch(/[^\P{Cc}\n]|\p{Default_Ignorable_Code_Point}/u)
}
