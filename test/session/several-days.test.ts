import { expect, test } from 'vitest'
import { HOUR, idOf, Lab, streamOf } from './lab.ts'

const [A, B, C] = [idOf('a'), idOf('b'), idOf('c')]

test('work of several days has a checkpoint from the end of each session, and each goes on from the one before [003.19] [002.33] [000.63] [000.92]', async () => {
  const lab = new Lab()
  await lab.trust()
  await lab.start(A)
  lab.talk(A)
  lab.end(A)
  lab.wait(20 * HOUR)
  expect(await lab.start(B)).toContain('The login form works. Next: write the refresh test.')
  lab.prompt(B, 'Now add a logout button. Never touch the billing module.')
  lab.tool(B, 'Write', { file_path: lab.box.path('src/logout.ts'), content: 'x' }, {})
  lab.says(B, 'The logout button works. Next: write the docs.')
  lab.end(B)
  lab.wait(20 * HOUR)
  const told = await lab.start(C)
  for (const words of ['Always use tabs', 'Never touch the billing module', 'write the docs'])
    expect(told).toContain(words)
  expect(await lab.streams()).toEqual({ [streamOf(A)]: 1, [streamOf(B)]: 1 })
  const [first, second] = [await lab.checkpoint(streamOf(A)), await lab.checkpoint(streamOf(B))]
  expect(second?.parent).toBe(first?.id)
  expect(second?.work.artifacts.map(({ path }) => path)).toEqual(['src/login.ts', 'src/logout.ts'])
  for (const id of [A, B])
    expect(await lab.checkpoint(streamOf(id))).toMatchObject({
      session: id,
      triggers: [{ kind: 'session-end', note: 'session ended: prompt_input_exit' }],
    })
})

test.each([
  ['had only written', async () => undefined],
  ['was asked', async (lab: Lab) => lab.hear(A, 'UserPromptSubmit', { prompt: 'Go on' })],
  ['was in the middle of a tool', async (lab: Lab) => lab.tool(A, 'Bash', { command: 'npm test' })],
  ['had answered', async (lab: Lab) => lab.hear(A, 'Stop', { last_assistant_message: 'Done.' })],
  ['had lost its network', (lab: Lab) => lab.act(A, 'StopFailure', { error: 'server_error' })],
])('a session that %s when it stopped is found after an hour [002.41] [002.46]', async (_, last) => {
  const lab = new Lab()
  await lab.start(A)
  lab.talk(A)
  await last(lab)
  lab.wait(HOUR + 1)
  await lab.follow()
  expect((await lab.row(A)).phase).toBe('stale')
  await lab.start(B)
  expect(await lab.row(A)).toMatchObject({ phase: 'recent', endReason: 'crash' })
})
