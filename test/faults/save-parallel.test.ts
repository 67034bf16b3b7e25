import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { decodeNote } from '../../src/formats/note-json/codec.ts'
import { commit, elsewhere, history, workBox } from '../cli/document-lab.ts'
import { INDEX, LEDGER, LEDGER_ON, notesIn, put, tempsIn, workOf } from '../cli/save-lab.ts'
import type { Finished, Sandbox } from '../support/sandbox.ts'

const LONG = 240_000
const numbers = (length: number) => Array.from({ length }, (_, at) => at + 1)

const TRY_AGAIN = 75
const MOST_TRIES = 5

/** A save that waited for the store too long wrote nothing, and says so: on a busy machine it is tried again. */
async function untilTaken(start: () => Promise<Finished>): Promise<Finished> {
  let done = await start()
  for (let tries = 1; done.code === TRY_AGAIN && tries < MOST_TRIES; tries += 1) done = await start()
  return done
}

/** Everything at once; each must succeed. */
async function atOnce(starts: Array<() => Promise<Finished>>): Promise<Array<Record<string, unknown>>> {
  const all = await Promise.all(starts.map(untilTaken))
  expect(all.filter(({ code }) => code !== 0)).toEqual([])
  return all.map(({ stdout }) => JSON.parse(stdout))
}

const saving = (box: Sandbox, words: string[]) => () => box.spawn(['save', ...words, '--json']).done
const byNumber = (a: string, b: string) => Number(a.split(' ')[1]) - Number(b.split(' ')[1])
const sequences = (box: Sandbox, id: string) =>
  history(box, id)
    .map(({ sequence }) => sequence)
    .toSorted((a, b) => a - b)

/** The notes of a workspace, each read; one that cannot be is a failure. */
const readNotes = (root: string, box: Sandbox) =>
  notesIn(box, '.claude/checkpoints', root).map((path) => {
    const read = decodeNote(readFileSync(join(root, path)), path)
    if ('problem' in read) throw new Error(read.problem)
    return read.note
  })

test('50 saves at once are 50 checkpoints in sequence, 50 notes and a valid index with every other key [001.21] [001.27]', {
  timeout: LONG,
}, async () => {
  const box = workBox()
  mkdirSync(box.path('.claude'))
  put(box, INDEX, '{"active_plan_stage": "two", "theirs": [1.0, {"a": null}]}')
  put(box, '.agents.yml', LEDGER_ON)
  box.json(['new', 'auth', '--current'])
  const receipts = await atOnce(
    numbers(50).map((n) => saving(box, [`Save ${n}`, '--decision', `Decision ${n}`])),
  )
  expect(receipts.map(({ sequence }) => Number(sequence)).toSorted((a, b) => a - b)).toEqual(
    numbers(50).map((n) => n + 1),
  )
  expect(sequences(box, 'auth')).toEqual(numbers(51))
  const notes = readNotes(box.repo, box)
  expect(notes).toHaveLength(50)
  expect(new Set(notes.map(({ summary }) => summary)).size).toBe(50)
  const views = receipts.flatMap((receipt) => receipt.views as Array<{ kind: string; state: string }>)
  expect(views.filter(({ kind, state }) => kind === 'note' && state !== 'written')).toEqual([])
  const last = receipts.find(({ sequence }) => sequence === 51)
  expect(box.readJson(INDEX)).toEqual({
    ...{ active_plan_stage: 'two', theirs: [1, { a: null }] },
    last_checkpoint: `${String(last?.at).slice(0, 19)}Z`,
  })
  const work = workOf(box)
  expect(work.now).toBe(last?.now)
  const decided = numbers(50).map((n) => `Decision ${n}`)
  expect(work.decisions.map(({ text }) => text).toSorted(byNumber)).toEqual(decided)
  // What came last is also what the files say.
  expect(box.read('checkpoints/active/auth.md')).toContain(`**Now**: ${last?.now}\n`)
  expect(box.read(LEDGER).match(/^- Decision \d+$/gm)?.length).toBe(50)
  expect(box.json(['ledger', 'history']).ledgers).toHaveLength(50)
  expect(tempsIn(box.repo)).toEqual([])
  expect(box.json(['doctor'])).toMatchObject({ healthy: true })
})

test('20 saves at once in two worktrees onto one stream are 20 checkpoints in sequence', {
  timeout: LONG,
}, async () => {
  const box = workBox()
  put(box, INDEX, '{"theirs": 1}')
  commit(box)
  box.git('worktree', 'add', '--quiet', '-b', 'side', join(box.root, 'side'))
  const side = elsewhere(box, 'side')
  const places = [box, side]
  const receipts = await atOnce(
    numbers(20).map((n) =>
      saving(places[n % 2] ?? box, [`Save ${n}`, '--stream', 'shared', '--decision', `Decision ${n}`]),
    ),
  )
  expect(receipts.map(({ sequence }) => Number(sequence)).toSorted((a, b) => a - b)).toEqual(numbers(20))
  expect(receipts.filter(({ began }) => began === true)).toHaveLength(1)
  expect(sequences(box, 'shared')).toEqual(numbers(20))
  for (const place of places) {
    expect(readNotes(place.repo, box)).toHaveLength(10)
    expect(place.readJson(INDEX)).toMatchObject({ theirs: 1, last_checkpoint: expect.any(String) })
    expect(
      workOf(place, ['shared'])
        .decisions.map(({ text }) => text)
        .toSorted(byNumber),
    ).toEqual(numbers(20).map((n) => `Decision ${n}`))
  }
})
