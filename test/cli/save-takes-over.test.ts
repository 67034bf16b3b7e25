import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sessionStream } from '../../src/policy/resolve.ts'
import { answered, assistant, call, linesOf, result, text, user } from '../agents/transcript-rows.ts'
import type { Sandbox } from '../support/sandbox.ts'
import { workBox } from './document-lab.ts'
import { HOUR, turned } from './resume-lab.ts'
import { save, workOf } from './save-lab.ts'
import { ago, idOf, MINUTE, recorded, within } from './session-lab.ts'

const A = idOf('aaaa')
const B = idOf('bbbb')
const RULE = 'Never touch the billing module.'
const QUESTION = 'Which kind of token?'
const ASKED = [{ question: QUESTION, header: 'Token', options: [{ label: 'JWT' }, { label: 'Opaque' }] }]

/** A session that said something some minutes ago, and whose client may be dead since. */
async function spoke(box: Sandbox, id: string, minutes: number, more: object = {}): Promise<void> {
  const transcriptPath = join(box.root, `${id}.jsonl`)
  const at = (number: number) => ({ timestamp: ago((minutes + 1 - number / 10) * MINUTE) })
  writeFileSync(
    transcriptPath,
    linesOf([
      user(1, `Please move the login to tokens. ${RULE}`, at(1)),
      assistant(2, { content: [call('q', 'AskUserQuestion', { questions: ASKED })] }, at(2)),
      user(3, [result('q', answered([QUESTION, 'JWT']))], {
        ...at(3),
        toolUseResult: { questions: ASKED, answers: { [QUESTION]: 'JWT' } },
      }),
      assistant(4, { content: [text('The form sends them, and the refresh is missing.')] }, at(4)),
    ]),
  )
  await recorded(box, {
    ...{ id, lastActivityAt: ago(minutes * MINUTE), environment: { transcriptPath } },
    ...more,
  })
}

const isTaken = (box: Sandbox, args: string[] = []) =>
  workOf(box, args).decisions.some(({ text: decided }) => decided === `${QUESTION} → JWT`)

test('a save at a terminal takes over what a dead session found out: the brief has both, and its own words first', async () => {
  const box = workBox()
  save(box, ['Forms', '--goal', 'A login that lasts', '--decision', 'Zod for forms', '--next', 'Old'], {
    env: turned(box, -HOUR),
  })
  await spoke(box, A, 10)
  const saved = save(box, ['Stopped by hand', '--next', 'Ship it'])
  expect(saved).toMatchObject({ stream: 'main', began: false, next: 'Ship it', now: 'Stopped by hand' })
  const { stdout } = box.run(['resume'])
  for (const words of ['A login that lasts', 'Zod for forms', 'JWT', RULE, 'Stopped by hand', 'Ship it'])
    expect(stdout).toContain(words)
  expect(isTaken(box)).toBe(true)
  expect(stdout).not.toContain('Old')
  // What the session saved by itself is still there under its own name.
  expect(isTaken(box, [sessionStream(A)])).toBe(true)
})

test('it takes nothing over from another branch, from older work, and into work that is named', async () => {
  const box = workBox()
  await spoke(box, A, 10)
  save(box, ['Docs', '--stream', 'docs'])
  expect(isTaken(box, ['docs'])).toBe(false)
  box.git('checkout', '--quiet', '-b', 'side')
  save(box, ['On the side'])
  expect(isTaken(box, ['side'])).toBe(false)
  const later = workBox()
  save(later, ['Saved after it'])
  await spoke(later, A, 10)
  save(later, ['Saved again'])
  expect(isTaken(later, ['main'])).toBe(false)
})

test('an agent in one session does not take over another that is live, and does when that one has ended', async () => {
  for (const [ending, taken] of [
    [{}, false],
    [{ phase: 'recent', endedAt: ago(10 * MINUTE), endReason: 'prompt_input_exit' }, true],
  ] as const) {
    const box = workBox()
    save(box, ['Begun'], { env: turned(box, -HOUR) })
    await recorded(box, { id: B, lastActivityAt: ago(20 * MINUTE) })
    await spoke(box, A, 10, ending)
    expect(save(box, ['Mine'], { env: within(B) })).toMatchObject({ stream: 'main', now: 'Mine' })
    expect(isTaken(box, ['main'])).toBe(taken)
  }
})
