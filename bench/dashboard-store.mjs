// A home as years of work would leave it: for what shows all of it at once.
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../scripts/setup.mjs'
import { bundled } from './filled.mjs'
import { random } from './measure.mjs'

export const AMOUNTS = { works: 2_000, sessions: 5_000, checkpoints: 100_000 }
/** The first repository has most of it. */
const REPOSITORIES = 5
const BRANCHES = ['main', 'feature/auth', 'feature/search', 'fix/race', 'release']
const WORDS =
  'token session login retry index cache review migrate schema deploy queue worker parse merge'.split(' ')
const DAY_MS = 86_400_000
const AT_ONCE = 500

/** Fills a home in a folder through the store's own commands; answers its environment and its repositories. */
export async function fillDashboardStore(place, amounts = AMOUNTS) {
  const operations = await bundled(
    place,
    "export { beginSession } from './src/policy/session-apply.ts'\nexport { streamId } from './src/core/id.ts'",
  )
  const { NODE_OPTIONS: _options, XDG_CONFIG_HOME: _config, ...outer } = process.env
  const env = {
    ...outer,
    HOME: place,
    USERPROFILE: place,
    SAVEPOINT_HOME: join(place, 'home'),
    CLAUDECODE: '',
  }
  const repos = Array.from({ length: REPOSITORIES }, (_, at) =>
    makeRepository(join(place, `project-${at + 1}`), env),
  )
  const { openSound, realPorts } = operations
  const context = await openSound({ cwd: repos[0], env, ports: realPorts, access: 'write', lenient: true })
  try {
    const workspaces = await context.store.local.listWorkspaces()
    const places = repos.map((path) => workspaces.find((one) => one.path === path))
    const maker = makerOf(operations, places)
    await fillWorks(context.store, maker, amounts)
    await fillSessions(context.store, maker, amounts)
  } finally {
    await context.store.close()
  }
  return { env, repos }
}

