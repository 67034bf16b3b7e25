// Plays a client of an agent for the guides and the picture of the README: it installs plugins, starts the hooks of one that is switched
// on, and writes a transcript as the client does. Its first session is killed in the middle of its work, after that it
// only starts.
import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

if (process.argv[2] === 'plugin') {
  // What it notes down lies beside this file, as the other one sees it.
  process.argv[1] = join(homedir(), 'stand-in', 'client.mjs')
  mkdirSync(join(homedir(), 'stand-in'), { recursive: true })
  await import('./stand-in-plugins.mjs')
  process.exit(0)
}

const FIRST = '7c1e2f40-5b3d-4e1a-9c55-2d8f0a6b1c34'
const SECOND = 'e04b9a17-83c6-4f0d-b2aa-91d7c5e3f608'
const folder = join(homedir(), '.claude', 'projects', 'shop')
const isFirst = !existsSync(folder)
const session_id = isFirst ? FIRST : SECOND
const transcript_path = join(folder, `${session_id}.jsonl`)
let rows = 0

function read(path) {
  return JSON.parse(readFileSync(path, 'utf8'))
}

function hook(hook_event_name, more = {}) {
  const { extraKnownMarketplaces } = read(join(homedir(), '.claude', 'settings.json'))
  const { hooks } = read(join(extraKnownMarketplaces.savepoint.source.path, 'savepoint/hooks/hooks.json'))
  const common = { session_id, transcript_path, cwd: process.cwd(), permission_mode: 'default' }
  const [{ command, args }] = hooks[hook_event_name][0].hooks
  const { stdout } = spawnSync(command, args, {
    input: JSON.stringify({ ...common, hook_event_name, ...more }),
    encoding: 'utf8',
  })
  return stdout === '' ? '' : JSON.parse(stdout).hookSpecificOutput.additionalContext
}

function row(type, message) {
  rows += 1
  const uuid = `00000000-0000-4000-8000-${String(rows).padStart(12, '0')}`
  const timestamp = new Date().toISOString()
  const line = { type, uuid, timestamp, isSidechain: false, message: { role: type, ...message } }
  appendFileSync(transcript_path, `${JSON.stringify(line)}\n`)
}

function prompt(text) {
  console.log(`> ${text}`)
  hook('UserPromptSubmit', { prompt: text })
  row('user', { content: text })
}

function answer(...content) {
  for (const block of content) console.log(block.text ?? `${block.name}: ${Object.values(block.input)[0]}`)
  const usage = { input_tokens: 900 + rows * 400, cache_read_input_tokens: 15_000, output_tokens: 120 }
  row('assistant', { id: `msg_${rows}`, model: 'claude-sonnet-4-5', content, usage })
}

function tool(name, input, { said, result, isError = false }) {
  const id = `toolu_${rows}`
  answer({ type: 'text', text: said }, { type: 'tool_use', id, name, input })
  row('user', { content: [{ type: 'tool_result', tool_use_id: id, content: result, is_error: isError }] })
  hook('PostToolBatch', { tool_calls: [{ tool_name: name, tool_input: input, tool_response: result }] })
}

mkdirSync(folder, { recursive: true })
const told = hook('SessionStart', { source: 'startup', model: 'claude-sonnet-4-5' })
if (told !== '') console.log(told)
if (!isFirst) {
  hook('SessionEnd', { reason: 'prompt_input_exit' })
  process.exit(0)
}
prompt('Sign the tokens of the gateway. Never touch the legacy folder.')
const file = join(process.cwd(), 'src/tokens.js')
writeFileSync(file, 'exports.algorithm = "RS256"\n')
tool(
  'Write',
  { file_path: file },
  {
    said: "I'll use RS256 for the tokens because the gateway verifies with a public key.",
    result: 'File created',
  },
)
tool(
  'Bash',
  { command: 'npm test' },
  { said: 'Now the tests.', result: 'Exit code 1\n✗ a refresh rotates the token\n1 failing', isError: true },
)
answer({ type: 'text', text: 'Next step: keep the id of the old token, so that a refresh can rotate it.' })
process.kill(process.pid, 'SIGKILL')
