import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { decodeSnapshot } from '../../src/formats/snapshot/codec.ts'
import { type Sandbox, sandbox } from '../support/sandbox.ts'

const latest = (box: Sandbox) => {
  const file = box.path('checkpoints', 'r1', 'latest.json')
  return decodeSnapshot(readFileSync(file), file)
}

const history = (box: Sandbox) => {
  const folder = box.path('checkpoints', 'r1', 'history')
  const order = (name: string) => Number(/_(\d+)-/.exec(name)?.[1] ?? 0)
  return readdirSync(folder)
    .sort((a, b) => order(a) - order(b))
    .map((name) => decodeSnapshot(readFileSync(join(folder, name)), name))
}

const node = (code: string) => ['--', process.execPath, '-e', code]

test.each([0, 1, 3, 42])('run exec ends with the exit code %d of its command', (code) => {
  const box = sandbox()
  box.start()
  expect(box.run(['run', 'exec', 'r1', ...node(`process.exit(${code})`)]).code).toBe(code)
})

test('stdout belongs to the command; our words go to stderr', () => {
  const box = sandbox()
  box.start()
  const done = box.run([
    'run',
    'exec',
    'r1',
    ...node(`process.stdout.write('theirs\\n'); console.error('err')`),
  ])
  expect(done.stdout).toBe('theirs\n')
  expect(done.stderr).toContain('err\n')
  expect(done.stderr).toContain('recorded in run r1')
})

test('options after -- are the command’s own', () => {
  const box = sandbox()
  box.start()
  const done = box.run([
    'run',
    'exec',
    'r1',
    '--',
    process.execPath,
    '-e',
    'console.log(process.argv.slice(1).join())',
    '--',
    '--json',
    '--step',
    's1',
  ])
  expect(done).toMatchObject({ code: 0, stdout: '--json,--step,s1\n' })
})

test('an outcome is recorded and stands in the next snapshot [004.14]', () => {
  const box = sandbox()
  box.start()
  box.json(['run', 'exec', 'r1', ...node('')])
  box.json(['run', 'save', 'r1'])
  const [outcome] = latest(box).command_outcomes
  expect(outcome).toMatchObject({ kind: 'shell', result: 'PASS', summary: 'exit code 0' })
  expect(outcome?.name).toContain(' -e ')
  expect(outcome?.duration_ms).toBeGreaterThan(0)
})

test('with --step the step is in progress meanwhile and done after [004.20]', () => {
  const box = sandbox()
  box.start()
  const inside = `console.log(require('fs').readFileSync('checkpoints/r1/latest.json', 'utf8').includes('"step_status": "in_progress"'))`
  expect(box.run(['run', 'exec', 'r1', '--step', 's1', ...node(inside)]).stdout).toBe('true\n')
  expect(latest(box)).toMatchObject({
    status: 'in_progress',
    step_state: { step_id: 's1', step_status: 'done' },
  })
})

test('with --step a command that fails makes the step and the run failed [004.21]', () => {
  const box = sandbox()
  box.start()
  expect(box.run(['run', 'exec', 'r1', '--step', 's1', ...node('process.exit(9)')]).code).toBe(9)
  const { status, step_state, command_outcomes } = latest(box)
  expect(status).toBe('failed')
  expect(step_state).toMatchObject({ step_status: 'failed', resume_hints: { reason_code: 'command_failed' } })
  expect(command_outcomes).toMatchObject([
    { result: 'FAIL', reason_code: 'command_failed', summary: 'exit code 9' },
  ])
})

test('a command that fails without a step is an error boundary [004.22]', () => {
  const box = sandbox()
  box.start()
  box.run(['run', 'exec', 'r1', ...node('process.exit(1)')])
  expect(latest(box)).toMatchObject({ source: 'error_boundary', status: 'in_progress' })
})

test('a command that is not there: exit 127, and its outcome is recorded [004.16]', () => {
  const box = sandbox()
  box.start()
  const done = box.run(['run', 'exec', 'r1', '--', 'no-such-command-anywhere'])
  expect(done.code).toBe(127)
  expect(latest(box).command_outcomes).toMatchObject([
    { name: 'no-such-command-anywhere', result: 'FAIL', reason_code: 'command_not_started' },
  ])
})

test('a command that cannot be run: exit 126', () => {
  const box = sandbox()
  box.start()
  expect(box.run(['run', 'exec', 'r1', '--', box.path('plan.md')]).code).toBe(126)
})

