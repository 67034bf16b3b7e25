// Feeds one session to the built program, as a client would, and takes what the next session is told at its start.
import { spawn } from 'node:child_process'
import { appendFileSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../../scripts/setup.mjs'
import { filesIn, lastPrompt, rowsOf, spokenRows, wordsOf } from './rows.mjs'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** No single command may hold up the bench. */
const LONGEST_MS = 60_000
const NEXT = 'ffffffff-aaaa-4bbb-8ccc-000000000001'
const SMALL = '11111111-aaaa-4bbb-8ccc-000000000002'
const ASKED = 'what does git stash -u do?'

/** What an agent saves by hand before its session ends; the words stand nowhere else. */
export const CLAIMS = [
  ['state', '--now', 'ZQ-NOW', 'moving the parser behind a flag'],
  ['decision', '--decision', 'ZQ-DEC', 'keep the old API because clients pin it'],
  ['rule', '--rule', 'ZQ-RULE', 'never touch vendored files'],
  ['next', '--next', 'ZQ-NEXT', 'ask for the key of staging'],
].map(([kind, option, mark, words]) => ({ kind, option, mark, text: `${mark}: ${words}` }))

/** The program believes that it runs at another time. */
const CLOCK = `const by = Number(process.env.SHIFT_MS || 0)
const Real = Date
if (by) globalThis.Date = class extends Real {
  constructor(...words) { words.length ? super(...words) : super(Real.now() + by) }
  static now() { return Real.now() + by }
}\n`

/** Hooks that a client calls as a session ends, by the way in which it ends. `file`: the rest of the transcript is written. */
const ENDS = {
  normal: [['Stop'], ['SessionEnd', { reason: 'prompt_input_exit' }]],
  kill: [],
  clear: [['Stop'], ['SessionEnd', { reason: 'clear' }]],
  compact: [
    ['Stop'],
    ['PreCompact', { trigger: 'manual', custom_instructions: '' }],
    ['file'],
    ['SessionStart', { source: 'compact' }],
    ['PostCompact', { trigger: 'manual' }],
    ['SessionEnd', { reason: 'prompt_input_exit' }],
  ],
  limit: [['StopFailure', { error: 'rate_limit' }]],
  api: [
    ['StopFailure', { error: 'server_error' }],
    ['SessionEnd', { reason: 'prompt_input_exit' }],
  ],
}

const iso = (time) => new Date(time).toISOString()

/** Where the session was: its folder, its branch, its own id, its first and last time. */
function sceneOf(rows) {
  const values = (key) => rows.map((row) => row?.[key]).filter(Boolean)
  const folders = values('cwd')
  const counts = new Map()
  for (const folder of folders) counts.set(folder, (counts.get(folder) ?? 0) + 1)
  const [usual = '/nowhere'] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? []
  const outer = [...counts.keys()].filter((folder) => usual.startsWith(folder))
  const times = values('timestamp')
    .filter((value) => typeof value === 'string')
    .map(Date.parse)
  return {
    folder: outer.sort((a, b) => a.length - b.length)[0] ?? usual,
    session: values('sessionId')[0] ?? '00000000-aaaa-4bbb-8ccc-000000000000',
    branch: values('gitBranch').at(-1) ?? 'main',
    first: times.reduce((a, b) => Math.min(a, b)),
    last: times.reduce((a, b) => Math.max(a, b)),
  }
}

/** A home and a repository of their own, and programs that run in them at any time. */
function stageIn(place, { tokens }) {
  const [repo, home] = [join(place, 'repo'), join(place, 'home')]
  for (const folder of [repo, home]) mkdirSync(folder, { recursive: true })
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(?:CLAUDE|SAVEPOINT|XDG_|NODE_OPTIONS$|NODE_EXTRA_CA_CERTS$)/.test(name),
  )
  const env = {
    ...Object.fromEntries(kept),
    HOME: home,
    USERPROFILE: home,
    SAVEPOINT_HOME: join(place, 'savepoint'),
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'x',
    GIT_AUTHOR_EMAIL: 'x',
    GIT_COMMITTER_NAME: 'x',
    GIT_COMMITTER_EMAIL: 'x',
  }
  if (tokens !== undefined) {
    mkdirSync(join(home, '.config/savepoint'), { recursive: true })
    writeFileSync(join(home, '.config/savepoint/config.yml'), `session:\n  brief_tokens: ${tokens}\n`)
  }
  const clock = join(place, 'clock.cjs')
  writeFileSync(clock, CLOCK)
  const now = Date.now()
  const run = (program, words, { more = {}, input = '' } = {}) =>
    new Promise((resolve, reject) => {
      const child = spawn(program, words, { cwd: repo, env: { ...env, ...more }, timeout: LONGEST_MS })
      const out = { stdout: '', stderr: '' }
      for (const name of ['stdout', 'stderr'])
        child[name].setEncoding('utf8').on('data', (text) => {
          out[name] += text
        })
      child.on('error', reject).on('close', (code) => {
        if (code === 0) resolve(out)
        else
          reject(new Error(`${program} ${words.join(' ')} ended with ${code}\n${out.stderr.slice(0, 500)}`))
      })
      child.stdin.on('error', () => undefined).end(input)
    })
  const node = (file, words, at = now, input = '') => {
    const shift = { NODE_OPTIONS: `--require ${clock}`, SHIFT_MS: String(at - now) }
    return run(process.execPath, [join(root, 'dist', file), ...words], {
      more: at === now ? {} : shift,
      input,
    })
  }
  return { repo, home, now, node, git: (words, more) => run('git', words, { more }) }
}

