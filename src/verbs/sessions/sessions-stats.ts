import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { agentNamed } from '../../agents/table.ts'
import { describeError, errorCode, ReasonError } from '../../core/reason.ts'
import { totalTokens } from '../../core/session.ts'
import { shortNumber } from '../../core/text.ts'
import type { TranscriptReader, TranscriptReading } from '../../core/transcript.ts'
import { requireLast } from '../../engine/sessions/current.ts'
import { defineVerb } from '../define/verb.ts'
import { sayRows, statisticsRows } from './session-words.ts'

export const sessionsStats = defineVerb({
  name: 'sessions stats',
  summary: 'Count tokens, tools, files and commits in a transcript',
  detail: 'Reads the whole file and saves nothing. Each model call is counted once.',
  fields: { file: { kind: 'text', at: 0, about: 'a transcript file (default: of the current session)' } },
  examples: ['savepoint sessions stats', 'savepoint sessions stats ~/old-session.jsonl --json'],
  access: 'read',
  takesIn: 'events',
  lenient: true,
  async perform(context, { file }) {
    const session = file === undefined ? await requireLast(context) : null
    const transcript = file === undefined ? session?.environment.transcriptPath : resolve(context.cwd, file)
    if (!transcript) throw new ReasonError('transcript_none', { id: session?.id ?? '' })
    // A file says nothing of its agent: it is read as the agent at work would write it, or the first that is known.
    const name = (session ?? context.session)?.agent ?? context.agents[0]?.name ?? ''
    const reader = await agentNamed(context.agents, name)?.transcript.reader()
    if (!reader) throw new ReasonError('usage_invalid', { problem: `unknown agent ${name}` })
    const { reading, bytes } = readWhole(reader, transcript)
    const { statistics, context: use, compactions, lastAt } = reading
    return {
      ...{ transcript, sessionId: session?.id ?? null, bytes, statistics },
      ...{ totalTokens: totalTokens(statistics.tokensConsumed), context: use, compactions, lastAt },
    }
  },
  say: ({ transcript, sessionId, bytes, statistics, context, compactions, lastAt }, screen) =>
    sayRows(
      [
        ['Transcript', transcript],
        ['Session', sessionId],
        ['Size', `${shortNumber(bytes)}B${lastAt === null ? '' : `, up to ${screen.time(lastAt)}`}`],
        ...statisticsRows(statistics, { context, compactions }),
      ],
      screen,
    ),
})

function readWhole(reader: TranscriptReader, path: string): { reading: TranscriptReading; bytes: number } {
  try {
    const file = statSync(path)
    if (!file.isFile()) throw unreadable(path, 'not a file')
    const found = reader.readOn(path, null, null)
    if (found === null) throw unreadable(path, 'it was removed while being read')
    return { reading: found.reading, bytes: file.size }
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    throw unreadable(path, describeError(error), error)
  }
}

const unreadable = (path: string, problem: string, cause?: unknown) =>
  new ReasonError('file_unreadable', { path, problem }, { cause })
