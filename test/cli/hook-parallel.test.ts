import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sandbox } from '../support/sandbox.ts'
import { faultsOf, heard, hookAtOnce, idOf, payload, rowsOf } from './hook-lab.ts'

const counted = (length: number) => Array.from({ length }, (_, index) => index)

test('50 sessions that start at once are 50 sessions, each heard once', { timeout: 120_000 }, async () => {
  const box = sandbox()
  const ids = counted(50).map((index) => idOf(`s${index}x`))
  const all = await Promise.all(
    ids.map((id) => hookAtOnce(box, payload(box, id, 'SessionStart', { source: 'startup' })).done),
  )
  expect(all.filter(({ code, stderr }) => code !== 0 || stderr !== '')).toEqual([])
  box.json(['sessions'])
  const rows = await rowsOf(box)
  expect(rows.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
  expect(rows.flatMap(({ events }) => events.map(({ kind }) => kind))).toEqual(ids.map(() => 'start'))
  expect(new Set(rows.map(({ workspace }) => workspace)).size).toBe(1)
  // Whoever had to wait too long says so, and nothing else went wrong.
  expect(faultsOf(box).filter(({ reason }) => reason !== 'store_busy')).toEqual([])
})

test('events of one session from many processes are counted once each, also by eight readers at once', {
  timeout: 120_000,
}, async () => {
  const box = sandbox()
  const id = idOf('a')
  heard(box, id, 'SessionStart')
  await Promise.all(
    counted(24).map(
      (index) => hookAtOnce(box, payload(box, id, 'UserPromptSubmit', { prompt: `Word ${index}` })).done,
    ),
  )
  const readers = await Promise.all(counted(8).map(() => box.spawn(['sessions', '--json']).done))
  for (const { code, stderr } of readers) expect(code, stderr).toBe(0)
  const [row] = await rowsOf(box)
  expect(row?.events.map(({ kind }) => kind).toSorted()).toEqual([
    ...counted(24).map(() => 'prompt'),
    'start',
  ])
})

test('two sessions of one repository that end at once have two ends, beside one in a worktree', async () => {
  const box = sandbox()
  box.git('-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '--quiet', '--allow-empty', '-m', 'first')
  const other = join(box.root, 'other')
  box.git('worktree', 'add', '--quiet', '-b', 'side', other)
  const [a, b, c] = ['a', 'b', 'c'].map(idOf) as [string, string, string]
  for (const id of [a, b]) heard(box, id, 'SessionStart')
  heard(box, c, 'SessionStart', { cwd: other }, { cwd: other })
  await Promise.all(
    [a, b].map((id) => hookAtOnce(box, payload(box, id, 'SessionEnd', { reason: 'logout' })).done),
  )
  box.json(['sessions'])
  const rows = new Map((await rowsOf(box)).map((row) => [row.id, row]))
  for (const id of [a, b]) expect(rows.get(id)).toMatchObject({ phase: 'recent', endReason: 'logout' })
  expect(rows.get(c)).toMatchObject({ phase: 'active', endReason: null, environment: { gitBranch: 'side' } })
  expect(rows.get(a)?.workspace).toBe(rows.get(b)?.workspace)
  expect(rows.get(c)?.workspace).not.toBe(rows.get(a)?.workspace)
  expect(rows.get(c)?.repository).toBe(rows.get(a)?.repository)
})

test('a session whose agent went to another repository stays where it began', async () => {
  const box = sandbox()
  const id = idOf('a')
  const other = join(box.root, 'other')
  mkdirSync(other)
  box.git('init', '--quiet', other)
  heard(box, id, 'SessionStart')
  const [before] = await rowsOf(box)
  heard(
    box,
    id,
    'StopFailure',
    { cwd: other, error: 'overloaded' },
    { env: { CLAUDE_PROJECT_DIR: box.repo } },
  )
  const [row] = await rowsOf(box)
  expect(row).toMatchObject({ workspace: before?.workspace, paused: { reason: 'overloaded' } })
})
