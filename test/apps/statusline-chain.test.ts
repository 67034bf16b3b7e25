import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { AGENTS } from '../../src/agents/table.ts'
import { renderStatusline, runChain } from '../../src/apps/hook/statusline.ts'

const INPUT = JSON.stringify({
  session_id: 'none',
  model: { display_name: 'Some model' },
  context_window: { context_window_size: 200_000, used_percentage: 45 },
})
const OURS = '▰▰▱▱▱ 45 % of 200k · not saved yet'

function draw(file: string | { chain: unknown }, { columns = 120, env = {} } = {}): string {
  const home = mkdtempSync(join(tmpdir(), 'savepoint-test-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  writeFileSync(join(home, 'statusline.json'), typeof file === 'string' ? file : JSON.stringify(file))
  return renderStatusline(INPUT, {
    home,
    nowMs: 0,
    columns,
    agents: AGENTS,
    env: { ...process.env, NO_COLOR: '1', ...env },
  })
}

test('a status line that was there before comes first, with the same input, and ours behind it', () => {
  expect(draw({ chain: 'cat; printf " $EXTRA"' }, { columns: 300, env: { EXTRA: 'more' } })).toBe(
    `${INPUT} more · ${OURS}`,
  )
})

test('its lines and colours are kept, and ours goes below several lines', () => {
  expect(draw({ chain: String.raw`printf '\033[32mone\033[0m\ntwo\n\n'` })).toBe(
    `\x1b[32mone\x1b[0m\ntwo\n${OURS}`,
  )
})

test('where both do not fit ours has a line of its own; colours and links take no room', () => {
  const chain = String.raw`printf '\033[1;32mgreen\033[0m \033]8;;https://example.org\033\\link\033]8;;\033\\\n'`
  const columns = 'green link'.length + ' · '.length + OURS.length
  const theirs = '\x1b[1;32mgreen\x1b[0m \x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\'
  expect(draw({ chain }, { columns })).toBe(`${theirs} · ${OURS}`)
  expect(draw({ chain }, { columns: columns - 1 })).toBe(`${theirs}\n${OURS}`)
})

test.each([
  ['fails', { chain: 'echo half; exit 3' }],
  ['does not exist', { chain: 'no-such-command-here' }],
  ['says nothing', { chain: 'echo' }],
  ['says far too much', { chain: 'head -c 200000 /dev/zero' }],
  ['is not a command', { chain: 7 }],
  ['is in no JSON', '{"chain": "echo'],
])('a chained command that %s leaves only ours', (_, file) => {
  expect(draw(file)).toBe(OURS)
})

test('a chained command that does not read its input is no failure', () => {
  expect(runChain('echo hello', 'x'.repeat(1_000_000), process.env)).toBe('hello')
})

test('a chained command that takes too long is ended', () => {
  expect(runChain('echo first; exec sleep 60', '', process.env, { timeoutMs: 100 })).toBeNull()
})

test('inside a chained command ours is silent, so that it neither calls itself nor shows twice', () => {
  const guard = runChain('env', '', process.env)?.match(/^(SAVEPOINT_STATUSLINE\w+)=(.+)$/m) ?? []
  expect(guard).toHaveLength(3)
  const [, name = '', value] = guard
  expect(draw({ chain: 'echo theirs' }, { env: { [name]: value } })).toBe('')
})
