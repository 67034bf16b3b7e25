import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DEFAULT_LEDGER } from '../../src/core/ledger-path.ts'
import { pickFacts, schemaOf } from '../../src/verbs/define/facts.ts'
import { parseInput } from '../../src/verbs/define/field.ts'
import type { Verb } from '../../src/verbs/define/verb.ts'
import { performOnce } from '../../src/verbs/perform.ts'
import { isVerbName, loadVerb, loadVerbs } from '../../src/verbs/table.ts'
import { usageOf } from '../agents/transcript-rows.ts'
import { active, identify, put } from '../cli/document-lab.ts'
import { HOUR, idOf, Lab, MINUTE } from '../session/lab.ts'
import { PLAN, type Sandbox } from '../support/sandbox.ts'
import { misfits } from './json-schema.ts'

type Facts = Record<string, unknown>
type Given = Record<string, unknown>

/** It stands in every text that these tests save. The name of a handoff's file has it in small letters only. */
const MARK = 'ZEBRA'
const A = idOf('a')
const [B, C] = [idOf('b'), idOf('c')]
const SAID = {
  text: `Login ${MARK}`,
  ...{ goal: `Goal ${MARK}`, problem: `Problem ${MARK}`, state: `State ${MARK}` },
  ...{ decision: [`JWT ${MARK} because ${MARK}`], next: [`Test ${MARK}`], question: [`Why ${MARK}?`] },
  ...{ blocker: [`Blocked ${MARK}`], rule: [`Rule ${MARK}`], fact: [`Fact ${MARK}`], done: [`Done ${MARK}`] },
  ...{ learning: [`Learned ${MARK}`], command: [`run ${MARK}`] },
}

/** Verbs and branches that a call was made for. */
const met = new Set<string>()

/** A verb in this process, as any door performs it. */
async function perform(
  lab: Lab,
  name: string,
  given: Given,
  env: NodeJS.ProcessEnv,
): Promise<[Verb, unknown]> {
  if (!isVerbName(name)) throw new Error(`no verb ${name}`)
  const verb = await loadVerb(name)
  const request = { cwd: lab.box.repo, env: { ...lab.box.env, ...env }, ports: lab.ports }
  lab.wait(1_000)
  return [verb, await performOnce(verb, request, parseInput(verb.fields, given))]
}

/** What an agent's program gets from a tool: facts that fit what was promised, and nothing that was saved. */
async function call(lab: Lab, name: string, given: Given = {}, env: NodeJS.ProcessEnv = {}): Promise<Facts> {
  const [{ tool }, result] = await perform(lab, name, given, env)
  if (!tool) throw new Error(`${name} is no tool`)
  const facts: Facts = pickFacts(tool.facts, tool.factsOf(result))
  expect(misfits(facts, schemaOf(tool.facts)), name).toEqual([])
  expect(JSON.stringify(facts), name).not.toContain(MARK)
  const fence = tool.fenced?.(result) ?? null
  if (fence !== null) expect(fence).toMatch(/^<savepoint>[\s\S]*<\/savepoint>$/)
  met.add(name)
  for (const key of ['kind', 'state']) if (key in facts) met.add(`${name}: ${facts[key]}`)
  return facts
}

const make = async (lab: Lab, name: string, given: Given = {}) => void (await perform(lab, name, given, {}))

/** A trusted repository on `main` with a commit. */
async function trusted(): Promise<Lab> {
  const lab = new Lab()
  const { box } = lab
  box.git('symbolic-ref', 'HEAD', 'refs/heads/main')
  identify(box)
  put(box, 'readme.txt', 'one\n')
  box.git('add', '--all')
  box.git('commit', '--quiet', '-m', 'begin')
  await lab.trust()
  return lab
}

/** The document of a piece of work in which everything says the mark. */
async function written(lab: Lab, id = 'auth'): Promise<void> {
  await make(lab, 'new', { name: id, anchor: MARK })
  await make(lab, 'save', { ...SAID, stream: id })
}

