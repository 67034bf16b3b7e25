import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { READING } from '../../src/engine/surroundings/read-state.ts'
import { beginSession } from '../../src/policy/session-apply.ts'
import { readGiven } from '../../src/verbs/define/read-given.ts'
import { performOnce } from '../../src/verbs/perform.ts'
import { isVerbName, loadVerb } from '../../src/verbs/table.ts'
import { assistant, text, usageOf } from '../agents/transcript-rows.ts'
import { HOUR, idOf, Lab, MINUTE } from '../session/lab.ts'
import { type TestPorts, testPorts } from '../support/ports.ts'
import { Sandbox } from '../support/sandbox.ts'

const DAY = 24 * HOUR
const MODEL = { model: 'claude-sonnet-4-5' }

/** A user's home after a week of work in two repositories, made by the verbs and hooks themselves. */
export interface FilledHome {
  api: Sandbox
  web: Sandbox
  /** Sessions by what they are in: their ids. */
  sessions: { live: string; silent: string; ended: string }
}

export async function fillHome(root: string): Promise<FilledHome> {
  const ports = testPorts(Date.now() - 5 * DAY)
  const outer = new Sandbox(root)
  mkdirSync(join(root, 'user'), { recursive: true })
  const api = makeRepository(outer.elsewhere('atlas-api'))
  const web = makeRepository(outer.elsewhere('atlas-web'))
  const sessions = { live: idOf('4be12aa9'), silent: idOf('7c01d3f2'), ended: idOf('99e01c2d') }
  await fillWork(api, ports)
  const lab = new Lab(api, ports)
  await fillSessions(lab, sessions)
  await fillRuns(api, ports)
  await fillOtherRepository(web, ports)
  await finishToday(lab, sessions)
  return { api, web, sessions }
}

function makeRepository(box: Sandbox): Sandbox {
  mkdirSync(join(box.repo, 'src/auth'), { recursive: true })
  box.git('init', '--quiet', '--initial-branch=main')
  box.git('config', 'user.name', 'Ada')
  box.git('config', 'user.email', 'ada@example.org')
  for (const file of ['verify', 'register', 'limiter'])
    writeFileSync(box.path('src/auth', `${file}.ts`), `export const ${file} = () => {}\n`)
  box.git('add', '.')
  box.git('commit', '--quiet', '--message', 'Begin')
  return box
}

/** One verb in a repository, at the time that the clock shows. */
async function perform(box: Sandbox, ports: TestPorts, name: string, given: Record<string, unknown>) {
  ports.time += 1_000
  if (!isVerbName(name)) throw new Error(`there is no verb ${name}`)
  const verb = await loadVerb(name)
  const input = readGiven(given, { name, fields: verb.fields, all: verb.fields, cwd: box.repo })
  return performOnce(verb, { cwd: box.repo, env: box.env, ports, speaker: 'user', session: null }, input)
}

