import { expect, test } from 'vitest'
import { makeScreen } from '../../src/verbs/define/screen.ts'
import { performOnce } from '../../src/verbs/perform.ts'
import { resume } from '../../src/verbs/work/resume.ts'
import { status } from '../../src/verbs/work/status.ts'
import { section, titles } from '../cli/resume-lab.ts'
import { HOUR, idOf, Lab } from './lab.ts'

const [A, B, C, D] = [idOf('a1'), idOf('b2'), idOf('c3'), idOf('d4')]
const DAY = 24 * HOUR

/** Six days ago, with a save by hand: done, tested and committed. */
async function loginDone(lab: Lab, saved: { goal: string; next?: string[] }) {
  await lab.start(A)
  lab.prompt(A, 'Move the login to tokens.')
  lab.tool(A, 'Write', { file_path: lab.box.path('src/login.ts'), content: 'x' }, {})
  await lab.save(A, { summary: 'Moving login to tokens', rule: ['Short commits'], ...saved })
  lab.tool(A, 'Bash', { command: 'npm test' }, { content: 'Tests  12 passed (12)' })
  lab.tool(A, 'Bash', { command: 'git commit -am "Login"' }, { content: '[main 1a2b3c4] Login' })
  lab.says(A, 'The login works with tokens.')
  lab.end(A)
  lab.wait(4 * DAY)
}

/** Two days ago, without a save: broken off with a test that fails. */
async function limitLeft(lab: Lab) {
  const told = await lab.start(B)
  lab.prompt(B, 'Add rate limiting to the public API.')
  lab.tool(B, 'Write', { file_path: lab.box.path('src/limit.ts'), content: 'x' }, {})
  lab.tasks(B, { Bucket: 'completed', Router: 'in_progress' })
  lab.tool(B, 'Bash', { command: 'npm test' }, { content: 'Exit code 1\nFAIL limit.test.ts', failed: true })
  lab.tool(B, 'Bash', { command: 'npm test' })
  lab.wait(2 * DAY)
  return told
}

async function exportBegun(lab: Lab) {
  const told = await lab.start(C)
  lab.prompt(C, 'Write an export of the invoices as CSV.')
  lab.tool(C, 'Write', { file_path: lab.box.path('src/export.ts'), content: 'x' }, {})
  lab.says(C, 'The export streams rows now.')
  lab.end(C)
  lab.wait(HOUR)
  return told
}

async function trustedLab() {
  const lab = new Lab()
  await lab.trust()
  return lab
}

test('of three tasks on one branch the newest leads, and the earlier ones are told as done or left [003.19]', async () => {
  const lab = await trustedLab()
  await loginDone(lab, { goal: 'A login lasts a day', next: ['Write the refresh test'] })
  await limitLeft(lab)
  await exportBegun(lab)
  const told = (await lab.start(D)) ?? ''
  expect(titles(told).slice(0, 3)).toEqual(['Where it stands', 'Rules', 'Saved for an earlier task'])
  expect(section(told, 'Where it stands')).toEqual([
    '- Current task: user: "Write an export of the invoices as CSV." → agent: "The export streams rows now."',
  ])
  expect(section(told, 'Saved for an earlier task')).toEqual([
    '- Goal (6 days ago): A login lasts a day',
    '- Next (6 days ago): Write the refresh test',
  ])
  expect(section(told, 'Other sessions')).toEqual([
    '- Earlier, 2 days ago: user: "Add rate limiting to the public API."; left: cut off, npm test failing, 1 of 2 tasks open; 1 edit',
    '- Earlier, 6 days ago: user: "Move the login to tokens."; done: committed, npm test passed; 1 edit, 1 commit',
  ])
  expect(section(told, 'Rules')).toEqual(['- UNCONFIRMED: Short commits'])
})

test('a task that is over, with nothing left to do, is told as a session alone', async () => {
  const lab = await trustedLab()
  await loginDone(lab, { goal: 'A login lasts a day' })
  const told = (await limitLeft(lab)) ?? ''
  // Nobody has asked for anything since: what was saved is the work.
  expect(section(told, 'Work')).toEqual(['- Goal: A login lasts a day'])
  const next = (await lab.start(C)) ?? ''
  expect(next).toContain('- Current task: user: "Add rate limiting to the public API."')
  expect(next).not.toContain('A login lasts a day')
  expect(next).toContain('user: "Move the login to tokens."; done: committed, npm test passed')
})