const keepLedger = ({ repo }: Sandbox) =>
  writeFileSync(join(repo, '.agents.yml'), 'session:\n  ledger: true\n')

const tools = async () =>
  (await loadVerbs()).flatMap(({ tool, ...rest }) => (tool ? [{ ...rest, tool }] : []))

test('every tool says what it is and when to call it, in few words that need no command line', async () => {
  for (const { name, summary, fields, tool } of await tools()) {
    expect(tool.title.split(' ').length, name).toBeGreaterThanOrEqual(2)
    expect(tool.title.split(' ').length, name).toBeLessThanOrEqual(5)
    expect(tool.when, name).toMatch(/^[A-Z].*\.$/)
    expect(`${summary}. ${tool.when}`.length, name).toBeLessThanOrEqual(500)
    const abouts = Object.values(fields).flatMap(({ typed, about }) => (typed ? [] : [about]))
    for (const words of [summary, tool.title, tool.when, ...abouts]) expect(words, name).not.toContain('--')
  }
})

test('no tool has what only a person can do or type', async () => {
  for (const { name, fields } of await tools())
    for (const field of ['stdin', 'markdown', 'reviewed'])
      if (field in fields) expect([name, field, fields[field]?.typed]).toEqual([name, field, true])
})

test('fields that name files say which, and those that do not say none', async () => {
  const paths = new Map<string, (value: string) => string | null>()
  for (const { name, fields } of await tools())
    for (const [field, { path }] of Object.entries(fields)) if (path) paths.set(`${name} ${field}`, path)
  expect([...paths.keys()].sort()).toEqual(['delta artifact', 'handoff file', 'pickup handoff', 'save file'])
  expect(paths.get('delta artifact')?.('../x.ts:created:The: form')).toBe('../x.ts')
  const handoff = (value: string) => paths.get('pickup handoff')?.(value)
  expect(['finish', 'a/finish', '..\\finish', 'finish.MD'].map(handoff)).toEqual([
    null,
    'a/finish',
    '..\\finish',
    'finish.MD',
  ])
})

test('what a tool answers has a schema in which every fact is required', async () => {
  const check = (schema: unknown, at: string): void => {
    if (typeof schema !== 'object' || schema === null) throw new Error(`${at} is no schema`)
    const { type, properties, required, items } = schema as Record<string, unknown>
    const types = [type].flat()
    for (const one of types)
      expect(['string', 'integer', 'number', 'boolean', 'array', 'object', 'null'], at).toContain(one)
    if (types.includes('array')) check(items, `${at}[]`)
    if (!types.includes('object')) return
    expect(required, at).toEqual(Object.keys(properties ?? {}))
    for (const [key, one] of Object.entries(properties ?? {})) check(one, `${at}.${key}`)
  }
  for (const { name, tool } of await tools()) {
    const schema = schemaOf(tool.facts)
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema)
    // Two keys that every answer has besides.
    expect(schema.properties, name).not.toHaveProperty('text')
    check(schema, name)
  }
})

test('a value that does not fit its schema is found', () => {
  const schema = {
    ...{ type: 'object', required: ['a', 'b'], additionalProperties: false },
    properties: {
      a: { type: ['integer', 'null'] },
      b: { type: 'array', items: { type: 'string', enum: ['x', 'y'] } },
    },
  }
  expect(misfits({ a: null, b: ['x', 'y'] }, schema)).toEqual([])
  for (const value of [
    { a: 1 },
    { a: 1.5, b: [] },
    { a: 1, b: ['z'] },
    { a: 1, b: [], c: 1 },
    { a: 1, b: 'x' },
    null,
  ])
    expect(misfits(value, schema), JSON.stringify(value)).toHaveLength(1)
})