/**
 * The session lives and ends; two hours later another one starts, or at once after `/clear`. What is it told?
 * `endRows`: how many of the lines only the way of its end wrote.
 */
export async function feedSession(
  place,
  { lines, endRows = 0, end = 'kill', situation = 'plain', tokens, summary = '' },
) {
  const rows = rowsOf(lines)
  const scene = sceneOf(rows)
  const stage = stageIn(place, { tokens })
  const { repo, now, node } = stage
  const by = now - 2 * HOUR - scene.last
  const [began, ended] = [scene.first + by, scene.last + by]
  const moved = lines.map((line, at) => {
    const row = rows[at]
    if (row === null) return line
    const later =
      typeof row.timestamp === 'string' ? { ...row, timestamp: iso(Date.parse(row.timestamp) + by) } : row
    return JSON.stringify(later).replaceAll(scene.folder, repo)
  })
  const { written, named } = filesIn(rows)
  const inside = (files) =>
    files
      .filter((file) => file.startsWith(`${scene.folder}/`))
      .map((file) => file.slice(scene.folder.length + 1))
  await commitBase(stage, ['README.md', ...inside(named)], iso(began - HOUR), scene.branch)
  await node('cli.cjs', ['trust'], began - 30 * MINUTE)
  const transcripts = join(stage.home, '.claude/projects', repo.replace(/[^A-Za-z0-9]/g, '-'))
  mkdirSync(transcripts, { recursive: true })
  const pathOf = (session) => join(transcripts, `${session}.jsonl`)
  const hook = async (name, at, fields = {}, session = scene.session) => {
    const payload = {
      session_id: session,
      transcript_path: pathOf(session),
      cwd: repo,
      permission_mode: 'default',
      hook_event_name: name,
      ...fields,
    }
    const { stdout, stderr } = await node('hook.cjs', ['claude'], at, JSON.stringify(payload))
    if (stderr !== '') throw new Error(`hook ${name} complained: ${stderr.slice(0, 300)}`)
    return stdout
  }
  const write = (session, all, at) => {
    writeFileSync(pathOf(session), all.map((line) => `${line}\n`).join(''))
    utimesSync(pathOf(session), at / 1_000, at / 1_000)
  }
  const isFollowed = situation !== 'alone' && situation !== 'before'
  if (isFollowed) await hook('SessionStart', began, { source: 'startup' })
  for (const file of inside(written)) touch(join(repo, file), ended - 5_000)
  const prompt = lastPrompt(rows)
  if (prompt && isFollowed) {
    write(scene.session, moved.slice(0, prompt.at), prompt.time + by)
    await hook('UserPromptSubmit', prompt.time + by, { prompt: prompt.text })
  }
  const whole = () => write(scene.session, moved, ended)
  if (situation !== 'alone')
    if (end === 'compact') write(scene.session, moved.slice(0, moved.length - endRows), ended)
    else whole()
  if (situation === 'saved')
    await node('cli.cjs', ['save', ...CLAIMS.flatMap(({ option, text }) => [option, text])], ended)
  const last = spokenRows(rows).findLast((row) => row.type === 'assistant')
  const known = {
    Stop: { stop_hook_active: false, last_assistant_message: last ? wordsOf(last) : '' },
    PostCompact: { compact_summary: summary },
  }
  if (isFollowed)
    for (const [name, fields] of ENDS[end])
      if (name === 'file') whole()
      else await hook(name, ended, { ...fields, ...known[name] })
  else if (situation !== 'alone') whole()
  if (situation === 'small' || situation === 'alone')
    await smallTalk({ hook, write, repo, branch: scene.branch, at: ended + 30 * MINUTE })
  const answer =
    end === 'clear' && isFollowed && situation !== 'small'
      ? await hook('SessionStart', ended + 2_000, { source: 'clear' }, NEXT)
      : await hook('SessionStart', now, { source: 'startup' }, NEXT)
  rmSync(place, { recursive: true, force: true, maxRetries: 3 })
  return answer.trim() === '' ? '' : JSON.parse(answer).hookSpecificOutput.additionalContext
}

