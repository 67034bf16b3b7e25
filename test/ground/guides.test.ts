import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandsIn, cutPart, type GuidePart, mustRun, openShop, readPage, replay } from '../support/guide.ts'
import { projectRoot, sandbox } from '../support/sandbox.ts'

const [, PLAN = ''] = /```markdown\n([\s\S]*?)```/.exec(readPage('docs/runs.md')) ?? []
const LEDGER_ON = { '.agents.yml': 'session:\n  ledger: true\n' }
const LEDGER =
  '# Session Ledger\n_Last updated: 2026-01-04T09:00:00Z_\n\n## Goal\nA login lasts a day\n\n## State\n\n### Done\n- Login form\n'

const noteOf = (day: string, said: object) =>
  JSON.stringify({ timestamp: `2026-01-${day}T09:00:00Z`, decisions: [], ...said })
const NOTES = {
  '20260101T090000Z.json': noteOf('01', { summary: 'Choosing a login', next_action: 'Try JWT' }),
  '20260102T090000Z.json': noteOf('02', { summary: 'Trying JWT', next_action: 'Write the form' }),
}
const notesIn = (folder: string, notes: Record<string, string>) =>
  Object.fromEntries(Object.entries(notes).map(([name, text]) => [`${folder}/${name}`, text]))

/** What a user writes into the sections of a new checkpoint document, a line for each. */
const SECTIONS = `Users are logged out every hour.
A login lasts a day.
- Refresh tokens over longer sessions because sessions cannot be revoked
- Node 20, PostgreSQL 16
| external | ticket 4711 | users complain |
1. Measured: a session lasts an hour
| \`src/login.ts\` | modified | |
The design is agreed.
- Write the token table
- No new dependency without asking
`
/** They take the place of comments, and become the first rows of tables. */
const FILL =
  "(cd checkpoints/active && awk '/^<!--/ {getline<F} {print} /^.---/ && /.---.$/ {getline<F; print}' F=../../../sections auth-system.md > ../../../filled && cat ../../../filled > auth-system.md)"

const SAVE_JWT = 'savepoint save --decision "JWT over cookies because the app has no session"'
/** The client is killed in its first session. */
const RECORD = ['savepoint init --plugin', 'claude || true']

const BY_ITSELF: GuidePart = { page: 'docs/tour.md', from: '## By itself', to: '## Save' }

const PARTS: GuidePart[] = [
  { page: 'README.md' },
  {
    ...{ page: 'docs/tour.md', from: '## Save', to: '## Checkpoint documents' },
    files: notesIn('old-notes', NOTES),
    before: ["echo 'export const login = (user) => user' > src/login.ts"],
  },
  {
    ...{ page: 'docs/tour.md', from: '## Checkpoint documents', to: '## Runs' },
    files: { '../sections': SECTIONS },
    instead: {
      'savepoint validate': `${FILL} && savepoint validate && echo 'CREATE TABLE tokens (id TEXT);' > src/tokens.sql && echo >> src/login.ts`,
    },
  },
  { page: 'docs/tour.md', from: '## Runs', files: { 'plan.md': PLAN } },
  { page: 'docs/runs.md', files: { 'plan.md': PLAN } },
  {
    page: 'docs/save.md',
    before: ['savepoint save --decision "Cookies over tokens" --rule "Never deploy on Fridays"'],
  },
  {
    ...{ page: 'docs/resume.md', to: '## Why is this line here' },
    files: { 'src/token.ts': 'export const sign = () => {}\n' },
  },
  {
    ...{ page: 'docs/resume.md', from: '## Why is this line here' },
    before: [SAVE_JWT, 'savepoint save --by agent --decision "Passkeys over JWT" --file src/login.ts'],
  },
  {
    page: 'docs/search.md',
    before: [SAVE_JWT, 'savepoint save --decision "Passkeys over JWT" --supersedes cookies'],
  },
  { page: 'docs/sessions.md', before: ['git switch -qc feature/auth', ...RECORD] },
  {
    page: 'docs/undo.md',
    files: { ...LEDGER_ON, '.claude/state-index.json': '{}' },
    before: ['savepoint save First', 'savepoint save Second'],
  },
  {
    page: 'docs/export.md',
    files: { 'plan.md': PLAN },
    before: [SAVE_JWT, 'savepoint run start plan.md', ...RECORD],
    instead: {
      'savepoint import ~/shop.savepoint.gz --adopt shop':
        'mv shop.savepoint.gz ~ && git clone -q . ../laptop/shop && cd ../laptop/shop && SAVEPOINT_HOME=../home savepoint import ~/shop.savepoint.gz --adopt shop',
    },
  },
  {
    page: 'docs/import.md',
    files: {
      ...notesIn('.claude/checkpoints', { ...NOTES, '20260103T090000Z.json': '{"summary": ' }),
      ...notesIn('.claude/plans/auth/checkpoints', { 'first.json': noteOf('05', { summary: 'Tokens' }) }),
      '.agents/session_ledger.md': LEDGER,
    },
    before: ['savepoint trust'],
  },
  { page: 'docs/plugin.md' },
  { page: 'docs/agents/claude-code.md' },
  {
    page: 'docs/dashboard.md',
    instead: {
      'savepoint dashboard':
        'DISPLAY=:0 savepoint dashboard --no-open > ../said & until grep -qs Stop ../said; do sleep 0.1; done; kill $!; wait; cat ../said',
    },
  },
]