test('documents: list, show, delta, focus, fork and archive', async () => {
  const lab = await trusted()
  const { box } = lab
  expect(await call(lab, 'list')).toEqual({ trusted: true, documents: [], unsaved: 0, hidden: 0 })
  await written(lab)
  expect(await call(lab, 'focus')).toEqual({ id: null, beforeId: null, path: null, files: null })
  expect(await call(lab, 'focus', { id: 'auth' })).toMatchObject({
    id: 'auth',
    path: active('auth'),
    files: 'published',
  })
  expect(await call(lab, 'focus', { clear: true })).toMatchObject({ id: null, beforeId: 'auth' })
  const given = { id: 'auth', what: `Works ${MARK}`, artifact: [`src/a.ts:created:${MARK}`] }
  expect(await call(lab, 'delta', { ...given, transition: [`${MARK}:open:done`] })).toMatchObject({
    ...{ id: 'auth', path: active('auth'), sequence: 3, artifacts: 1, transitions: 1, fromGit: false },
  })
  put(box, 'src/b.ts', MARK)
  expect(await call(lab, 'delta', { id: 'auth', what: MARK })).toMatchObject({ fromGit: true })
  expect(await call(lab, 'show', { id: 'auth' })).toMatchObject({
    kind: 'document',
    sequence: 4,
    checkpoints: 4,
  })
  expect(await call(lab, 'show', { id: 'auth', at: 1 })).toMatchObject({ kind: 'document', sequence: 1 })
  await make(lab, 'save', { ...SAID, stream: 'bare' })
  expect(await call(lab, 'show', { id: 'bare' })).toMatchObject({ id: 'bare', path: null, sequence: 1 })
  const fork = { id: 'auth', name: 'keys', anchor: MARK, current: true }
  expect(await call(lab, 'fork', fork)).toMatchObject({ id: 'keys', parent: 'auth', focused: true })
  const end = { id: 'keys', outcome: `Live ${MARK}`, learning: [`Rotate ${MARK}`] }
  // What the saves noted as learned is a learning, too.
  expect(await call(lab, 'archive', end)).toMatchObject({ id: 'keys', learnings: 2, already: false })
  expect(await call(lab, 'archive', { id: 'keys' })).toMatchObject({ learnings: 2, already: true })
  expect(await call(lab, 'list')).toMatchObject({
    documents: [
      { id: 'bare', standing: 'open', path: null },
      { id: 'auth', standing: 'open', path: active('auth') },
    ],
    hidden: 1,
  })
  expect(await call(lab, 'show', { id: 'auth', history: true })).toMatchObject({
    kind: 'history',
    checkpoint: null,
  })
})

test('an act of the session is undone, and only its user does it again', async () => {
  const lab = await trusted()
  const within = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: idOf('a') }
  await call(lab, 'save', SAID, within)
  expect(await call(lab, 'undo', {}, within)).toMatchObject({
    verb: 'save',
    work: 1,
    files: 0,
  })
})

test('documents that came with a repository are named, and nothing that they say', async () => {
  const lab = new Lab()
  put(lab.box, active('theirs'), `---\ncheckpoint: theirs\ncreated: ${MARK}\n---\n## Problem\n\n${MARK}\n`)
  expect(await call(lab, 'list')).toEqual({
    trusted: false,
    documents: [
      {
        ...{ id: 'theirs', standing: 'foreign', path: active('theirs'), updatedAt: null, foreign: true },
        sessions: [],
      },
    ],
    unsaved: 0,
    hidden: 0,
  })
})

