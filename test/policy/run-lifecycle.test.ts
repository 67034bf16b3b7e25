import { expect, test } from 'vitest'
import type { Progress } from '../../src/core/checkpoint.ts'
import { nextProgress, RUN_EVENTS } from '../../src/policy/run-lifecycle.ts'

/** Every progress with every event, in the order of RUN_EVENTS. `-` is refused. */
const TABLE: Record<Progress, string> = {
  //            begin done fail skip error fatal pause finish finish_failed save command heartbeat
  in_progress: 'run   run  bad  run  run   bad   rest  over   bad           run  run     run',
  failed: '     run   bad  bad  bad  bad   bad   -     over   bad           bad  bad     bad',
  paused: '     run   run  bad  run  rest  bad   rest  over   bad           rest rest    rest',
  completed: '  -     -    -    -    -     -     -     over   -             over -       over',
}
const WORD: Record<string, string> = {
  run: 'in_progress',
  bad: 'failed',
  rest: 'paused',
  over: 'completed',
  '-': 'refused',
}

const ROWS = Object.entries(TABLE).flatMap(([from, row]) =>
  row
    .trim()
    .split(/\s+/)
    // `as`: the keys of the table are the four kinds of progress.
    .map((word, index) => [from as Progress, RUN_EVENTS[index] ?? 'save', WORD[word] ?? ''] as const),
)

test('the table covers every progress and every event', () => {
  expect(ROWS).toHaveLength(4 * RUN_EVENTS.length)
})

test.each(ROWS)('a run that is %s and takes %s is %s then [004.06]', (from, event, to) => {
  expect(nextProgress(from, event)).toBe(to)
})
