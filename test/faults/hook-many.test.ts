import { mkdirSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { surveyAtStart } from '../../src/engine/sessions/tell-at-start.ts'
import { lookHere } from '../../src/engine/trust/here.ts'
import { active, put, textOf, workBox } from '../cli/document-lab.ts'
import { heard, idOf, words } from '../cli/hook-lab.ts'
import { type Sandbox, sandbox } from '../support/sandbox.ts'
import { inStore } from '../support/stored-documents.ts'

const MANY = 10_000
/** A start takes in so many; the client ends a hook after 15 seconds. */
const MOST = 250

function putMany(box: Sandbox): void {
  mkdirSync(box.path('checkpoints', 'active'), { recursive: true })
  for (let number = 0; number < MANY; number += 1) {
    const id = `part-${String(number).padStart(5, '0')}`
    writeFileSync(box.path(active(id)), textOf(id))
  }
}

const knownTo = (box: Sandbox) =>
  inStore(box, async ({ store, identity }) => {
    const rows = await store.acts.listWork(identity.repository, identity.workspace)
    return rows.filter(({ view }) => view !== null).length
  })

test('a start that meets 10,000 new documents tells the own work, and every start takes in some of them', {
  timeout: 120_000,
}, async () => {
  const box = workBox({ zeal: textOf('zeal', { status: 'current', state: 'Tokens are rotated' }) })
  expect(await knownTo(box)).toBe(1)
  putMany(box)
  // The one that the store knows comes first, though its name is the last.
  put(box, active('zeal'), textOf('zeal', { status: 'current', state: 'Tokens are revoked' }))
  expect(words(heard(box, idOf('a'), 'SessionStart'))).toContain('Tokens are revoked')
  expect(await knownTo(box)).toBe(MOST)
  for (const [turn, id] of ['b', 'c'].entries()) {
    expect(words(heard(box, idOf(id), 'SessionStart'))).toContain('Tokens are revoked')
    expect(await knownTo(box)).toBe((turn + 2) * MOST)
  }
})

test('a start in a workspace that is not trusted reads no more of 10,000 documents', {
  timeout: 120_000,
}, async () => {
  const box = sandbox()
  box.json(['save', 'Tokens are rotated'])
  box.json(['untrust'])
  putMany(box)
  const told = heard(box, idOf('a'), 'SessionStart')
  expect(told).toMatchObject({ code: 0, stderr: '' })
  expect(told.stdout).not.toContain('part-')
  const named = await inStore(box, async (context) => {
    const { trusted, foreign } = await surveyAtStart(context, await lookHere(context))
    return { trusted, foreign: foreign.length }
  })
  expect(named).toEqual({ trusted: false, foreign: MOST })
  expect(await knownTo(box)).toBe(0)
})
