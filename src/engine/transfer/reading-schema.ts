import * as z from 'zod/mini'
import { contextUseSchema, statisticsSchema } from '../../formats/export/schema.ts'
import type { Digest } from '../../policy/digest/state.ts'
import { READING } from '../surroundings/read-state.ts'

const text = z.string()
const texts = z.array(text)
const count = z.number()
const flag = z.boolean()
const said = { at: text, text }

/** What a transcript came to, from another machine: as `Digest` says, and nothing else is taken for one. */
const digest: z.ZodMiniType<Digest> = z.looseObject({
  requests: z.array(
    z.looseObject({
      ...{ ...said, how: z.enum(['prompt', 'queued', 'command', 'refusal', 'answer']), about: text },
      ...{ answeredQuestion: text, outcome: texts, effect: z.enum(['nothing', 'calls', 'changes']) },
      isUnsure: z.exactOptional(z.literal(true)),
    }),
  ),
  droppedRequests: count,
  queue: z.array(z.looseObject({ ...said, answeredQuestion: text, isSent: flag })),
  turn: z.array(z.looseObject({ ...said, isFollowedByCall: flag })),
  previousAnswer: text,
  openQuestions: z.nullable(
    z.looseObject({ at: text, questions: z.array(z.looseObject({ question: text, options: texts })) }),
  ),
  command: z.nullable(
    z.looseObject({
      name: text,
      steps: z.array(z.looseObject({ text, commands: texts, reached: flag })),
      ...{ rules: texts, requestsSince: count },
    }),
  ),
  plan: z.nullable(
    z.looseObject({
      ...{ at: text, title: text, outline: texts, opening: text, path: text, timesShown: count },
      verdict: z.enum(['shown', 'approved', 'refused']),
    }),
  ),
  tasks: z.array(z.looseObject({ id: text, text, state: z.enum(['open', 'doing', 'done']) })),
  ...{ tasksAt: z.nullable(text), requestsSinceTasks: count },
  finishedTasks: z.array(z.looseObject(said)),
  checks: z.array(
    z.looseObject({
      ...{ family: text, kind: z.enum(['test', 'build', 'lint']), failed: flag, notPassedSince: texts },
      ...{ code: z.nullable(count), detail: text, ms: count, at: text },
    }),
  ),
  commits: z.array(z.looseObject({ at: text, hash: text, subject: text })),
  links: texts,
  files: z.array(z.looseObject({ path: text, action: z.enum(['created', 'modified']) })),
  calls: z.array(
    z.looseObject({
      ...{ id: text, handle: text, at: text, name: text, isInBackground: flag, stoppedBy: text },
      does: z.exactOptional(z.enum(['edit', 'write', 'help', 'look', 'stop', 'dismiss', 'speak', 'ours'])),
      kind: z.enum(['subagent', 'background', 'call']),
      ...{ what: text, prompt: text, path: text, command: text },
    }),
  ),
  lastCall: z.nullable(
    z.looseObject({
      ...{ at: text, name: text, what: text, detail: text },
      outcome: z.enum(['none', 'succeeded', 'failed', 'refused']),
    }),
  ),
  summary: z.nullable(
    z.looseObject({
      ...{ at: text, requestsBefore: count, requestsSince: count },
      ...{ intent: text, userSaid: text, pending: text, currentWork: text },
    }),
  ),
  counts: z.looseObject({ requests: count, calls: count, edits: count }),
  lastEvent: z.enum(['nothing', 'request', 'text', 'call', 'interrupt', 'halt']),
  ...{ haltWords: text, lastAt: z.nullable(text) },
})

/** A kept reading, whole. What an older version read is of another shape, and is read anew from its transcript. */
export const readingSchema = z.looseObject({
  shape: z.literal(READING),
  reading: z.nullable(
    z.looseObject({
      ...{ statistics: statisticsSchema, context: contextUseSchema },
      ...{ compactions: count, lastAt: z.nullable(text) },
    }),
  ),
  digest,
})
