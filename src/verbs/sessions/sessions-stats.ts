import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { readTranscript } from '../../agents/claude/transcript.ts'
import { describe, errorCode, ReasonError } from '../../core/reason.ts'
import { type ContextUse, type Statistics, totalTokens } from '../../core/session.ts'
import type { Reading } from '../../core/transcript.ts'
import { oneLine } from '../../core/visible.ts'
import type { Context } from '../../engine/context/context.ts'
import { requireLast } from '../../engine/sessions/current.ts'
import { operation } from '../define/operation.ts'
import { namedRows } from '../say/table.ts'
import { sayContext, statisticsRows } from './say-statistics.ts'
import { short } from './session-text.ts'

interface Counted {
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

export const sessionsStats = operation({
  name: 'sessions stats',
  summary: 'Count what a transcript holds: tokens, tools, files, commits',
  detail: 'Reads the whole file, and saves nothing. Each call of the model is counted once.',
  fields: {
    file: { kind: 'text', at: 0, about: 'a transcript file; that of the current session without it' },
  },
  examples: [
    'savepoint sessions stats',
    'savepoint sessions stats ~/.claude/projects/my-project/0b5a.jsonl --json',
  ],
  access: 'read',
  takesIn: 'events',
  lenient: true,
  async perform(context, { file }): Promise<Counted> {
    if (file !== undefined) return counted(resolve(context.cwd, file), null)
    const { id, path } = await currentTranscript(context)
    return counted(path, id)
  },
  say: ({ transcript, sessionId, bytes, statistics, context, compactions, lastAt }, { columns }) =>
    namedRows(
      [
        ['Transcript', oneLine(transcript)],
        ...(sessionId === null ? [] : [['Session', sessionId] as const]),
        ['Size', `${short(bytes)}B${lastAt === null ? '' : `, up to ${oneLine(lastAt)}`}`],
        ...statisticsRows(statistics),
        ...(context === null ? [] : [['Context', sayContext(context)] as const]),
        ...(compactions === 0 ? [] : [['Compactions', String(compactions)] as const]),
      ],
      columns,
    ),
})

async function currentTranscript(context: Context): Promise<{ id: string; path: string }> {
  const { id, environment } = (await requireLast(context)).session
  if (environment.transcriptPath === null) throw new ReasonError('transcript_none', { id })
  return { id, path: environment.transcriptPath }
}

function counted(transcript: string, sessionId: string | null): Counted {
  const { reading, bytes } = readWhole(transcript)
  const { statistics, context, compactions, lastAt } = reading
  return {
    ...{ transcript, sessionId, bytes, statistics, totalTokens: totalTokens(statistics.tokensConsumed) },
    ...{ context, compactions, lastAt },
  }
}

function readWhole(path: string): { reading: Reading; bytes: number } {
  try {
    const file = statSync(path)
    if (!file.isFile()) throw unreadable(path, 'it is no file')
    const found = readTranscript(path, null, null)
    if (found === null) throw unreadable(path, 'it was gone when it was read')
    return { reading: found.reading, bytes: file.size }
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    throw unreadable(path, describe(error), error)
  }
}

const unreadable = (path: string, problem: string, cause?: unknown) =>
  new ReasonError('file_unreadable', { path, problem }, { cause })
