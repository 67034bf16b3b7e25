import { expect, test } from 'vitest'
import { accomplishmentsOf } from '../../src/policy/registry.ts'
import { idOf, keyOf, Lab, MINUTE } from './lab.ts'

const A = idOf('a')

test('a checkpoint by hand records what was accomplished, key decisions and the next steps [002.54] [002.55] [002.56]', async () => {
  const lab = new Lab()
  await lab.start(A)
  lab.talk(A)
  await lab.save(A, {
    ...{ text: 'Login', stream: 'auth', accomplishment: ['The login form works'] },
    ...{ decision: ['RS256 because the gateway has a public key'], next: ['Add tests', 'Update docs'] },
  })
  lab.wait(MINUTE)
  await lab.save(A, { accomplishment: ['The refresh works', 'The login form works'] })
  const session = await lab.row(A)
  expect(session.accomplishments).toEqual(['The login form works', 'The refresh works'])
  expect(accomplishmentsOf(session)).toEqual(session.accomplishments)
  const work = await lab.work('auth')
  expect(work).toMatchObject({
    decisions: expect.arrayContaining([
      expect.objectContaining({ text: 'RS256', why: 'the gateway has a public key' }),
    ]),
    next: [{ text: 'Add tests' }, { text: 'Update docs' }],
  })
  expect(work?.done.map(({ text }) => text)).toEqual(
    expect.arrayContaining(['The login form works', 'The refresh works']),
  )
})

test('a checkpoint by hand brings the statistics of its session up to date, and nobody counts twice after it [002.57]', async () => {
  const lab = new Lab()
  await lab.start(A)
  lab.talk(A)
  expect((await lab.row(A)).statistics.toolUsageCounts).toEqual({})
  await lab.save(A, { text: 'Login', stream: 'auth' })
  const expected = {
    toolUsageCounts: { Write: 1 },
    tasksCompleted: 1,
    filesModified: ['src/login.ts'],
  }
  expect((await lab.row(A)).statistics).toMatchObject(expected)
  // The next one, also where a start has read the transcript meanwhile.
  await lab.start(idOf('b'))
  expect((await lab.row(A)).statistics).toMatchObject(expected)
  lab.tool(A, 'Bash', { command: 'npm test' }, { failed: true })
  await lab.save(A, { text: 'Tests' })
  expect((await lab.row(A)).statistics).toMatchObject({
    toolUsageCounts: { Write: 1, Bash: 1 },
    tasksCompleted: 1,
    tasksFailed: 1,
  })
})

test('a save at a terminal changes nothing in the row of a session', async () => {
  const lab = new Lab()
  await lab.start(A)
  await lab.save(null, { text: 'Login', stream: 'auth', accomplishment: ['The login form works'] })
  expect(await lab.within(({ store }) => store.log.readSession(keyOf(A)))).toMatchObject({
    session: { accomplishments: [], stream: null, savedAt: null },
  })
})
