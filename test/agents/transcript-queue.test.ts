import { appendFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { TranscriptEntry } from '../../src/core/transcript.ts'
import {
  attachment,
  linesOf,
  queue,
  readOn,
  readRows,
  text,
  time,
  transcriptOf,
  user,
} from './transcript-rows.ts'

const notification =
  '<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>toolu_1</tool-use-id>\n<status>failed</status>\n</task-notification>'

/** The prompts that reach the agent, as a reader of the queue counts them. */
function sentPrompts(entries: TranscriptEntry[]) {
  const waiting: string[] = []
  const sent: string[] = []
  for (const entry of entries) {
    if (entry.kind === 'request') sent.push(entry.text)
    if (entry.kind !== 'queue') continue
    if (entry.change === 'added') waiting.push(entry.text)
    else if (entry.change === 'withdrawn') waiting.splice(0)
    else {
      const [first = ''] = waiting.splice(0, 1)
      if (entry.change === 'used' && first !== '') sent.push(first)
    }
  }
  return { sent, waiting }
}

test('each change of the queue is told, with the words where it has some', () => {
  const { entries, statistics } = readRows(
    queue(1, 'enqueue', 'Also the docs'),
    queue(2, 'dequeue'),
    queue(3, 'enqueue', 'And the tests'),
    queue(4, 'remove', 'And the tests'),
    queue(5, 'enqueue', 'And the'),
    queue(6, 'popAll', 'And the'),
  )
  expect(entries).toEqual([
    { at: time(1), kind: 'queue', change: 'added', text: 'Also the docs' },
    { at: time(2), kind: 'queue', change: 'sent', text: '' },
    { at: time(3), kind: 'queue', change: 'added', text: 'And the tests' },
    { at: time(4), kind: 'queue', change: 'used', text: 'And the tests' },
    { at: time(5), kind: 'queue', change: 'added', text: 'And the' },
    { at: time(6), kind: 'queue', change: 'withdrawn', text: 'And the' },
  ])
  expect(statistics.unknownLines).toEqual({})
})

test('an operation that nobody knows changes nothing', () => {
  const { entries } = readRows(queue(1, 'shuffle', 'Also the docs'), queue(2, 'constructor', 'x'))
  expect(entries).toEqual([])
})

test('a queued prompt is heard once: by the row that comes of it, or by the queue alone', () => {
  const { entries } = readRows(
    queue(1, 'enqueue', 'Sent as a turn of its own'),
    queue(2, 'dequeue'),
    user(3, 'Sent as a turn of its own', { promptSource: 'queued' }),
    queue(4, 'enqueue', 'Used in the middle of a turn'),
    queue(5, 'remove'),
  )
  expect(sentPrompts(entries)).toEqual({
    sent: ['Sent as a turn of its own', 'Used in the middle of a turn'],
    waiting: [],
  })
})

test('a queued prompt that was taken back is not heard, the edited one is', () => {
  const { entries } = readRows(
    queue(1, 'enqueue', "I think it's the lint comman"),
    queue(2, 'popAll', "I think it's the lint comman"),
    queue(3, 'enqueue', "I think it's the lint command"),
    queue(4, 'remove'),
  )
  expect(sentPrompts(entries)).toEqual({ sent: ["I think it's the lint command"], waiting: [] })
})

test('a prompt that still waits at the end is in the queue', () => {
  const { entries } = readRows(
    queue(1, 'enqueue', 'First'),
    queue(2, 'enqueue', 'Second'),
    queue(3, 'dequeue'),
    user(4, 'First'),
  )
  expect(sentPrompts(entries)).toEqual({ sent: ['First'], waiting: ['Second'] })
})

test('a task notification in the queue tells of the task, keeps its place, and says nothing', () => {
  const { entries } = readRows(
    queue(1, 'enqueue', notification),
    queue(2, 'enqueue', 'Also the docs'),
    queue(3, 'remove', notification),
  )
  expect(entries).toEqual([
    { at: time(1), kind: 'finished', id: 'toolu_1', failed: true },
    { at: time(1), kind: 'finished', id: 'b1', failed: true },
    { at: time(1), kind: 'queue', change: 'added', text: '' },
    { at: time(2), kind: 'queue', change: 'added', text: 'Also the docs' },
    { at: time(3), kind: 'queue', change: 'used', text: '' },
  ])
})

test.each([
  '<task-notification><task-id>b1</task-id><status>running</status></task-notification>',
  '{"task_id":"b1","task_type":"local_bash"}',
  '<system-reminder>Never use tabs</system-reminder>',
])("%s in the queue is the client's own", (said) => {
  const { entries } = readRows(queue(1, 'enqueue', said))
  expect(entries).toEqual([{ at: time(1), kind: 'queue', change: 'added', text: '' }])
})

test('a newer client attaches what was queued: the words are a request, notifications are not', () => {
  const { entries } = readRows(
    attachment(1, { type: 'queued_command', prompt: 'Also the docs', commandMode: 'prompt' }),
    attachment(2, { type: 'queued_command', prompt: [text('And'), { type: 'image' }, text('the tests')] }),
    attachment(3, { type: 'queued_command', prompt: notification, commandMode: 'task-notification' }),
    attachment(4, { type: 'queued_command', prompt: 'Continue', origin: { kind: 'coordinator' } }),
    attachment(5, { type: 'queued_command', prompt: 'Caveat', isMeta: true }),
  )
  expect(entries).toEqual([
    { at: time(1), kind: 'request', how: 'queued', text: 'Also the docs', about: '' },
    { at: time(2), kind: 'request', how: 'queued', text: 'And\nthe tests', about: '' },
    { at: time(3), kind: 'finished', id: 'toolu_1', failed: true },
    { at: time(3), kind: 'finished', id: 'b1', failed: true },
  ])
})

test('the queue is read on in a later reading', () => {
  const path = transcriptOf(linesOf([queue(1, 'enqueue', 'Also the docs')]))
  const first = readOn(path)
  appendFileSync(path, linesOf([queue(2, 'remove')]))
  const second = readOn(path, first.reading)
  expect(sentPrompts([...first.entries, ...second.entries])).toEqual({ sent: ['Also the docs'], waiting: [] })
})
