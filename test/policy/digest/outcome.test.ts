import { expect, test } from 'vitest'
import { isDone, tellOutcome } from '../../../src/policy/digest/outcome.ts'
import { asks, calls, digestOf, edits, request, runs, says, todos, type Untimed } from './sample.ts'

const outcome = (...entries: Array<Untimed | Untimed[]>) => tellOutcome(digestOf(...entries), false, true)
const ASKED = request('Write the import of the invoices.')
const COMMIT = runs('git commit -m "Import"', '[main 1a2b3c4] Import')

test.each<[string, string, Array<Untimed | Untimed[]>]>([
  ['done: committed', 'a commit after the request', [ASKED, COMMIT, says('Done.')]],
  ['done: npm test passed', 'tests that pass', [ASKED, edits('a.ts'), runs('npm test', 'ok'), says('Done.')]],
  [
    'done: all 2 tasks done',
    'a list that is over',
    [ASKED, todos(['A', 'done'], ['B', 'done']), says('Done.')],
  ],
  ['', 'an answer alone', [ASKED, says('Done, and it works.')]],
  ['', 'a commit from before the newest request', [ASKED, COMMIT, says('Done.'), ASKED, says('Done again.')]],
  ['left: cut off', 'a call without an end', [ASKED, calls('1', 'Bash', { command: 'make' })]],
  [
    'left: cut off',
    'a request without an answer',
    [ASKED, COMMIT, says('Done.'), request('Now the export.')],
  ],
  [
    'left: npm test failing, 1 of 2 tasks open',
    'tests that fail, whatever was committed',
    [ASKED, todos(['A', 'done'], ['B', 'open']), COMMIT, runs('npm test', 'FAIL a', true), says('Done.')],
  ],
  [
    'left: open question to the user',
    'a question',
    [ASKED, asks('Which one?', 'A', 'B'), says('Which one?')],
  ],
])('"%s" is told of %s', (told, _, entries) => {
  expect(outcome(...entries)).toBe(told)
})

test('of a session that may still be running nothing is claimed', () => {
  expect(tellOutcome(digestOf(ASKED, COMMIT, says('Done.')), true, true)).toBe('may still be running')
})

test('without trust no command is named, and nothing is called done', () => {
  const failed = digestOf(ASKED, runs('npm test', 'FAIL a', true), calls('1', 'Bash', { command: 'make' }))
  expect(tellOutcome(failed, false, false)).toBe('left: cut off')
  const done = digestOf(ASKED, COMMIT, says('Done.'))
  expect(tellOutcome(done, false, false)).toBe('')
  expect([isDone(done, true), isDone(done, false)]).toEqual([true, false])
})
