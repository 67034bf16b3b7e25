import type { Writable } from 'node:stream'
import { isCancel, text } from '@clack/prompts'
import { clipText } from '../../core/canonical.ts'
import { ReasonError } from '../../core/reason.ts'
import { NOTICES } from '../../engine/context/notices.ts'
import { Keyboard, type KeySource, LINE_BREAK_SIGN, MAX_ANSWER } from './keyboard.ts'

export interface Terminal {
  input: KeySource
  /** Where questions are shown: never where the answer of the command goes. */
  output: Writable & { columns?: number; rows?: number }
}

/** The terminal marks what is pasted, so that its line breaks can be told from the Enter key. */
const MARK_PASTES = '\x1b[?2004h'
const UNMARKED = '\x1b[?2004l'

/** Asks one question after another; throws `cancelled` where the person or the terminal leaves. */
export async function askAt(
  { input, output }: Terminal,
  questions: readonly string[],
  notices: string[],
): Promise<string[]> {
  // A terminal that is gone cannot be written to; that it is gone is told by its keys.
  output.on('error', () => undefined)
  // One that does not know its size says 0, and every character would stand on a line of its own.
  if (output.columns === 0) Object.assign(output, { columns: 80, rows: 24 })
  const keyboard = new Keyboard(input)
  const answers: string[] = []
  let unasked = ''
  try {
    output.write(MARK_PASTES)
    for (const message of questions) answers.push(await askOne(message, keyboard, output))
  } finally {
    output.write(UNMARKED)
    unasked = keyboard.close()
  }
  if (unasked !== '') notices.push(NOTICES.answersLeftOver(clipText(unasked, 200)))
  return answers
}

async function askOne(message: string, keyboard: Keyboard, output: Writable): Promise<string> {
  const left = new AbortController()
  const input = keyboard.listen(() => left.abort())
  const answer = await text({ message, input, output, signal: left.signal })
  if (keyboard.isTooLong)
    throw new ReasonError('usage_invalid', { problem: `an answer is longer than ${MAX_ANSWER} characters` })
  if (isCancel(answer)) throw new ReasonError('cancelled')
  return answer.replaceAll(LINE_BREAK_SIGN, '\n').trim()
}
