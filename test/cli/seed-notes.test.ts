import { mkdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { emptyWork } from '../../src/core/work.ts'
import { decodeNote, encodeNote, noteToWork } from '../../src/formats/note-json/codec.ts'
import type { Sandbox } from '../support/sandbox.ts'
import { seedFile } from '../support/seed-file.ts'
import { put, workBox } from './document-lab.ts'
import { INDEX, notesIn } from './save-lab.ts'
import { slashCommand } from './slash-lab.ts'

test('/checkpoint with a plan writes the note that the format shows, key by key, and sets the time in the index [001.02] [001.06] [001.10] [001.12] [001.13] [001.16] [001.17] [001.20] [001.21] [001.31]', () => {
  const box = workBox()
  mkdirSync(box.path('.claude'))
  put(box, INDEX, seedFile('001', 'state-index.json'))
  const wanted = JSON.parse(seedFile('001', 'note.json'))
  for (const path of wanted.context.files_in_progress) put(box, path, 'x\n')
  const [first, second] = wanted.decisions
  const typed = slashCommand('/checkpoint', [wanted.summary, first, wanted.next_action])
  box.json([...typed, '--decision', second])
  const [path = '', ...others] = notesIn(box, '.claude/plans/auth/checkpoints')
  expect(others).toEqual([])
  expect(path).toMatch(/\/\d{8}T\d{6}Z\.json$/)
  const note = box.readJson(path)
  expect(JSON.stringify({ ...note, timestamp: wanted.timestamp })).toBe(JSON.stringify(wanted))
  expect(new Date(note.timestamp).toISOString()).toBe(note.timestamp)
  const at = `${note.timestamp.slice(0, 19)}Z`
  expect(box.read(INDEX)).toBe(seedFile('001', 'state-index.json').replace('2026-01-01T00:00:00Z', at))
})

test('/checkpoint confirms with the words of the format: location, summary, decisions, next [001.01] [001.18] [001.31]', () => {
  const box = workBox()
  const { stdout } = box.run(slashCommand('/checkpoint', ['Login', 'A over B because C', 'Test it']))
  const [path = ''] = notesIn(box)
  const rule = '━'.repeat(53)
  expect(stdout.startsWith(`${rule}\n  CHECKPOINT SAVED\n${rule}\n\n  Location: ${path}\n`)).toBe(true)
  expect(stdout.endsWith(`\n\n${rule}\n`)).toBe(true)
  // What more there is stands behind these words, or in lines of its own.
  expect(stdout.match(/^ {2}(?:Location|Summary|Decisions|Next):.*$/gm)).toEqual([
    ...[`  Location: ${path}`, '  Summary:  Login', expect.stringMatching(/^ {2}Decisions: 1 recorded\b/)],
    '  Next:     Test it',
  ])
})

/** `cat <folder>/*.json | jq -s 'sort_by(.timestamp) | last'` */
function latestByHand(box: Sandbox, folder: string) {
  const notes = notesIn(box, folder).map((path) => box.readJson(path))
  return notes.toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : 1)).at(-1)
}

test('the commands of the format find the note that ours shows, of the plan and of none [001.24] [001.25] [001.28]', () => {
  const box = workBox()
  const type = (summary: string) =>
    box.json(slashCommand('/checkpoint', [summary, 'A over B because C', 'Test']))
  for (const summary of ['of none, first', 'of none, last']) type(summary)
  put(box, INDEX, seedFile('001', 'state-index.json'))
  for (const summary of ['of the plan, first', 'of the plan, last']) type(summary)
  const shown = (...args: string[]) => JSON.parse(box.run(['note', ...args]).stdout)
  const ofPlan = latestByHand(box, '.claude/plans/auth/checkpoints')
  expect(ofPlan.summary).toBe('of the plan, last')
  expect([shown(), shown('--plan', 'auth')]).toEqual([ofPlan, ofPlan])
  const ofNone = latestByHand(box, '.claude/checkpoints')
  expect(ofNone.summary).toBe('of none, last')
  expect(shown('--global')).toEqual(ofNone)
  expect([notesIn(box).length, notesIn(box, '.claude/plans/auth/checkpoints').length]).toEqual([2, 2])
})

test('the example of the format reads, and is written again as it was [001.10] [001.11] [001.14] [001.15]', () => {
  const text = seedFile('001', 'note.json')
  const read = decodeNote(Buffer.from(text), 'note.json')
  if ('problem' in read) throw new Error(read.problem)
  const { note } = read
  const again = encodeNote({
    work: { ...emptyWork(), ...noteToWork(note) },
    at: note.timestamp,
    plan: note.context.active_plan,
    stage: note.context.active_plan_stage,
    tddPhase: note.context.active_tdd_phase,
    files: note.context.files_in_progress,
  })
  expect(JSON.parse(again)).toEqual(JSON.parse(text))
})
