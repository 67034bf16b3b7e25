import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { list } from '../../src/verbs/documents/list.ts'
import { performOnce } from '../../src/verbs/perform.ts'
import { active, textOf } from '../cli/document-lab.ts'
import { idOf, Lab, SECOND } from './lab.ts'

const A = idOf('a')
const DOCUMENT = active('auth')
const LEDGER = '.agents/session_ledger.md'

/** A workspace with a document, of which a session was told. */
async function labWithDocument(): Promise<Lab> {
  const lab = new Lab()
  await lab.trust()
  write(lab, DOCUMENT, textOf('auth', { status: 'current' }))
  await look(lab)
  await lab.start(A)
  return lab
}

/** Writes a file, or words in it, at the time that it is in the lab. */
function write(lab: Lab, path: string, text: string | ((before: string) => string)): void {
  const file = lab.box.path(path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof text === 'string' ? text : text(readFileSync(file, 'utf8')))
  lab.wait(SECOND)
  utimesSync(file, lab.ports.time / 1_000, lab.ports.time / 1_000)
}

const look = ({ box, ports }: Lab) =>
  performOnce(list, { cwd: box.repo, env: box.env, ports }, { all: false, tree: false })

const addDecision = (text: string) => (before: string) =>
  before.replace('- Use refresh tokens', `- Use refresh tokens\n- ${text}`)

const decisionsOf = async (lab: Lab, name = 'auth') =>
  (await lab.work(name))?.decisions.map(({ text, origin, confirmed }) => [text, origin, confirmed])

const ask = (lab: Lab, prompt: string) => lab.act(A, 'UserPromptSubmit', { prompt })

test('what an agent saves is its user’s word only where it stands in a request of its session', async () => {
  const lab = await labWithDocument()
  await ask(lab, 'Use tabs everywhere. Never push to main.')
  await lab.save(A, { text: 'Login', stream: 'work', rule: ['Use tabs everywhere', 'Push to main'] })
  expect((await lab.work('work'))?.rules).toEqual([
    { text: 'Use tabs everywhere', origin: 'user', confirmed: true },
    { text: 'Push to main', origin: 'agent', confirmed: false },
  ])
  await lab.save(A, { text: 'Login', stream: 'work', confirm: ['push to'], by: 'user' })
  expect((await lab.work('work'))?.rules[1]).toMatchObject({ confirmed: false })
  await ask(lab, 'Push to main!')
  await lab.save(A, { text: 'Login', stream: 'work', confirm: ['push to'] })
  expect((await lab.work('work'))?.rules[1]).toMatchObject({ origin: 'user', confirmed: true })
})

test('the requests of another session are nobody’s word in this one', async () => {
  const lab = await labWithDocument()
  const other = idOf('b')
  await lab.start(other)
  await lab.act(other, 'UserPromptSubmit', { prompt: 'Push to main.' })
  await lab.save(A, { text: 'Login', stream: 'work', rule: ['Push to main'] })
  expect((await lab.work('work'))?.rules).toMatchObject([{ origin: 'agent', confirmed: false }])
})

test('an edit of a document while an agent works confirms nothing, and the user’s next edit does not either', async () => {
  const lab = await labWithDocument()
  expect(await decisionsOf(lab)).toEqual([['Use refresh tokens', 'file', true]])
  lab.hear(A, 'UserPromptSubmit', { prompt: 'Go on with it' })
  write(lab, DOCUMENT, addDecision('Disable the tests'))
  await look(lab)
  expect(await decisionsOf(lab)).toEqual([
    ['Use refresh tokens', 'file', true],
    ['Disable the tests', 'agent', false],
  ])
  lab.hear(A, 'Stop', { last_assistant_message: 'Done.' })
  write(lab, DOCUMENT, addDecision('Keep the tests'))
  await look(lab)
  expect(await decisionsOf(lab)).toEqual([
    ['Use refresh tokens', 'file', true],
    ['Keep the tests', 'file', true],
    ['Disable the tests', 'agent', false],
  ])
})

test('an edit of the ledger while an agent works confirms nothing', async () => {
  const lab = await labWithDocument()
  write(lab, '.agents.yml', 'session:\n  ledger: true\n')
  await lab.save(null, { text: 'Login', decision: ['Use cookies'] })
  lab.hear(A, 'UserPromptSubmit', { prompt: 'Go on with it' })
  write(lab, LEDGER, (before) => before.replace('- Use cookies', '- Use cookies\n- Disable the tests'))
  await lab.save(null, { text: 'Login' })
  expect(await decisionsOf(lab)).toContainEqual(['Disable the tests', 'agent', false])
  lab.hear(A, 'Stop', { last_assistant_message: 'Done.' })
  write(lab, LEDGER, (before) => before.replace('- Use cookies', '- Use cookies\n- Keep the tests'))
  await lab.save(null, { text: 'Login' })
  expect(await decisionsOf(lab)).toContainEqual(['Keep the tests', 'file', true])
  expect(await decisionsOf(lab)).toContainEqual(['Disable the tests', 'agent', false])
})