/** Pages without examples of their own: those of the commands have a test below. */
const APART = /^docs\/(?:commands\.md|reasons\.md|decisions\/)/

/** Runs the commands of a part. Fails where the page shows other answers; `node scripts/guides.mjs` has them written. */
function play(part: GuidePart): void {
  const [before, shown, after] = cutPart(part)
  const run = openShop(sandbox({ git: false }), part)
  const played = replay(shown, (line) => run(part.instead?.[line] ?? line))
  if (process.env.SAVEPOINT_GUIDES !== 'write') expect(played).toBe(shown)
  else writeFileSync(join(projectRoot, part.page), before + played + after)
}

test.each(PARTS.map((part) => [`${part.page} ${part.from ?? ''}`.trim(), part] as const))(
  '%s answers as it shows',
  (_, part) => play(part),
)

test('after one init a session that is killed is told to the next, as the tour shows it [001.23] [002.06] [002.07]', () => {
  const [, shown] = cutPart(BY_ITSELF)
  expect(commandsIn(shown)).toEqual(['savepoint init --plugin', 'claude', 'claude', 'savepoint sessions'])
  play(BY_ITSELF)
})

test('every command line of README and docs is in a part that runs', () => {
  const pages = readdirSync(join(projectRoot, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => `docs/${name}`)
    .filter((page) => page.endsWith('.md') && !APART.test(page))
  const besides = ['README.md', ...pages].flatMap((page) => {
    const parts = [BY_ITSELF, ...PARTS].filter((part) => part.page === page)
    const rest = parts.reduce((text, part) => text.replace(cutPart(part)[1], () => ''), readPage(page))
    return commandsIn(rest).map((line) => `${page}: ${line}`)
  })
  expect(besides).toEqual([])
})

test('the commands of the README work in their order without the set-up', () => {
  const run = openShop(sandbox({ git: false }))
  const lines = commandsIn(readPage('README.md')).filter((line) => !/ (?:init|doctor)\b/.test(line))
  expect(lines.length).toBeGreaterThan(7)
  for (const line of lines) mustRun(run, line)
  expect(run('savepoint resume').said).toContain('the gateway needs cookies')
})

/** Commands whose examples make or change what those of others name; behind `$`, what the next ones need. */
const FIRST = [
  '$ savepoint save --by agent --decision "JWT over cookies" --decision "Cookies over tokens" --decision "Use tabs" --rule "Never use tabs" --rule "Never push on Fridays"',
  ...['confirm', 'reject', 'remove', 'reword', 'new'],
  `$ savepoint undo && ${FILL}`,
  ...['validate', 'save', 'delta', 'ledger write', 'fork', 'diff', 'restore', 'handoff'],
  ...['run start', 'run step', 'run exec', 'run pause', 'run resume', 'run pin', 'run error'],
  '$ savepoint run step release-2 s3 in_progress && savepoint run step release-2 s3 done',
  '$ savepoint save --stream feature-webhook Webhooks && cp ~/.claude/projects/shop/*.jsonl ~/old-session.jsonl',
  '$ savepoint convert checkpoints/active/auth-system.md --to handoff --out docs/handoff.md',
  '$ git init -q ../payments && cd ../payments && savepoint save Payments && rm -r ../payments',
  ...['run finish', 'export', 'import'],
]
const LAST = [
  '$ savepoint archive auth-with-passkeys --outcome Done',
  'archive',
  'backup',
  'init',
  'uninstall',
]
/** They serve until somebody stops them, and have tests of their own. */
const SERVERS = ['dashboard', 'mcp']

test('every example of every command works, but for three that are refused with a reason', () => {
  const page = readPage('docs/commands.md')
  const examples = new Map(
    [...page.matchAll(/^## `(.+)`\n[\s\S]*?^```sh\n([\s\S]*?)\n```$/gm)].map(([, name = '', lines = '']) => [
      name,
      lines.split('\n'),
    ]),
  )
  const others = [...examples.keys()].filter((name) => ![...FIRST, ...LAST, ...SERVERS].includes(name))
  const run = openShop(sandbox({ git: false }), {
    files: {
      ...{ ...LEDGER_ON, ...notesIn('.claude/plans/auth/checkpoints', NOTES), '../sections': SECTIONS },
      ...{ 'plan.md': PLAN, 'docs/plan.md': '- [ ] s1: Test\n- [ ] s3: Release\n' },
    },
    before: [
      'for name in npm make; do echo "#!/bin/sh" > ../bin/$name; chmod +x ../bin/$name; done',
      ...RECORD,
    ],
  })
  const ended = [...FIRST, ...others, ...LAST].flatMap((name) => {
    if (name.startsWith('$ ')) mustRun(run, name.slice(2))
    return (examples.get(name) ?? []).map((line) => ({ line, ...run(line) }))
  })
  expect(ended.length).toBeGreaterThan(140)
  expect(ended.filter(({ code }) => code !== 0).map(({ line, code }) => `${code}: ${line}`)).toEqual([
    '6: savepoint run finish release-2 --failed',
    '3: savepoint compact --show 3fa1c02b9d7e',
    '6: savepoint convert checkpoints/release-2/latest.json --to ledger --strict',
  ])
})
