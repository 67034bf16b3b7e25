import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { agentNamed } from '../../agents/table.ts'
import { describeError, errorCode, ReasonError } from '../../core/reason.ts'
import { type ContextUse, type SessionKey, type Statistics, totalTokens } from '../../core/session.ts'
import type { TranscriptReader, TranscriptReading } from '../../core/transcript.ts'
import { visibleLine } from '../../core/visible.ts'
import type { Context } from '../../engine/context/context.ts'
import { requireLast } from '../../engine/sessions/current.ts'
import { defineVerb } from '../define/verb.ts'
import { namedRows } from '../say/table.ts'
import { sayContext, statisticsRows } from './say-statistics.ts'
import { shortNumber } from './session-text.ts'

interface TranscriptStatistics {
  transcript: string
  /** Null for a file that was named. */
  sessionId: string | null
  bytes: number
  statistics: Statistics
  totalTokens: number
  context: ContextUse | null
  compactions: number
  lastAt: string | null
}

export const sessionsStats = defineVerb({
  name: 'sessions stats',
  summary: 'Count what a transcript holds: tokens, tools, files, commits',
  detail: 'Reads the whole file, and saves nothing. Each call of the model is counted once.',
  fields: {
    file: { kind: 'text', at: 0, about: 'a transcript file; that of the current session without it' },
  },
  examples: ['savepoint sessions stats', 'savepoint sessions stats ~/old-session.jsonl --json'],
  access: 'read',
  takesIn: 'events',
  lenient: true,
  async perform(context, { file }): Promise<TranscriptStatistics> {
    if (file !== undefined) {
      // A file says nothing of its agent: it is read as the agent at work would write it, or the first that is known.
      const name = context.session?.agent ?? context.agents[0]?.name ?? ''
      return countTranscript(await readerOf(context, name), resolve(context.cwd, file), null)
    }
    const { agent, id, path } = await currentTranscript(context)
    return countTranscript(await readerOf(context, agent), path, id)
  },
  say: ({ transcript, sessionId, bytes, statistics, context, compactions, lastAt }, { columns }) =>
    namedRows(
      [
        ['Transcript', visibleLine(transcript)],
        ...(sessionId === null ? [] : [['Session', sessionId] as const]),
        ['Size', `${shortNumber(bytes)}B${lastAt === null ? '' : `, up to ${visibleLine(lastAt)}`}`],
        ...statisticsRows(statistics),
        ...(context === null ? [] : [['Context', sayContext(context)] as const]),
        ...(compactions === 0 ? [] : [['Compactions', String(compactions)] as const]),
      ],
      columns,
    ),
})

async function currentTranscript(context: Context): Promise<SessionKey & { path: string }> {
  const { agent, id, environment } = (await requireLast(context)).session
  if (environment.transcriptPath === null) throw new ReasonError('transcript_none', { id })
  return { agent, id, path: environment.transcriptPath }
}

async function readerOf({ agents }: Context, name: string): Promise<TranscriptReader> {
  const reader = await agentNamed(agents, name)?.transcript.reader()
  if (reader === undefined) throw new ReasonError('usage_invalid', { problem: `no agent is called ${name}` })
  return reader
}

function countTranscript(
  reader: TranscriptReader,
  transcript: string,
  sessionId: string | null,
): TranscriptStatistics {
  const { reading, bytes } = readWhole(reader, transcript)
  const { statistics, context, compactions, lastAt } = reading
  return {
    ...{ transcript, sessionId, bytes, statistics, totalTokens: totalTokens(statistics.tokensConsumed) },
    ...{ context, compactions, lastAt },
  }
}

function readWhole(reader: TranscriptReader, path: string): { reading: TranscriptReading; bytes: number } {
  try {
    const file = statSync(path)
    if (!file.isFile()) throw unreadable(path, 'it is no file')
    const found = reader.readOn(path, null, null)
    if (found === null) throw unreadable(path, 'it was gone when it was read')
    return { reading: found.reading, bytes: file.size }
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    throw unreadable(path, describeError(error), error)
  }
}

const unreadable = (path: string, problem: string, cause?: unknown) =>
  new ReasonError('file_unreadable', { path, problem }, { cause })