test('a completed run runs no command', () => {
  const box = sandbox()
  box.start()
  box.json(['run', 'finish', 'r1', '--incomplete'])
  const done = box.run(['run', 'exec', 'r1', ...node(`require('fs').writeFileSync('ran', '')`)])
  expect(done.code).toBe(6)
  expect(readdirSync(box.repo)).not.toContain('ran')
})

test('a SIGTERM is saved first, then reaches the command, and its end is told [004.23]', async () => {
  const box = sandbox()
  box.start()
  const code = `process.on('SIGTERM', () => {
    const text = require('fs').readFileSync('checkpoints/r1/latest.json', 'utf8')
    console.log('got it', text.includes('stopped by SIGTERM'))
    process.exit(7)
  })
  setInterval(() => undefined, 1000)
  console.log('ready')`
  const { child, done } = box.spawn(['run', 'exec', 'r1', ...node(code)])
  await new Promise<void>((resolve) => {
    child.stdout?.on('data', (chunk) => String(chunk).includes('ready') && resolve())
  })
  child.kill('SIGTERM')
  const ended = await done
  expect(ended.stdout).toBe('ready\ngot it true\n')
  expect(ended.code).toBe(7)
  const boundary = history(box).find(({ source_details }) =>
    source_details.some(({ note }) => note === 'stopped by SIGTERM'),
  )
  const told = boundary ?? latest(box)
  expect(told.source_details.map(({ source }) => source)).toContain('error_boundary')
  expect(latest(box).command_outcomes).toMatchObject([{ result: 'FAIL', summary: 'exit code 7' }])
})

test('a command that dies of a signal ends with 128 plus its number, and the signal is told', () => {
  const box = sandbox()
  box.start()
  const done = box.run(['run', 'exec', 'r1', ...node(`process.kill(process.pid, 'SIGKILL')`)])
  expect(done.code).toBe(137)
  expect(latest(box).command_outcomes).toMatchObject([
    { reason_code: 'command_killed', summary: 'ended by SIGKILL' },
  ])
})

test('a heartbeat is taken while a command works [004.24]', () => {
  const box = sandbox()
  box.start()
  const waitForBeat = `const fs = require('fs'); const end = Date.now() + 20000
  const look = setInterval(() => {
    const text = fs.readFileSync('checkpoints/r1/latest.json', 'utf8')
    if (text.includes('"source": "timer"') || Date.now() > end) { clearInterval(look); console.log(Date.now() <= end) }
  }, 20)`
  const done = box.run(['run', 'exec', 'r1', '--heartbeat', '1', ...node(waitForBeat)])
  expect(done.stdout).toBe('true\n')
})

test('the exit code of the command is kept even where its snapshot cannot be taken', () => {
  const box = sandbox()
  box.start()
  const finish = `require('child_process').execFileSync(process.execPath, [${JSON.stringify(join(process.cwd(), 'dist', 'cli.cjs'))}, 'run', 'finish', 'r1', '--incomplete']); process.exit(9)`
  const done = box.run(['run', 'exec', 'r1', ...node(finish)])
  expect(done.code).toBe(9)
})

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

test('secrets in a command line reach neither a file nor the database', () => {
  const box = sandbox()
  box.start()
  const secrets = [
    ['gh', 'p_', 'A1b2C3d4E5f6G7h8I9j0'].join(''),
    'hunter2hunter2',
    's3cr3tvalue',
    'tok3nvalue99',
  ]
  const [token = '', password, assigned, spaced] = secrets
  box.run([
    'run',
    'exec',
    'r1',
    '--',
    'no-such-command',
    token,
    `postgres://u:${password}@h/d`,
    `--api-key=${assigned}`,
    `API_KEY=${assigned}`,
    '--token',
    `${spaced}`,
  ])
  box.json(['run', 'save', 'r1', '--note', `with ${token}`])
  box.json(['run', 'error', 'r1', '--reason-code', 'auth', '--message', `bad token ${token}`])
  expect(latest(box).source_details.length).toBeGreaterThan(0)
  for (const file of [...filesBelow(box.home), ...filesBelow(box.path('checkpoints'))]) {
    const bytes = readFileSync(file, 'latin1')
    for (const secret of secrets) expect(bytes.includes(secret), `${secret} in ${file}`).toBe(false)
  }
})