async function fillWork(box: Sandbox, ports: TestPorts): Promise<void> {
  const act = (name: string, given: Record<string, unknown>) => perform(box, ports, name, given)
  await act('trust', {})
  await act('new', { name: 'auth-system', current: true })
  await act('save', {
    summary: 'Sessions and refresh tokens are live',
    problem: 'Support resets 40 passwords a week, and each reset is a way in.',
    goal: 'Nobody needs a password to sign in; clients that know nothing else keep working.',
    next: ['Rotate refresh tokens on every use', 'Choose a second factor'],
    decision: ['Opaque session ids over JWT because a session must end at once'],
    stream: 'auth-system',
  })
  ports.time += 6 * HOUR
  await act('fork', { id: 'auth-system', name: 'auth-totp', current: true })
  await act('save', { summary: 'Codes from an app work', next: ['Recovery codes'], stream: 'auth-totp' })
  ports.time += 4 * HOUR
  await act('archive', {
    id: 'auth-totp',
    outcome: 'A second factor by app is live for everybody',
    learning: [
      'The clocks of phones drift by up to 90 s: accept one step on each side',
      'Show the recovery codes before the QR code, or nobody keeps them',
    ],
  })
  ports.time += 2 * HOUR
  await fillMergedBranch(box, act)
  ports.time += 6 * HOUR
  box.git('checkout', '--quiet', '-b', 'fix/rate-limit')
  await act('new', { name: 'rate-limit' })
  await act('save', {
    summary: 'The limiter counts a retry at the proxy and again in the handler',
    problem: 'Users behind one address are locked out after a single mistake.',
    next: ['Write a failing test for the double counting'],
    stream: 'rate-limit',
  })
  await act('fork', { id: 'rate-limit', name: 'rate-limit-redis' })
  await act('save', { summary: 'Redis is no cheaper here', stream: 'rate-limit-redis' })
  ports.time += 9 * HOUR
  box.git('checkout', '--quiet', '-b', 'feature/passkeys', 'main')
  await act('fork', { id: 'auth-system', name: 'passkeys', current: true })
  await act('save', {
    summary: 'The ceremonies are chosen',
    problem: 'Passwords are reused and phished. A passkey can be neither.',
    goal: 'Users sign in with a passkey; passwords stay until every client has moved.',
    next: ['Registration from the account page'],
    decision: ['WebAuthn over a vendor SDK because no third party may see a sign-in'],
    constraint: ['The session cookie stays as it is'],
    fact: ['The credentials table has 1.2 million rows: a migration must run in batches'],
    file: ['src/auth/register.ts: the ceremony of registration'],
    stream: 'passkeys',
  })
  ports.time += 5 * HOUR
  await act('save', {
    summary: 'Registration works in Chrome and Safari',
    done: ['Registration from the account page'],
    next: ['Verify the assertion', 'Let a user name and remove a passkey'],
    stream: 'passkeys',
  })
  await act('delta', {
    id: 'passkeys',
    what: 'Registration works end to end, with a test for each refusal of the authenticator.',
    artifact: ['src/auth/register.ts:modified:The ceremony'],
    trigger: 'phase',
  })
  await act('fork', { id: 'passkeys', name: 'passkeys-autofill' })
  await act('save', {
    summary: 'The browser offers a passkey in the name field',
    next: ['Fall back where the browser knows no conditional UI'],
    stream: 'passkeys-autofill',
  })
  ports.time += 4 * HOUR
}

type Act = (name: string, given: Record<string, unknown>) => Promise<unknown>

/** Work on a branch that is merged and removed: it is closed by that, without a word of anybody. */
async function fillMergedBranch(box: Sandbox, act: Act): Promise<void> {
  box.git('checkout', '--quiet', '-b', 'feature/audit-log')
  await act('focus', { clear: true })
  await act('save', {
    summary: 'Every sign-in leaves a row',
    problem: 'Nobody can tell who signed in from where.',
  })
  writeFileSync(box.path('src/auth/audit.ts'), 'export const audit = () => {}\n')
  box.git('add', 'src')
  box.git('commit', '--quiet', '--message', 'auth: an audit log')
  await act('save', { summary: 'The audit log is reviewed' })
  box.git('checkout', '--quiet', 'main')
  box.git('merge', '--quiet', '--no-ff', '--message', 'Merge the audit log', 'feature/audit-log')
  box.git('branch', '--quiet', '--delete', 'feature/audit-log')
  await act('status', {})
  await act('save', { summary: 'Release 2.4 is out' })
}

/** A session with a talk: requests, edits, checks, a commit, and a window that fills. */
function playTalk(lab: Lab, id: string, asked: string, { turns, share }: { turns: number; share: number }) {
  lab.prompt(id, asked)
  for (let turn = 1; turn <= turns; turn += 1) {
    lab.wait(1.6 * MINUTE)
    const file = lab.box.path('src/auth', turn % 3 === 0 ? 'verify.ts' : 'register.ts')
    const name = ['Read', 'Edit', 'Edit', 'Grep', 'Bash'][turn % 5] ?? 'Read'
    const input = name === 'Bash' ? { command: 'npm test' } : { file_path: file, pattern: 'x' }
    lab.tool(id, name, input, { content: 'ok' })
    // Large files come early, small edits late.
    const filled = (turn / turns) ** (0.6 + ((turn * 7) % 5) / 12)
    const tokens = 14_000 + Math.round((200_000 * share - 14_000) * filled)
    sayWith(lab, id, `Step ${turn} is done.`, tokens)
  }
}

