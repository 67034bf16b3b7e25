import { appendFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  answered,
  assistant,
  call,
  clarify,
  heard,
  linesOf,
  readOn,
  readRows,
  refusal,
  result,
  text,
  time,
  transcriptOf,
  user,
} from './transcript-rows.ts'

const asked = {
  questions: [
    {
      question: 'Which algorithm?',
      header: 'Signing',
      options: [
        { label: 'RS256 (Recommended)', description: 'Two keys' },
        { label: 'HS256', description: 'One secret' },
      ],
    },
    { question: 'Which stores?', multiSelect: true, options: [{ label: 'Files' }, { label: 'Redis' }] },
  ],
}
const asking = (number: number, id: string) =>
  assistant(number, { content: [call(id, 'AskUserQuestion', asked)] })
test('questions are told when they are asked, with what is offered', () => {
  const { entries } = readRows(asking(1, 'q'))
  expect(entries.at(-1)).toEqual({
    at: time(1),
    kind: 'asks',
    questions: [
      { question: 'Which algorithm?', options: ['RS256 (Recommended)', 'HS256'] },
      { question: 'Which stores?', options: ['Files', 'Redis'] },
    ],
  })
})

test("answers are requests about their questions, by the client's own record: chosen, typed, several", () => {
  const { entries } = readRows(
    asking(1, 'q'),
    user(2, [result('q', answered(['Which algorithm?', 'lost']))], {
      toolUseResult: {
        ...asked,
        answers: { 'Which algorithm?': 'Neither: we say "PASETO"', 'Which stores?': ['Files', 'Redis'] },
      },
    }),
  )
  expect(entries.slice(-2)).toEqual([
    {
      at: time(2),
      kind: 'request',
      how: 'answer',
      text: 'Neither: we say "PASETO"',
      about: 'Which algorithm?',
    },
    { at: time(2), kind: 'request', how: 'answer', text: 'Files, Redis', about: 'Which stores?' },
  ])
})

test('what the user noted beside a choice is told with it', () => {
  const { entries } = readRows(
    asking(1, 'q'),
    user(2, [result('q', 'Your questions have been answered')], {
      toolUseResult: {
        answers: { 'Which algorithm?': 'HS256', 'Which stores?': '' },
        annotations: { 'Which algorithm?': { notes: 'for now' }, 'Which stores?': { notes: 'ask Ada' } },
      },
    }),
  )
  expect(heard(entries)).toEqual(['answer: HS256: for now', 'answer: ask Ada'])
})

test('without the record the sentence to the agent has the answers, free text too', () => {
  const said = answered(
    ['Which algorithm?', 'RS256 (Recommended)'],
    ['Which stores?', 'files only,\nno network'],
  )
  const { entries } = readRows(asking(1, 'q'), user(2, [result('q', said)]))
  expect(entries.slice(-2)).toEqual([
    { at: time(2), kind: 'request', how: 'answer', text: 'RS256 (Recommended)', about: 'Which algorithm?' },
    { at: time(2), kind: 'request', how: 'answer', text: 'files only,\nno network', about: 'Which stores?' },
  ])
})

test('the sentence is heard where the result is a list of texts', () => {
  const said = answered(['Which algorithm?', 'HS256'])
  const { entries } = readRows(asking(1, 'q'), user(2, [result('q', [text(said)])]))
  expect(heard(entries)).toEqual(['answer: HS256'])
})

test('many long answers in the sentence are all heard', () => {
  const said = [0, 1, 2, 3].map((place) => `word${place} `.repeat(140).trim())
  const sentence = answered(...said.map((words, place): [string, string] => [`Question ${place}?`, words]))
  const { entries } = readRows(asking(1, 'q'), user(2, [result('q', sentence)]))
  expect(heard(entries)).toEqual(said.map((words) => `answer: ${words}`))
})

test('answers in a later reading are about the questions of the one before', () => {
  const path = transcriptOf(linesOf([asking(1, 'q')]))
  const first = readOn(path)
  appendFileSync(path, linesOf([user(2, [result('q', answered(['Which algorithm?', 'HS256']))])]))
  expect(readOn(path, first.reading).entries.at(-1)).toMatchObject({
    text: 'HS256',
    about: 'Which algorithm?',
  })
})

test('of questions that the user wants to talk about the answers are heard, the words of the client are not', () => {
  const said = clarify(['Which algorithm?', 'HS256, for now'], ['Which stores?', null])
  const { entries } = readRows(asking(1, 'q'), user(2, [result('q', said, true)]))
  expect(entries.slice(2)).toEqual([
    { at: time(2), kind: 'result', id: 'q', failed: true, refused: true, text: said },
    { at: time(2), kind: 'request', how: 'answer', text: 'HS256, for now', about: 'Which algorithm?' },
  ])
})

test('questions that nobody answered are refused, and nothing was said', () => {
  const said = clarify(['Which algorithm?', null], ['Which stores?', null])
  const { entries } = readRows(
    asking(1, 'q'),
    user(2, [result('q', said, true)]),
    asking(3, 'r'),
    user(4, [result('r', refusal(), true)]),
  )
  expect(heard(entries)).toEqual([])
  expect(entries.filter(({ kind }) => kind === 'result')).toMatchObject([
    { refused: true },
    { refused: true },
  ])
})

test('questions that are refused with words are answered by them', () => {
  const { entries } = readRows(asking(1, 'q'), user(2, [result('q', refusal('Decide yourself'), true)]))
  expect(heard(entries)).toEqual(['refusal: Decide yourself'])
})

test('a question that failed has no answers', () => {
  const said = answered(['Which algorithm?', 'HS256'])
  const { entries } = readRows(asking(1, 'q'), user(2, [result('q', said, true)]))
  expect(heard(entries)).toEqual([])
})

test('what another tool prints answers nothing', () => {
  const said = answered(['Which algorithm?', 'HS256'])
  const { entries } = readRows(
    assistant(1, { content: [call('b', 'Bash', { command: 'cat log' })] }),
    user(2, [result('b', said)]),
  )
  expect(heard(entries)).toEqual([])
})