test('work: save, resume, status and the ledger', async () => {
  const lab = await trusted()
  const { box } = lab
  expect(await call(lab, 'resume')).toMatchObject({ kind: 'nothing', stream: null, candidates: [] })
  expect(await call(lab, 'status')).toMatchObject({
    saved: null,
    offered: null,
    due: ['save'],
    uncommitted: 0,
  })
  put(box, DEFAULT_LEDGER, '# Session Ledger\n\n## State\n### Now\nSplitting the lexer\n')
  expect(await call(lab, 'resume')).toMatchObject({ kind: 'found', stream: null, tokens: expect.any(Number) })
  rmSync(box.path('.agents'), { recursive: true })
  expect(await call(lab, 'ledger')).toMatchObject({ state: 'disabled' })
  keepLedger(box)
  expect(await call(lab, 'ledger')).toMatchObject({ state: 'absent' })
  box.git('switch', '--quiet', '-c', 'feature/login')
  expect(await call(lab, 'save', { ...SAID, stream: 'login' })).toMatchObject({
    stream: 'login',
    sequence: 1,
  })
  expect(await call(lab, 'ledger')).toEqual({ state: 'shown', number: null, stream: null })
  expect(await call(lab, 'ledger', { at: 1 })).toEqual({ state: 'shown', number: 1, stream: 'login' })
  expect(await call(lab, 'resume')).toMatchObject({
    kind: 'brief',
    stream: 'login',
    tokens: expect.any(Number),
  })
  expect(await call(lab, 'status')).toMatchObject({
    saved: { stream: 'login', questions: 1, document: null },
  })
  box.git('switch', '--quiet', 'main')
  lab.wait(73 * HOUR)
  expect(await call(lab, 'resume')).toMatchObject({ kind: 'offered', stream: 'login', checkpoint: null })
  expect(await call(lab, 'status')).toMatchObject({ saved: null, offered: 'login' })
  await call(lab, 'save', { ...SAID, stream: 'billing' })
  await call(lab, 'save', { ...SAID, stream: 'invoices' })
  box.git('switch', '--quiet', '-c', 'other')
  const candidates = ['invoices', 'billing', 'login']
  expect(await call(lab, 'resume')).toMatchObject({ kind: 'choose', candidates })
  expect(await call(lab, 'status')).toMatchObject({ candidates, unreviewed: 0 })
})

test('a ledger that nobody vouches for is not shown', async () => {
  const lab = new Lab()
  keepLedger(lab.box)
  put(lab.box, DEFAULT_LEDGER, `# ${MARK}\n`)
  expect(await call(lab, 'ledger')).toMatchObject({ state: 'refused' })
})

test('handoffs: written, told, listed, chosen between and refused', async () => {
  const lab = await trusted()
  const { box } = lab
  expect(await call(lab, 'pickup')).toMatchObject({ kind: 'nothing', handoffs: [], refused: 0 })
  for (const form of ['form', 'page'])
    expect(await call(lab, 'handoff', { purpose: `Finish the ${form} ${MARK}`, state: MARK })).toMatchObject({
      path: expect.stringMatching(/finish-the-.*\.md$/),
      main: true,
    })
  expect(await call(lab, 'pickup')).toMatchObject({ kind: 'brief', path: expect.stringContaining('page') })
  expect(await call(lab, 'pickup', { handoff: 'finish' })).toMatchObject({ kind: 'choose', path: null })
  // A stranger may write into the name of a file as well.
  const stranger = `2026-01-01-main-${MARK}.md`
  mkdirSync(box.path('.agents', 'handoffs'), { recursive: true })
  writeFileSync(box.path('.agents', 'handoffs', stranger), MARK)
  const { handoffs, ...rest } = await call(lab, 'pickup', { list: true })
  expect(rest).toMatchObject({ kind: 'list', refused: 1 })
  expect(handoffs).toMatchObject([
    { name: expect.stringContaining('page') },
    { name: expect.stringContaining('form') },
  ])
})