/** A repository with the files that the session names, as they were before it. */
async function commitBase({ repo, git }, files, date, branch) {
  await git(['init', '-q', '-b', 'main'])
  for (const file of new Set(files)) {
    const path = join(repo, file)
    try {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, file.endsWith('.json') ? '{}\n' : 'old\n')
    } catch (error) {
      // A name that was a file and a folder in turn can be only one of them.
      if (!['EEXIST', 'ENOTDIR', 'EISDIR'].includes(error.code)) throw error
    }
  }
  await git(['add', '-A'])
  await git(['commit', '-q', '-m', 'Base'], { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date })
  if (branch !== 'main' && branch !== 'HEAD') await git(['checkout', '-q', '-b', branch])
}

function touch(path, at) {
  try {
    appendFileSync(path, path.endsWith('.json') ? '\n' : 'new\n')
    utimesSync(path, at / 1_000, at / 1_000)
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR', 'EISDIR'].includes(error.code)) throw error
  }
}

/** One question, one answer, no edit. */
async function smallTalk({ hook, write, repo, branch, at }) {
  const later = at + 9_000
  await hook('SessionStart', at, { source: 'startup' }, SMALL)
  await hook('UserPromptSubmit', at, { prompt: ASKED }, SMALL)
  const same = { sessionId: SMALL, cwd: repo, version: '2.1.30', gitBranch: branch, isSidechain: false }
  const row = (type, uuid, parentUuid, time, message) =>
    JSON.stringify({ ...same, userType: 'external', type, uuid, parentUuid, timestamp: iso(time), message })
  const content = [{ type: 'text', text: 'It also stashes untracked files.' }]
  const usage = { input_tokens: 10, output_tokens: 20 }
  const model = { id: 'm1', model: 'claude-sonnet-4-5', stop_reason: 'end_turn', usage }
  const asked = row('user', 'u1', null, at, { role: 'user', content: ASKED })
  const answered = row('assistant', 'a1', 'u1', later, { role: 'assistant', ...model, content })
  write(SMALL, [asked, answered], later)
  await hook('Stop', later, {}, SMALL)
  await hook('SessionEnd', later, { reason: 'other' }, SMALL)
}