/** An answer of the model that had so many tokens in its window. */
const sayWith = (lab: Lab, id: string, said: string, tokens: number) =>
  lab.write(id, (number, rest) =>
    assistant(
      number,
      { content: [text(said)], usage: usageOf(400, 900, tokens - 1_300), model: 'claude-sonnet-4-5' },
      rest,
    ),
  )

async function fillSessions(lab: Lab, { live, silent, ended }: FilledHome['sessions']): Promise<void> {
  const { ports } = lab
  await recordOlderSessions(lab)
  ports.time = Date.now() - 26 * HOUR
  await lab.start(ended, 'startup', MODEL)
  playTalk(lab, ended, 'Write the migration for old accounts, in batches of 1,000', {
    turns: 14,
    share: 0.46,
  })
  lab.tool(
    ended,
    'Bash',
    { command: 'npx tsc --noEmit' },
    { content: 'src/db.ts(14,3): error TS2322', failed: true },
  )
  lab.tool(ended, 'Bash', { command: 'npm test' }, { content: 'Tests  214 passed (214)' })
  sayWith(lab, ended, 'The migration runs in batches of 1,000 rows and can be stopped at any time.', 93_000)
  lab.end(ended)
  await lab.follow()
  // The start of a session takes care of those that are silent by then: this one has to be at work already.
  ports.time = Date.now() - 4 * HOUR
  await lab.start(live, 'startup', MODEL)
  await lab.start(silent, 'startup', MODEL)
  playTalk(lab, silent, 'The limiter counts retries twice. Find out where, and write a test first', {
    turns: 20,
    share: 0.74,
  })
}

const OUTCOME = { outcomeId: null, outcomeName: 'Sign-in', path: null, lastTask: '', workSummary: '' }

/** Sessions of the week before, as their hooks left them. */
const recordOlderSessions = (lab: Lab) =>
  lab.within(async ({ store, identity, place }) => {
    const asked = [
      'Rotate the refresh token on every use',
      'Why does the settings page flicker on first load?',
      'Rename tokens to credentials everywhere',
      'Review the schema of the audit log',
      'Release 2.4: changelog and tag',
    ]
    const branches = ['main', 'feature/passkeys', 'fix/rate-limit', 'feature/totp', 'release/2.4']
    const ends = ['prompt_input_exit', 'clear', 'prompt_input_exit', 'crash', 'prompt_input_exit'] as const
    for (let number = 0; number < 26; number += 1) {
      const startMs = Date.now() - (30 + number * 5.3) * HOUR
      const endMs = startMs + (20 + ((number * 37) % 120)) * MINUTE
      const at = new Date(startMs).toISOString()
      const start = beginSession(
        {
          ...{ agent: 'claude', session: idOf(`b${100 + number}`), at, cwd: place.root, transcript: null },
          ...{
            permissionMode: 'default',
            helper: null,
            kind: 'start',
            source: 'startup',
            model: 'claude-sonnet-4-5',
          },
        },
        {
          ...identity,
          branch: branches[(number * 3) % 5] ?? 'main',
          commit: null,
          parent: null,
          stream: null,
        },
      )
      const end = new Date(endMs).toISOString()
      await store.log.advance(
        {
          ...{
            ...start,
            phase: 'recent',
            lastActivityAt: end,
            endedAt: end,
            endReason: ends[number % 5] ?? 'other',
          },
          ...{ caughtUpAt: new Date().toISOString(), readBy: READING },
          outcomes: number % 4 === 0 ? [OUTCOME] : [],
          asked: { at, text: asked[number % 5] ?? '' },
          lastPrompt: { at, text: asked[number % 5] ?? '' },
          statistics: {
            ...start.statistics,
            tokensConsumed: {
              input: 9_000,
              output: 21_000,
              cacheRead: 90_000 * (1 + (number % 7)),
              cacheCreation: 40_000,
            },
            filesModified: Array.from({ length: number % 6 }, (_, file) => `src/part-${file}.ts`),
            gitCommits: number % 3,
          },
          context: {
            tokens: 20_000 + ((number * 31_000) % 170_000),
            window: 200_000,
            model: 'claude-sonnet-4-5',
            at: end,
          },
        },
        null,
      )
    }
  })