test('sessions: info, budget and compact', async () => {
  const lab = await trusted()
  const env = (id: string) => ({ CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: id })
  expect(await call(lab, 'sessions info')).toEqual({ session: null, unrecorded: null, last: null, stale: 0 })
  expect(await call(lab, 'sessions info', {}, env(A))).toMatchObject({ session: null, unrecorded: A })
  await lab.start(A)
  expect(await call(lab, 'compact', {}, env(A))).toMatchObject({
    ...{ kind: 'compacted', session: A, stream: null, checkpoint: null, archive: null, tokensAfter: null },
  })
  expect(await call(lab, 'sessions budget', { forecast: 30 }, env(A))).toMatchObject({
    ...{ session: A, used: null, window: null, pressure: null, advice: [] },
    forecast: { minutes: 30, used: null, full: null },
  })
  lab.prompt(A, `Please move the login to tokens ${MARK}. Always use tabs ${MARK}.`)
  lab.tool(A, 'Bash', { command: `echo ${MARK}` }, { content: MARK })
  lab.wait(10 * MINUTE)
  lab.says(A, `I decided to use JWT ${MARK} because of ${MARK}.`, usageOf(5_000, 10, 860_000))
  expect(await call(lab, 'sessions budget', { forecast: 30 }, env(A))).toMatchObject({
    ...{ used: 865_000, window: 1_000_000, usedPercent: 86.5, pressure: 'high', headroom: 135_000 },
    ...{ advice: ['delegate', 'save', 'clear'], forecast: { minutes: 30, full: true } },
  })
  const { archive, ...made } = await call(lab, 'compact', {}, env(A))
  expect(made).toMatchObject({ session: A, results: 1, tokensBefore: 865_000 })
  expect(await call(lab, 'compact', { show: archive }, env(A))).toMatchObject({
    kind: 'archive',
    archive: null,
  })
  expect(await call(lab, 'sessions info', {}, env(A))).toMatchObject({
    ...{ session: { id: A, phase: 'active', tasksCompleted: 1 }, unrecorded: null, last: null },
  })
  lab.end(A)
  await lab.start(B)
  lab.prompt(B, MARK)
  await lab.start(C)
  lab.wait(3 * HOUR)
  lab.hear(C, 'UserPromptSubmit', { prompt: MARK })
  expect(await call(lab, 'sessions info', {}, env(C))).toMatchObject({
    session: { id: C },
    last: { id: A },
    stale: 1,
  })
})

test('second thoughts: of its own an agent takes back, what the user confirmed it does not', async () => {
  const lab = await trusted()
  await make(lab, 'save', { decision: [MARK], next: ['Ship it'], fact: ['Node 20'], rule: ['Use tabs'] })
  expect(await call(lab, 'remove', { text: 'ship' })).toMatchObject({ stream: 'main', field: 'next' })
  await expect(call(lab, 'remove', { text: 'tabs' }, { CLAUDECODE: '1' })).rejects.toThrow(
    'Only the user can remove',
  )
  await make(lab, 'save', { decision: ['Redis', 'Postgres'], by: 'agent' })
  expect(await call(lab, 'reject', { text: 'redis', why: 'cost' })).toMatchObject({ field: 'decisions' })
  expect(await call(lab, 'confirm', { text: 'postgres' })).toMatchObject({ field: 'decisions' })
})

test('runs: a step that is moved', async () => {
  const lab = await trusted()
  put(lab.box, 'plan.md', PLAN.replace('First step', MARK))
  await make(lab, 'run start', { plan: 'plan.md', runId: 'r1' })
  expect(await call(lab, 'run step', { run: 'r1', step: 's1', state: 'failed', context: 72 })).toMatchObject({
    ...{ run: 'r1', status: 'failed', files: 'published' },
  })
})

test('each tool and each kind of answer was met above', async () => {
  // What is found by words has tests of its own.
  const names = (await tools()).map(({ name }) => name).filter((name) => name !== 'search')
  const kinds = (await tools()).flatMap(({ name, tool: { facts } }) =>
    ['kind', 'state'].flatMap((key) => {
      const choices: unknown = facts[key]?.schema.enum
      return name !== 'search' && Array.isArray(choices) ? choices.map((one) => `${name}: ${one}`) : []
    }),
  )
  expect([...met].sort()).toEqual([...names, ...kinds].sort())
  expect(names.sort()).toEqual([
    ...['archive', 'compact', 'confirm', 'delta', 'focus', 'fork', 'handoff', 'ledger', 'list'],
    ...['pickup', 'reject', 'remove', 'resume', 'run step', 'save'],
    ...['sessions budget', 'sessions info', 'show', 'status', 'undo'],
  ])
})
