import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openDatabase } from '../../src/store/sqlite/driver.ts'
import { type Sandbox, sandbox } from '../support/sandbox.ts'

/** A whole document; `state` is the sentence that tests change. */
export function textOf(id: string, { status = '', state = 'as it began', more = '' } = {}): string {
  return [
    `---\ncheckpoint: ${id}\ncreated: 2026-01-01T00:00:00Z\n${status && `status: ${status}\n`}${more}---`,
    '## Problem\n\nTokens expire too early.',
    '## Session Intent\n\nLogin that lasts.',
    '## Essential Information',
    '### Decisions\n\n- Use refresh tokens',
    '### Technical Context\n\n- node 20',
    '### Play-By-Play\n\n- read the code',
    '### Artifact Trail\n\n| File | Status | Key Change |\n|---|---|---|\n| `src/a.ts` | created | login |',
    `### Current State\n\n${state}`,
    '### Next Actions\n\n- write tests\n',
  ].join('\n\n')
}

export const active = (id: string) => `checkpoints/active/${id}.md`

export function put(box: Sandbox, path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(box.path(path)), { recursive: true })
  writeFileSync(box.path(path), text)
}

/** Replaces words in a file, as an editor would. */
export function edit(box: Sandbox, path: string, from: string, to: string): string {
  const text = readFileSync(box.path(path), 'utf8')
  if (!text.includes(from)) throw new Error(`${path} has no ${from}`)
  writeFileSync(box.path(path), text.replace(from, to))
  return text.replace(from, to)
}

export function commit(box: Sandbox, message = 'work'): string {
  box.git('add', '--all')
  box.git('commit', '--quiet', '-m', message)
  return box.git('rev-parse', 'HEAD').trim()
}

export function identify(box: Sandbox, name = 'Ann Author'): void {
  box.git('config', 'user.name', name)
  box.git('config', 'user.email', `${name.split(' ')[0]?.toLowerCase()}@example.org`)
}

/** A repository on `main`, trusted, with these documents committed and known. */
export function workBox(documents: Record<string, string> = {}): Sandbox {
  const box = sandbox({ git: false })
  box.git('init', '--quiet', '--initial-branch=main')
  identify(box)
  put(box, 'readme.txt', 'one\n')
  for (const [id, text] of Object.entries(documents)) put(box, active(id), text)
  commit(box, 'begin')
  box.json(['trust'])
  return box
}

/** Another directory that uses the same home. */
export function elsewhere(box: Sandbox, name: string): Sandbox {
  return Object.assign(Object.create(box), { repo: join(box.root, name) })
}

export interface Point {
  sequence: number
  why: string
  foreign: boolean
  here: boolean
}

// `as` in these: the shapes are what the verbs answer with, and the tests compare them.
export const history = (box: Sandbox, id: string) =>
  box.json(['show', id, '--history']).history as Array<Point & { checkpoint: string }>

export const listed = (box: Sandbox, ...more: string[]) =>
  box.json(['list', ...more]).documents as Array<{
    id: string
    standing: string
    path: string | null
    foreign: boolean
    sequence: number
    checkpoints: number
  }>

export const standings = (box: Sandbox, ...more: string[]) =>
  Object.fromEntries(listed(box, ...more).map(({ id, standing }) => [id, standing]))

export const focused = (box: Sandbox) => box.json(['focus']).id as string | null

/** Why a command was refused. */
export function refusal(box: Sandbox, ...args: string[]): Record<string, unknown> {
  const done = box.run([...args, '--json'])
  if (done.code === 0) throw new Error(`savepoint ${args.join(' ')} was not refused: ${done.stdout}`)
  return JSON.parse(done.stdout.trim().split('\n').at(-1) ?? '')
}

export const reasonFor = (box: Sandbox, ...args: string[]) => refusal(box, ...args).reason

/** Rows of the store, as they lie in it. */
export function rows(box: Sandbox, query: string): Array<Record<string, unknown>> {
  const db = openDatabase(join(box.home, 'savepoint.db'))
  try {
    // `as`: what the query selects is for the test to know.
    return db.prepare(query).all() as Array<Record<string, unknown>>
  } finally {
    db.close()
  }
}

/** How many checkpoints there are in all streams together. */
export const checkpoints = (box: Sandbox) => rows(box, 'SELECT id FROM checkpoints').length

/** What the store says about a checkpoint: the body as it was committed. */
export function bodyOf(box: Sandbox, id: string): Record<string, unknown> {
  const [row] = rows(box, `SELECT body FROM checkpoints WHERE id = '${id}'`)
  return JSON.parse(String(row?.body))
}

/** Whether the store keeps exactly these bytes. */
export function isKept(box: Sandbox, bytes: string | Uint8Array): boolean {
  const wanted = Buffer.from(bytes)
  const { gunzipSync } = process.getBuiltinModule('node:zlib')
  // `as`: a blob column reads as bytes.
  return rows(box, 'SELECT body FROM texts').some(({ body }) => gunzipSync(body as Uint8Array).equals(wanted))
}

/** Runs git where it is meant to stop half way. */
export function stopped(box: Sandbox, ...args: string[]): void {
  const done = spawnSync('git', args, { cwd: box.repo, env: box.env, encoding: 'utf8' })
  if (done.status === 0) throw new Error(`git ${args.join(' ')} did not stop`)
}