test('a newest task that is done is told as the last one', async () => {
  const lab = await trustedLab()
  await loginDone(lab, { goal: 'A login lasts a day', next: ['Write the refresh test'] })
  await lab.start(B)
  lab.prompt(B, 'Add rate limiting to the public API.')
  lab.tool(B, 'Write', { file_path: lab.box.path('src/limit.ts'), content: 'x' }, {})
  lab.tool(B, 'Bash', { command: 'git commit -am "Limit"' }, { content: '[main 5d6e7f8] Limit' })
  lab.says(B, 'It is limited.')
  lab.end(B)
  lab.wait(HOUR)
  expect(await lab.start(C)).toContain(
    '- Last task (done: committed): user: "Add rate limiting to the public API." → agent: "It is limited."',
  )
})

test('a save for the new task stays in its place, and leaves the goal of last week behind', async () => {
  const lab = await trustedLab()
  await loginDone(lab, { goal: 'A login lasts a day', next: ['Write the refresh test'] })
  await lab.start(B)
  lab.prompt(B, 'Write an export of the invoices as CSV.')
  lab.tool(B, 'Write', { file_path: lab.box.path('src/export.ts'), content: 'x' }, {})
  await lab.save(B, { summary: 'Exporting invoices' })
  lab.end(B)
  lab.wait(HOUR)
  const told = (await lab.start(C)) ?? ''
  expect(section(told, 'Now')).toEqual(['- Exporting invoices'])
  expect(section(told, 'Saved for an earlier task')).toEqual([
    '- Goal (4 days ago): A login lasts a day',
    '- Next (4 days ago): Write the refresh test',
  ])
})

test('a goal that stands for longer than a start looks back is told as older than that', async () => {
  const lab = await trustedLab()
  await lab.save(null, { summary: 'Begin', goal: 'A login lasts a day' })
  for (let number = 0; number < 32; number += 1) await lab.save(null, { summary: `Step ${number}` })
  lab.wait(2 * DAY)
  await limitLeft(lab)
  expect(section((await lab.start(C)) ?? '', 'Saved for an earlier task')).toEqual([
    '- Goal (over 4 days ago): A login lasts a day',
    '- Now (4 days ago): Step 31',
  ])
})

test('a session that goes on after a clear leaves the goal where it is', async () => {
  const lab = await trustedLab()
  await lab.start(A)
  lab.prompt(A, 'Move the login to tokens.')
  await lab.save(A, { summary: 'Moving login to tokens', goal: 'A login lasts a day' })
  await lab.act(A, 'SessionEnd', { reason: 'clear' })
  await lab.start(B, 'clear')
  lab.prompt(B, 'Go on with the refresh test, please.')
  lab.tool(B, 'Write', { file_path: lab.box.path('src/login.ts'), content: 'x' }, {})
  lab.end(B)
  lab.wait(HOUR)
  const told = (await lab.start(C)) ?? ''
  expect(section(told, 'Work')).toEqual(['- Goal: A login lasts a day'])
  expect(told).not.toContain('Task now')
})

test('what was said is explained with its session and request, and what is over with why', async () => {
  const lab = await trustedLab()
  await loginDone(lab, { goal: 'A login lasts a day' })
  await limitLeft(lab)
  const at = { cwd: lab.box.repo, env: lab.box.env, ports: lab.ports }
  const result = await performOnce(resume, at, {
    id: undefined,
    budget: undefined,
    markdown: false,
    explain: true,
  })
  const lines = ('explained' in result && result.explained) || []
  const starting = (text: string) => lines.filter((line) => line.text.startsWith(text))
  expect(starting('Current task')).toMatchObject([
    {
      ...{ section: 'Where it stands', rank: 'talk', age: '2 days' },
      source: { kind: 'talk', session: B, request: 1 },
      commands: [`savepoint sessions show ${B.slice(0, 8)}`],
    },
  ])
  expect(starting('Earlier, ')).toMatchObject([{ source: { kind: 'talk', session: A, request: null } }])
  expect(starting('Goal: A login lasts a day')).toMatchObject([
    { state: 'over', source: { kind: 'save', session: A, stream: 'main', sequence: 1 } },
  ])
  expect(resume.say(result, makeScreen({ columns: 80 }))).toMatch(/left out: its\s+session finished/)
})

test('status tells the task of today, and the goal of last week with its age', async () => {
  const lab = await trustedLab()
  await loginDone(lab, { goal: 'A login lasts a day', next: ['Write the refresh test'] })
  await limitLeft(lab)
  const at = { cwd: lab.box.repo, env: lab.box.env, ports: lab.ports }
  const result = await performOnce(status, at, {})
  expect(result.saved).toMatchObject({
    summary: 'Add rate limiting to the public API.',
    next: 'Router',
    blockers: ['Failing: npm test (exit 1): "FAIL limit.test.ts"'],
    earlierGoal: { text: 'A login lasts a day', age: '6 days ago' },
  })
  expect(status.say(result, makeScreen({ columns: 80 }))).toMatch(
    /Earlier +goal of 6 days ago: A login lasts a day\n/,
  )
})