async function fillRuns(box: Sandbox, ports: TestPorts): Promise<void> {
  const act = (name: string, given: Record<string, unknown>) => perform(box, ports, name, given)
  const steps = [
    'Bump the version',
    'Write the changelog',
    'Build for every platform',
    'Migrate staging',
    'Tag',
  ]
  writeFileSync(
    box.path('release.md'),
    `# Release\n\n${steps.map((step, at) => `- [ ] s${at + 1}: ${step}`).join('\n')}\n`,
  )
  for (const [run, until, startMs] of [
    ['release-2.4', 5, 52 * HOUR],
    ['nightly-212', 2, 30 * HOUR],
    ['release-2.5', 3, 2 * HOUR],
  ] as const) {
    ports.time = Date.now() - startMs
    await act('run start', { plan: 'release.md', runId: run })
    for (let step = 1; step <= until; step += 1) {
      await act('run step', { run, step: `s${step}`, state: 'in_progress' })
      ports.time += (2 + step * 4) * MINUTE
      await act('run step', { run, step: `s${step}`, state: 'done' })
    }
    if (run === 'release-2.4') await act('run finish', { run })
    if (run === 'release-2.4') await act('run pin', { run, artifact: 'latest' })
    if (run === 'nightly-212') {
      await act('run step', { run, step: 's3', state: 'in_progress' })
      ports.time += 3 * MINUTE
      await act('run error', {
        run,
        reasonCode: 'tests_failed',
        message: 'Integration tests: 2 of 214 failed',
        unrecoverable: true,
      })
    }
  }
  await act('run step', { run: 'release-2.5', step: 's4', state: 'in_progress' })
  box.run(['run', 'exec', 'release-2.5', '--', process.execPath, '-e', 'process.exit(0)'])
  box.run(['run', 'exec', 'release-2.5', '--', process.execPath, '-e', 'process.exit(3)'])
}

async function fillOtherRepository(box: Sandbox, ports: TestPorts): Promise<void> {
  ports.time = Date.now() - 3 * HOUR
  await perform(box, ports, 'trust', {})
  await perform(box, ports, 'new', { name: 'settings-flicker', current: true })
  await perform(box, ports, 'save', {
    summary: 'The theme is read after the first paint',
    problem: 'The settings page flickers on first load.',
    next: ['Read the theme in the head, before any style'],
    question: ['Does the old cookie have to be read as well?'],
    stream: 'settings-flicker',
  })
}

/** What goes on now: a session at work, and the newest save. */
async function finishToday(lab: Lab, { live }: FilledHome['sessions']): Promise<void> {
  const { box, ports } = lab
  ports.time = Date.now() - 70 * MINUTE
  playTalk(lab, live, 'Register a passkey from the account page, and refuse what the authenticator refuses', {
    ...{ turns: 18, share: 0.88 },
  })
  lab.hear(live, 'PreCompact', { trigger: 'auto' })
  lab.hear(live, 'PostCompact', { compact_summary: 'Registration works; the assertion is next.' })
  playTalk(lab, live, 'Verify the assertion, with a test for a counter that goes back', {
    ...{ turns: 14, share: 0.63 },
  })
  lab.tasks(live, {
    'Registration ceremony': 'completed',
    'Verify the assertion': 'completed',
    'Store the signature counter': 'in_progress',
    'Migration for old accounts': 'pending',
  })
  lab.tool(live, 'Bash', { command: 'npm test' }, { content: 'Tests  214 passed (214)' })
  sayWith(
    lab,
    live,
    'The assertion is verified in `src/auth/verify.ts`, and three tests cover it.\n\nWhat is left:\n\n- store the signature counter\n- refuse one that goes back',
    126_000,
  )
  ports.time = Date.now() - 4 * MINUTE
  await perform(box, ports, 'save', {
    summary: 'The assertion is verified; the counter is not stored yet',
    done: ['Verify the assertion'],
    next: [
      'Store the signature counter and refuse one that goes back',
      'Let a user name and remove a passkey',
      'Write the migration for old accounts',
    ],
    blocker: ['Staging has no HTTPS, so no browser offers a passkey there'],
    question: ['What if a counter goes back after a restore?'],
    stream: 'passkeys',
  })
  await lab.save(live, { rule: ['Never log a credential id'], stream: 'passkeys' })
  ports.time = Date.now() - 20_000
  lab.prompt(live, 'Good. Store the counter now.')
  lab.hear(live, 'UserPromptSubmit', { prompt: 'Good. Store the counter now.' })
}
