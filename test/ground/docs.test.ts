import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { readCommandLine } from '../../src/apps/cli/command-line.ts'
import { decodeSnapshot } from '../../src/formats/snapshot/codec.ts'
import { CARRY } from '../../src/policy/carry.ts'
import { registryOf } from '../../src/policy/registry.ts'
import { beginSession } from '../../src/policy/session-apply.ts'
import { optionName, parseInput } from '../../src/verbs/define/field.ts'
import { PLAIN_SCREEN } from '../../src/verbs/define/screen.ts'
import { loadVerbs } from '../../src/verbs/table.ts'
import { commandsIn, splitWords } from '../support/guide.ts'
import { projectRoot, sandbox } from '../support/sandbox.ts'

const OPERATIONS = await loadVerbs()

const SKIPPED = new Set(['node_modules', 'dist', 'coverage', '.git'])

function documents(folder = projectRoot): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : documents(path)
    return entry.name.endsWith('.md') ? [path] : []
  })
}

const read = (...parts: string[]) => readFileSync(join(projectRoot, ...parts), 'utf8')
const prose = (text: string) => text.replace(/^```[\s\S]*?^```/gm, '')
const node = (...args: string[]) =>
  spawnSync(process.execPath, args, { cwd: projectRoot, encoding: 'utf8', timeout: 100_000 })

/** A heading's anchor, as web pages of Markdown make it. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

/** Links of a document that lead nowhere. */
function deadLinks(file: string, text: string): string[] {
  const links = [...prose(text).matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? file : join(dirname(file), path)
    if (!existsSync(target)) return true
    if (anchor === undefined || statSync(target).isDirectory()) return false
    const headings = [...readFileSync(target, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, head = '']) => head)
    return !headings.some((head) => anchorOf(head) === anchor)
  })
}

/** Places that only one machine knows, and hosts that packages come from. */
const privatePlaces = (text: string) =>
  text.match(
    /(?<![\w.])\/(?:work|root|home\/\w+)\/|\bregistry\.[a-z]|npmjs\.|unpkg\.|jsr\.io|artifactory/gi,
  ) ?? []

/** Documents that are written by hand and name commands in sentences. */
const GUIDES = [
  'README.md',
  'docs/agents/claude-code.md',
  'docs/import.md',
  'docs/plugin.md',
  'docs/resume.md',
  'docs/runs.md',
  'docs/save.md',
  'docs/search.md',
  'docs/sessions.md',
  'docs/tour.md',
]

/** Reads a command line as the program would; throws where it would refuse. */
function parse(line: string): string {
  const request = readCommandLine(splitWords(line).slice(1), OPERATIONS, {
    version: '0',
    width: 100,
    paint: PLAIN_SCREEN.paint,
  })
  if (!('call' in request)) throw new Error(`${line} asks for nothing`)
  parseInput(request.call.verb.fields, request.call.raw)
  return request.call.verb.name
}

/** The verbs that a guide shows in examples. */
const verbsShownIn = (guide: string) =>
  commandsIn(read(guide))
    .filter((line) => line.includes('savepoint '))
    .map((line) => parse(line.replace(/ \\\n\s*/g, ' ')))

/** What a command that is named in a sentence gets wrong: its name, or one of its options. */
function mistakes(line: string): string[] {
  const words = splitWords(line).slice(1)
  if (['completion', 'dashboard', 'mcp', '--help'].includes(words[0] ?? '')) return []
  const [verb] = OPERATIONS.filter(({ name }) => words.join(' ').concat(' ').startsWith(`${name} `)).sort(
    (a, b) => b.name.length - a.name.length,
  )
  if (!verb) return [line]
  const known = ['json', 'help', ...Object.keys(verb.fields).map(optionName)]
  return words.filter((word) => word.startsWith('--') && word !== '--' && !known.includes(word.slice(2)))
}

test('the reference pages are what the tables say', () => {
  const { status, stderr } = node('scripts/docs.mjs', '--check')
  expect(stderr).toBe('')
  expect(status).toBe(0)
})