function makeRepository(repo, env) {
  mkdirSync(repo)
  const run = (program, args) => {
    const { status, stderr } = spawnSync(program, args, { cwd: repo, env, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}\n${stderr}`)
  }
  run('git', ['init', '-q', '-b', 'main'])
  run(process.execPath, [join(root, 'dist/cli.cjs'), 'save', 'The first save'])
  return repo
}

function makerOf({ beginSession, streamId }, places) {
  const next = random(11)
  const words = (count) =>
    Array.from({ length: count }, () => WORDS[Math.floor(next() * WORDS.length)]).join(' ')
  /** Three of four belong to the first. */
  const placeFor = (number) => places[number % 4 === 0 ? 1 + ((number / 4) % (places.length - 1)) : 0]
  return { next, words, placeFor, beginSession, streamId }
}

/** Every work gets its checkpoints in turn; a third is forked from another one, a third is archived. */
async function fillWorks(store, maker, { works, checkpoints }) {
  const heads = new Map()
  const start = Date.now() - 400 * DAY_MS
  const step = (400 * DAY_MS) / checkpoints
  for (let number = 0; number < checkpoints; ) {
    const begins = []
    const appends = []
    const { id: workspace } = maker.placeFor(0)
    for (let part = 0; part < AT_ONCE && number < checkpoints; part += 1, number += 1) {
      const work = number % works
      const stream = streamOf(work, maker)
      const head = heads.get(work) ?? null
      if (head === null) begins.push(stream)
      const isLast = number >= checkpoints - works
      const checkpoint = checkpointOf({
        number,
        work,
        stream,
        head,
        maker,
        isLast,
        at: new Date(start + number * step).toISOString(),
      })
      appends.push({ checkpoint, after: head?.id ?? null, foreign: false })
      heads.set(work, checkpoint)
    }
    const done = await store.acts.commit({ workspace, begins, appends })
    if (!done.done) throw new Error(`the store refused: ${done.why}`)
  }
  const focus = streamOf(0, maker)
  await store.acts.commit({ workspace: focus.workspace, focus: focus.id })
}

const nameOf = (work) => `work-${String(work).padStart(4, '0')}`

function streamOf(work, { placeFor, streamId }) {
  const { id: workspace, repository } = placeFor(work)
  const name = nameOf(work)
  return { id: streamId(repository, name), repository, workspace, kind: 'work', name }
}

function checkpointOf({ number, work, stream, head, at, maker, isLast }) {
  const { words } = maker
  const claim = (text, confirmed = true) => ({ text, origin: confirmed ? 'user' : 'agent', confirmed })
  const kept = (list) => (list ?? []).slice(-6)
  const before = head?.work
  const parent = work % 3 === 0 && work > 12 ? nameOf(work - 12) : null
  return {
    id: `cp_20260101T000000000Z_${number + 1}-${number.toString(16).padStart(8, '0')}`,
    ...{ stream: stream.id, parent: head?.id ?? null, at, progress: 'in_progress' },
    triggers: [{ kind: 'manual', at, note: 'saved' }],
    work: {
      problem: before?.problem ?? words(10),
      intent: before?.intent ?? words(8),
      decisions: [
        ...kept(before?.decisions),
        { ...claim(words(9), number % 5 > 0), why: words(8), supersededBy: null },
      ],
      ...{ constraints: [], rules: [claim(words(6))], facts: [...kept(before?.facts), claim(words(10))] },
      done: [...kept(before?.done), { text: words(7), at }],
      ...{ state: words(18), now: words(10), next: [{ text: words(9) }, { text: words(7) }] },
      blockers: work % 7 === 0 ? [{ text: words(6) }] : [],
      questions: [],
      artifacts: Array.from({ length: 5 }, () => ({
        path: `src/${words(1)}/${words(1)}.ts`,
        action: 'modified',
        description: words(4),
      })),
      references: [],
      position: { plan: null, step: null, fault: null, stage: '', tddPhase: '', anchor: '' },
    },
    change: { summary: words(10), artifacts: [], transitions: [], commands: [] },
    health: { pressure: 'low', protected: [], dropped: 0, profile: 'default' },
    provenance: { branch: BRANCHES[work % BRANCHES.length], commit: null, author: null },
    ...(parent === null ? {} : { document: { hash: '', created: at, parent } }),
    ...(isLast && work % 3 === 1 ? { completion: { outcome: 'done', date: at, learnings: [] } } : {}),
  }
}

/** The newest twenty are at work; each has as many events and samples as a session may keep. */
async function fillSessions(store, maker, { sessions }) {
  const { words, next, placeFor, beginSession } = maker
  for (let number = 0; number < sessions; number += 1) {
    const { id: workspace, repository, path } = placeFor(number)
    const isLive = number >= sessions - 20
    const lastMs = isLive
      ? Date.now() - 60_000 * (sessions - number)
      : Date.now() - (sessions - number + 80) * 3_600_000
    const startMs = lastMs - 3_000_000
    const at = (share) => new Date(startMs + share * 3_000_000).toISOString()
    const session = beginSession(
      {
        ...{ agent: 'claude', session: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}` },
        ...{ at: at(0), cwd: path, transcript: null, permissionMode: null, helper: null },
        ...{ kind: 'start', source: 'startup', model: 'claude-sonnet-4-5' },
      },
      {
        repository,
        workspace,
        branch: BRANCHES[number % BRANCHES.length],
        commit: null,
        parent: null,
        stream: nameOf(number % 2_000),
      },
    )
    const ended = isLive ? {} : { phase: 'archived', endedAt: at(1), endReason: 'prompt_input_exit' }
    await store.log.advance(
      {
        ...{ ...session, ...ended, lastActivityAt: at(1), asked: { at: at(0.9), text: words(14) } },
        outcomes: [
          {
            outcomeId: null,
            outcomeName: words(2),
            path: `plans/${number % 40}.md`,
            lastTask: '',
            workSummary: '',
          },
        ],
        events: Array.from({ length: 100 }, (_, event) => ({
          at: at(event / 100),
          kind: 'batch',
          note: words(3),
          ms: 12,
          tokens: 0,
        })),
        statistics: {
          ...session.statistics,
          filesModified: Array.from({ length: 30 }, () => `src/${words(1)}/${words(1)}.ts`),
          toolUsageCounts: { Bash: 40, Edit: 30, Read: 80 },
        },
        context: {
          tokens: Math.floor(next() * 190_000),
          window: 200_000,
          model: 'claude-sonnet-4-5',
          at: at(1),
        },
        fill: Array.from({ length: 100 }, (_, sample) => ({
          atMs: startMs + sample * 30_000,
          tokens: 1_000 + sample * 1_700,
        })),
        ...{ caughtUpAt: at(1), readBy: 3 },
      },
      null,
    )
  }
}
