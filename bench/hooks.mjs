// What the hooks of an agent and the status line cost, from the start of the process to its end, against a bare start of Node.
import { appendFileSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { root } from '../scripts/setup.mjs'
import { bundled, gitTime, seeded } from './filled.mjs'
import { inTempFolder, interleaved, median, p95, row, timed } from './measure.mjs'
import { assistantRow, promptRow, resultRow, turns } from './transcript-rows.mjs'

const CHECKPOINTS = 10_000
const DEAD = 20
const MB = 1024 * 1024
const LONG_BYTES = 100 * MB
const DEAD_BYTES = MB
/** The 95th of a hundred is noise after a few; cheap ones are run often. */
const ROUNDS = { cheap: 200, dear: 60, flooded: 5 }
const LIMITS = { moreMs: 15, start: 3, after: 5, statusline: 1.5 }
const LONG = '10000000-0000-4000-8000-000000000001'

/** Every limit, measured in one go. */
export function measure() {
  return inTempFolder(async (place) => {
    const workspace = await seeded(join(place, 'many'), CHECKPOINTS, await bundled(place))
    const scene = sceneIn(workspace)
    withLongSession(scene)
    withDeadSessions(scene)
    return [...(await cheap(scene)), ...(await dear(scene)), await flooded(scene)]
  })
}

/** The agent is set up, and every hook is started as the client does: the launcher itself, with the payload on its input. */
function sceneIn(workspace) {
  const { repo, env, run, savepoint } = workspace
  Object.assign(env, { CLAUDE_PROJECT_DIR: repo })
  savepoint('init', '--agent', 'claude', '--without-statusline')
  const transcripts = join(env.HOME, 'transcripts')
  mkdirSync(transcripts)
  const transcriptOf = (id) => join(transcripts, `${id}.jsonl`)
  const launcher = join(env.SAVEPOINT_HOME, 'bin/savepoint-hook')
  const hook = (id, name, fields = {}) => {
    const payload = JSON.stringify({
      session_id: id,
      transcript_path: transcriptOf(id),
      cwd: repo,
      permission_mode: 'default',
      hook_event_name: name,
      ...fields,
    })
    return () => run(launcher, ['claude'], payload)
  }
  return { ...workspace, launcher, transcriptOf, hook }
}

/** A conversation that goes on, and ends with a large answer of a tool: the last use is before that. */
function withLongSession({ hook, transcriptOf }) {
  turns(transcriptOf(LONG), LONG_BYTES)
  hook(LONG, 'SessionStart', { source: 'startup' })()
  appendFileSync(transcriptOf(LONG), assistantRow('Read it', 'Read') + resultRow('x'.repeat(200_000)))
}

/** Sessions that broke off hours ago, one after the other; what they wrote is read by the next start. */
function withDeadSessions({ env, repo, hook, transcriptOf, savepoint }) {
  const folder = join(env.SAVEPOINT_HOME, 'sessions/claude')
  for (let number = 0; number < DEAD; number += 1) {
    const id = `20000000-0000-4000-8000-${String(number).padStart(12, '0')}`
    const at = new Date(Date.now() - (2 + number) * 3_600_000)
    turns(transcriptOf(id), DEAD_BYTES, at)
    utimesSync(transcriptOf(id), at, at)
    const common = { agent: 'claude', session: id, at: at.toISOString(), cwd: repo, helper: null }
    const event = { ...common, transcript: transcriptOf(id), permissionMode: 'default' }
    const records = [
      { kind: 'start', source: 'startup', model: null },
      { kind: 'prompt', text: 'Move the parts to tokens' },
    ].map((said) => `\n${JSON.stringify({ event: { ...event, ...said }, ms: 40, head: null })}\n`)
    writeFileSync(join(folder, `${id}.jsonl`), records.join(''), { mode: 0o600 })
  }
  hook('30000000-0000-4000-8000-000000000000', 'SessionStart', { source: 'startup' })()
  const { sessions } = JSON.parse(savepoint('sessions', '--all', '--json'))
  const dead = sessions.filter(({ endReason }) => endReason === 'crash')
  if (dead.length !== DEAD) throw new Error(`${dead.length} sessions broke off, of ${DEAD}`)
}

/** As after some minutes of this use: what the hooks compile is kept (src/apps/process/program.ts). */
function settle({ env, hook }) {
  const cache = join(env.SAVEPOINT_HOME, 'cache')
  for (let time = 0; time < 2; time += 1) {
    hook(LONG, 'SessionStart', { source: 'startup' })()
    hook(LONG, 'PreCompact', { trigger: 'manual' })()
    if (time === 0)
      for (const name of readdirSync(cache)) utimesSync(join(cache, name), new Date(0), new Date(0))
  }
}

const DRAWN = {
  session_id: LONG,
  model: { id: 'claude-opus-4-8', display_name: 'Opus' },
  context_window: {
    context_window_size: 200_000,
    used_percentage: 42,
    current_usage: { input_tokens: 4, cache_read_input_tokens: 84_000, cache_creation_input_tokens: 400 },
  },
}

/** What runs at every step of an agent: of a hook the slowest count, of the status line the usual one. */
async function cheap({ run, node, hook, launcher }) {
  const tools = ['Read', 'Bash', 'Edit', 'Grep'].map((tool_name, at) => ({
    tool_name,
    tool_use_id: `toolu_${at}`,
    tool_input: { file_path: `/work/src/part-${at}.ts` },
    tool_response: 'export const part = 1\n'.repeat(2_300),
  }))
  const hooks = {
    UserPromptSubmit: hook(LONG, 'UserPromptSubmit', {
      prompt: 'Write the test of step 7, and say what is left of it. '.repeat(95),
    }),
    PostToolBatch: hook(LONG, 'PostToolBatch', { tool_calls: tools }),
    Stop: hook(LONG, 'Stop', {
      stop_hook_active: false,
      last_assistant_message: 'The test of step 7 is through; step 8 is next. '.repeat(40),
    }),
    SessionEnd: hook(LONG, 'SessionEnd', { reason: 'other' }),
  }
  const drawn = JSON.stringify(DRAWN)
  const lines = {
    'statusline by its launcher': () => run(launcher, ['statusline'], drawn),
    'savepoint statusline': () => run(process.execPath, [join(root, 'dist/cli.cjs'), 'statusline'], drawn),
  }
  const acts = { bare: () => node('-e', '0'), ...hooks, ...lines }
  const sides = Object.entries(acts).map(([name, act]) => [name, () => timed(act)])
  const times = await interleaved(ROUNDS.cheap, Object.fromEntries(sides))
  const bare = { usual: median(times.bare), slow: p95(times.bare) }
  const about = `${LONG_BYTES / MB} MB transcript`
  return [
    ...Object.keys(hooks).map((name) => {
      const usual = (median(times[name]) - bare.usual).toFixed(1)
      const what = `${name}, ${about} (median: +${usual} ms), p95 / p95 of node -e 0, + ${LIMITS.moreMs} ms`
      return row(what, p95(times[name]), bare.slow + LIMITS.moreMs, name === 'SessionEnd' ? null : 1)
    }),
    ...Object.keys(lines).map((name) =>
      row(`${name} / node -e 0`, median(times[name]), bare.usual, LIMITS.statusline),
    ),
  ]
}

/** What opens the store. Every start is of a new session, which is taken out again, so that no start meets more than the one before. */
async function dear(scene) {
  const { env, node, hook, trace, transcriptOf } = scene
  settle(scene)
  const git = { start: [], after: [], compact: [] }
  const apart = async (name, act) => {
    rmSync(trace, { force: true })
    const whole = await timed(act)
    const own = gitTime(trace)
    git[name].push(own)
    return whole - own
  }
  let started = 0
  const start = async (name, words) => {
    started += 1
    const id = `40000000-0000-4000-8000-${String(started).padStart(12, '0')}`
    const act = hook(id, 'SessionStart', { source: 'startup' })
    let told = ''
    const time = await apart(name, () => {
      told = act()
    })
    if (!told.includes(words)) throw new Error(`a start was told something else: ${told || 'nothing'}`)
    forget(env, id)
    return time
  }
  const times = await interleaved(ROUNDS.dear, {
    bare: () => timed(() => node('-e', '0')),
    start: () => start('start', 'Tokens of kind 1 over cookies'),
    async compact() {
      appendFileSync(
        transcriptOf(LONG),
        promptRow('Go on') + assistantRow('It goes on', 'Edit') + resultRow('ok'),
      )
      return apart('compact', hook(LONG, 'PreCompact', { trigger: 'auto' }))
    },
  })
  // Last: what it saves is the newest work from then on.
  const afterwards = await interleaved(ROUNDS.dear, {
    bare: () => timed(() => node('-e', '0')),
    after() {
      endedNow(scene)
      return start('after', 'Session 60000000 ended')
    },
  })
  const line = (name, found, what, limit) => {
    const about = `${what} (${median(git[name]).toFixed(1)} ms of git apart) / node -e 0`
    return row(about, median(found[name]), median(found.bare), limit)
  }
  const full = `SessionStart with a brief at ${CHECKPOINTS} checkpoints and ${DEAD} dead sessions`
  return [
    line('start', times, full, LIMITS.start),
    line('after', afterwards, 'the same after a session with 100 KB that nobody read', LIMITS.after),
    line('compact', times, `PreCompact after one more turn of ${LONG_BYTES / MB} MB`, null),
  ]
}

const NEW_DOCUMENTS = 10_000

/** Last of all: each start takes in some of the documents that came, and the next one goes on. */
async function flooded({ repo, node, hook }) {
  const folder = join(repo, 'checkpoints/active')
  mkdirSync(folder, { recursive: true })
  for (let number = 0; number < NEW_DOCUMENTS; number += 1) {
    const front = `---\ncheckpoint: new-${number}\ncreated: 2026-01-01T00:00:00Z\n---\n`
    writeFileSync(
      join(folder, `new-${number}.md`),
      `${front}\n## Problem\n\nPart ${number} is slow.\n\n### Next Actions\n\n- Measure it\n`,
    )
  }
  let started = 0
  const times = await interleaved(ROUNDS.flooded, {
    bare: () => timed(() => node('-e', '0')),
    start() {
      started += 1
      const id = `70000000-0000-4000-8000-${String(started).padStart(12, '0')}`
      return timed(hook(id, 'SessionStart', { source: 'startup' }))
    },
  })
  const usual = Math.round(median(times.start))
  const what = `SessionStart that meets ${NEW_DOCUMENTS} new documents (${usual} ms) / node -e 0`
  return row(what, median(times.start), median(times.bare), null)
}

const ENDED = '60000000-0000-4000-8000-000000000000'

/** A session that was begun, worked and ended in order, and was not read before. */
function endedNow({ env, hook, transcriptOf }) {
  forget(env, ENDED)
  hook(ENDED, 'SessionStart', { source: 'compact' })()
  turns(transcriptOf(ENDED), 100 * 1024)
  // Each time it came to something else, so that there is something to save.
  const last = assistantRow(`Part ${Math.round(performance.now())} is through its tests`, 'Edit')
  appendFileSync(transcriptOf(ENDED), last + resultRow('ok'))
  hook(ENDED, 'SessionEnd', { reason: 'prompt_input_exit' })()
}

const require = createRequire(import.meta.url)

function forget(env, id) {
  const { DatabaseSync } = require('@photostructure/sqlite')
  const db = new DatabaseSync(join(env.SAVEPOINT_HOME, 'savepoint.db'))
  db.exec(`DELETE FROM sessions WHERE id = '${id}'; DELETE FROM readings WHERE id = '${id}'`)
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  const folder = join(env.SAVEPOINT_HOME, 'sessions/claude')
  for (const name of readdirSync(folder)) if (name.startsWith(id)) rmSync(join(folder, name))
}