test('every reason, setting and command has its place in a reference page', () => {
  for (const { name } of OPERATIONS) expect(read('docs/commands.md')).toContain(`## \`${name}\``)
  expect(read('docs/reasons.md')).toContain('### `checkpoint_integrity_mismatch`')
  expect(read('docs/config.md')).toContain('`snapshots_per_run`')
})

test('every link in every document leads to a file and a heading that exist', () => {
  const files = documents()
  expect(files.length).toBeGreaterThan(15)
  const dead = files.flatMap((file) =>
    deadLinks(file, readFileSync(file, 'utf8')).map((link) => `${relative(projectRoot, file)}: ${link}`),
  )
  expect(dead).toEqual([])
})

test('a link to no file and a link to no heading are found', () => {
  const file = join(projectRoot, 'README.md')
  expect(deadLinks(file, '[a](docs/none.md) [b](docs/reasons.md#none) [c](docs/reasons.md#reasons)')).toEqual(
    ['docs/none.md', 'docs/reasons.md#none'],
  )
})

test('no document names a place of one machine or a host of packages', () => {
  const files = [...documents(), join(projectRoot, 'examples/harness.mjs')]
  expect(files.filter((file) => privatePlaces(readFileSync(file, 'utf8')).length > 0)).toEqual([])
})

test.each([`see /${'work'}/x`, `in /${'root'}/.npm`, `from registry.${'example'}.org`])(
  'a private place is found: %s',
  (text) => {
    expect(privatePlaces(text)).toHaveLength(1)
  },
)

test('the tour shows the main verbs, and the page about runs those of runs', () => {
  const shown = verbsShownIn('docs/tour.md')
  for (const verb of ['save', 'resume', 'ledger', 'handoff', 'pickup', 'import', 'run start', 'run resume'])
    expect(shown).toContain(verb)
  for (const verb of ['new', 'delta', 'list', 'diff', 'archive', 'search', 'restore'])
    expect(shown).toContain(verb)
  const ofRuns = verbsShownIn('docs/runs.md')
  for (const verb of ['start', 'step', 'exec', 'resume', 'list', 'show', 'verify', 'prune'])
    expect(ofRuns).toContain(`run ${verb}`)
})

test.each(GUIDES)('every command that %s names in a sentence exists, with its options', (guide) => {
  const named = [...prose(read(guide)).matchAll(/`(savepoint [^`]+)`/g)].map(([, line = '']) => line)
  expect(named.length).toBeGreaterThan(1)
  expect(named.flatMap(mistakes)).toEqual([])
})

test('the registry in the guide has exactly the names that the code gives', () => {
  const [, text = ''] = /```json\n([\s\S]*?)```/.exec(read('docs/sessions.md')) ?? []
  const shown = JSON.parse(text)
  const session = beginSession(
    {
      ...{ agent: 'claude', session: 'a', at: '2026-01-01T00:00:00.000Z', cwd: '/', transcript: null },
      ...{ permissionMode: null, helper: null, kind: 'start', source: 'startup', model: null },
    },
    { repository: 'r', workspace: 'w', branch: null, commit: null, parent: null, stream: null },
  )
  const recent = { ...session, phase: 'recent', endReason: 'logout' } as const
  const said = { keyDecisions: () => [], nextSteps: () => [], workSummary: () => '' }
  const known = { nowMs: Date.parse(session.startedAt), ...said }
  const made = registryOf([session, recent], known)
  expect(Object.keys(shown)).toEqual(Object.keys(made))
  const [active = {}] = made.activeSessions
  expect(Object.keys(shown.activeSessions[0])).toEqual(Object.keys(active))
  expect(Object.keys(shown.lastWorked)).toEqual(Object.keys(made.lastWorked ?? {}))
  expect(Object.keys(shown.lastWorked.context)).toEqual(Object.keys(made.lastWorked?.context ?? {}))
  const [ended = {}] = made.recentHistory
  const besides = Object.keys(ended).filter((name) => !Object.hasOwn(active, name))
  for (const name of besides) expect(read('docs/sessions.md')).toContain(`\`${name}\``)
})

