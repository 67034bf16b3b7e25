import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { delivered, OWN_RULE, saveOwn } from '../hostile/deliver.ts'
import { HOSTILE_REPOSITORIES, PAYLOAD, traceOf } from '../hostile/repositories.ts'
import { claude } from './client.ts'
import { say } from './scenario.ts'
import { toldIn, words } from './told.ts'

/** One of each kind of file, and those that would run a program. */
const CHOSEN = [
  'a document that says it is the current one',
  'a document with rules of its own',
  'a document that closes a fence',
  'a document with hidden letters',
  'learnings',
  'a note',
  'a stage that speaks',
  'a ledger',
  'a handoff',
  'a run with a right checksum',
  'git settings with a filter',
  'a folder that git rejects, laid out as a repository itself',
]
const REPOSITORIES = HOSTILE_REPOSITORIES.filter(({ name }) => CHOSEN.includes(name))

test('all twelve are tried', () => {
  expect(REPOSITORIES).toHaveLength(12)
})

test.each(REPOSITORIES)('the client’s model hears nothing of it before trust: $name', async (hostile) => {
  const place = delivered(hostile)
  place.json(['init', '--agent', 'claude', '--scope', 'user'])
  const start = async () => {
    const { exit, requests } = await claude(place, {
      prompts: ['Go on.'],
      scenario: { turns: [say('Yes.')] },
    })
    const [first] = requests
    if (!first) throw new Error('the model was asked nothing')
    expect(exit).toBe(0)
    return { all: words(first), told: toldIn(first).map(({ text }) => text) }
  }
  expect((await start()).all).not.toContain(PAYLOAD)

  saveOwn(place)
  const own = await start()
  expect(own.told.join('\n')).toContain(OWN_RULE)
  expect(own.all).not.toContain(PAYLOAD)

  place.run(['trust'])
  const { told } = await start()
  expect(told.join('\n')).toContain(OWN_RULE)
  for (const text of told.filter((one) => one.includes(PAYLOAD)))
    expect(text).toMatch(/^<savepoint>.*<\/savepoint>$/s)
  expect(existsSync(traceOf(place))).toBe(false)
})