test.each([
  'savepoint run strat plan.md',
  'savepoint run list --jsn',
  'savepoint run prune --max-per-run many',
])('a command line that would be refused is found: %s', (line) => {
  expect(() => parse(line)).toThrow()
})

test('every example of an operation parses as that operation', () => {
  for (const { name, examples } of OPERATIONS) for (const line of examples) expect(parse(line)).toBe(name)
})

test('the README has at most 900 words, and names the commands of a clone', () => {
  const text = read('README.md')
  expect(text.split(/\s+/).length).toBeLessThanOrEqual(900)
  expect(text).toContain('npm start')
  expect(text).toContain('`npm test`')
})

test('the picture in the README shows what the program says', () => {
  const { status, stderr } = node('scripts/picture.mjs', '--check')
  expect(stderr).toBe('')
  expect(status).toBe(0)
})

test('ARCHITECTURE.md stays within 200 lines', () => {
  expect(read('ARCHITECTURE.md').split('\n').length).toBeLessThanOrEqual(200)
})

test('the glossary has at most 40 words, each once, and the code uses them', () => {
  const words = [...read('docs/glossary.md').matchAll(/^\| \*\*(.+?)\*\*/gm)].map(([, word = '']) => word)
  expect(words.length).toBeGreaterThan(20)
  expect(words.length).toBeLessThanOrEqual(40)
  expect(new Set(words).size).toBe(words.length)
  const code = readdirSync(join(projectRoot, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => read('src', name))
    .join('\n')
  const isUsed = (word: string) => new RegExp(word.replace(' ', '[ -]?'), 'i').test(code)
  expect(words.filter((word) => !isUsed(word))).toEqual([])
})

test('the example snapshot in the format page is a valid snapshot', () => {
  const [, text = ''] = /```json\n([\s\S]*?)```/.exec(read('docs/formats/snapshot-json.md')) ?? []
  expect(decodeSnapshot(Buffer.from(text), 'the example').run_id).toBe('move-1')
})

test('the carry table in the format page is the one that the code reads', () => {
  const rows = Object.entries(CARRY).map(([field, { how, rank, squeeze }]) => {
    const turns = squeeze.map(({ turn, takes }) => `${turn}: ${takes}`).join(', ')
    return [field, how, rank, turns || 'nothing']
  })
  const shown = [
    ...read('docs/formats/checkpoint-md.md').matchAll(
      /^\| `(\w+)` \|[^|]*\| (\w+) \| (must|should) \| (.+) \|$/gm,
    ),
  ]
  expect(shown.map((row) => row.slice(1))).toEqual(rows)
})

test('the example harness records a whole run in the folder it is started in', () => {
  const box = sandbox()
  const done = spawnSync(process.execPath, [join(projectRoot, 'examples/harness.mjs')], {
    cwd: box.repo,
    env: box.env,
    encoding: 'utf8',
    timeout: 100_000,
  })
  expect(done.stderr).toBe('')
  const [, run = ''] = /^Run (\S+) is completed: 6 snapshots/.exec(done.stdout) ?? []
  const history = readdirSync(box.path('checkpoints', run, 'history')).map((name) =>
    decodeSnapshot(readFileSync(box.path('checkpoints', run, 'history', name)), name),
  )
  const order = (id: string) => Number(/_(\d+)-/.exec(id)?.[1])
  history.sort((a, b) => order(a.snapshot_id) - order(b.snapshot_id))
  expect(
    history.map(({ status, step_state }) => `${status} ${step_state.step_id} ${step_state.step_status}`),
  ).toEqual([
    'in_progress fetch pending',
    'in_progress fetch in_progress',
    'in_progress fetch done',
    'in_progress report in_progress',
    'in_progress report done',
    'completed report done',
  ])
  expect(history.map(({ command_outcomes }) => command_outcomes.map(({ name }) => name).join())).toEqual([
    '',
    '',
    'fetch',
    '',
    'report',
    '',
  ])
  expect(box.readJson('checkpoints', run, 'latest.json').snapshot_id).toBe(history.at(-1)?.snapshot_id)
  expect(box.json(['run', 'verify']).problems).toEqual([])
})
