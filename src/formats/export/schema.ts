import * as z from 'zod/mini'
import {
  type Checkpoint,
  COMMAND_KINDS,
  COMMAND_RESULTS,
  PRESSURES,
  PROGRESS,
  TRIGGERS,
  type Trigger,
} from '../../core/checkpoint.ts'
import { nameProblem, runNameProblem } from '../../core/id.ts'
import { STEP_STATES } from '../../core/plan.ts'
import { END_REASONS, PHASES, SESSION_ID, SESSION_SOURCES, type Session } from '../../core/session.ts'
import { OVERHEARD, type WorkState } from '../../core/work.ts'

// Objects are loose: what a later program adds to one is kept, and told by who understands it.

const text = z.string()
const texts = z.array(text)
const count = z.int().check(z.minimum(0))
const sequence = z.int().check(z.minimum(1), z.maximum(10_000_000))
const hash = text.check(z.regex(/^[0-9a-f]{64}$/))
const name = text.check(z.refine((value) => nameProblem(value) === null))
const time = text.check(
  z.maxLength(40),
  z.refine((value) => Number.isFinite(Date.parse(value))),
)
const maybe = <T extends z.ZodMiniType>(schema: T) => z.nullable(schema)

const ORIGINS = ['user', 'agent', 'inferred', 'file', 'tool'] as const
const claim = { text, origin: z.enum(ORIGINS), confirmed: z.boolean() }
const claims = z.array(z.looseObject(claim))
const items = z.array(z.looseObject({ text }))
const artifacts = z.array(
  z.looseObject({ path: text, action: text, description: text, seen: z.exactOptional(text) }),
)

const plan = z.looseObject({
  path: text,
  steps: z.array(
    z.looseObject({
      ...{ id: text, ordinal: z.number(), title: text, state: z.enum(STEP_STATES), planned: z.boolean() },
    }),
  ),
  violations: texts,
})

const work: z.ZodMiniType<WorkState> = z.looseObject({
  ...{ problem: text, intent: text, state: text, now: text },
  decisions: z.array(z.looseObject({ ...claim, why: text, supersededBy: maybe(text) })),
  ...{ constraints: claims, rules: claims, facts: claims, questions: claims },
  done: z.array(z.looseObject({ text, at: maybe(text) })),
  ...{ next: items, blockers: items, artifacts },
  references: z.array(z.looseObject({ kind: text, text })),
  position: z.looseObject({
    plan: maybe(plan),
    planName: z.exactOptional(text),
    step: maybe(text),
    fault: maybe(z.looseObject({ reasonCode: text, recoverable: z.boolean(), message: text })),
    ...{ stage: text, tddPhase: text, anchor: text },
  }),
  overheard: z.exactOptional(z.array(z.enum(OVERHEARD))),
})

const stands = z.exactOptional(maybe(name))
const trigger: z.ZodMiniType<Trigger> = z.looseObject({ kind: z.enum(TRIGGERS), at: time, note: text })

const checkpoint: z.ZodMiniType<Checkpoint> = z.looseObject({
  ...{ id: name, stream: name, parent: maybe(name), session: z.exactOptional(text), at: time },
  ...{ triggers: z.array(trigger), progress: z.enum(PROGRESS), work },
  change: z.looseObject({
    ...{ summary: text, artifacts },
    transitions: z.array(z.looseObject({ item: text, before: text, after: text })),
    commands: z.array(
      z.looseObject({
        ...{ kind: z.enum(COMMAND_KINDS), name: text, result: z.enum(COMMAND_RESULTS) },
        ...{ duration_ms: z.number(), reason_code: z.exactOptional(text), summary: text },
      }),
    ),
  }),
  health: z.looseObject({
    ...{ pressure: z.enum(PRESSURES), protected: texts, dropped: count, profile: text },
  }),
  document: z.exactOptional(
    z.looseObject({ hash, created: text, parent: maybe(text), behind: z.exactOptional(z.literal(true)) }),
  ),
  completion: z.exactOptional(
    z.looseObject({ outcome: text, date: text, learnings: texts, merged: z.exactOptional(z.literal(true)) }),
  ),
  provenance: z.exactOptional(
    z.looseObject({ branch: maybe(text), commit: maybe(text), author: maybe(text) }),
  ),
  absent: z.exactOptional(texts),
  stands,
})

const inFlight = z.array(
  z.looseObject({ id: text, kind: z.enum(['subagent', 'task', 'background']), what: text, since: text }),
)
const said = maybe(z.looseObject({ at: text, text }))
const counts = z.record(text, z.number())

/** Also what a reading of a transcript has of it. */
export const statisticsSchema = z.looseObject({
  tokensConsumed: z.looseObject({
    ...{ input: z.number(), output: z.number(), cacheRead: z.number(), cacheCreation: z.number() },
  }),
  ...{ apiCalls: z.number(), filesModified: texts, tasksCompleted: z.number(), tasksFailed: z.number() },
  ...{ gitCommits: z.number(), toolUsageCounts: counts, subagentsLaunched: z.number(), unknownLines: counts },
})

export const contextUseSchema = maybe(
  z.looseObject({ tokens: z.number(), window: maybe(z.number()), model: text, at: text }),
)

const session: z.ZodMiniType<Session> = z.looseObject({
  ...{ agent: name, id: text.check(z.regex(SESSION_ID)), repository: name, workspace: name },
  ...{ source: z.enum(SESSION_SOURCES), phase: z.enum(PHASES), startedAt: time, lastActivityAt: time },
  ...{ endedAt: maybe(time), endReason: maybe(z.enum(END_REASONS)) },
  environment: z.looseObject({
    ...{ workingDirectory: text, gitBranch: maybe(text), gitCommitHash: maybe(text) },
    ...{ permissionMode: maybe(text), transcriptPath: maybe(text), model: maybe(text) },
  }),
  ...{ parent: maybe(text), stream: maybe(text) },
  outcomes: z.array(
    z.looseObject({
      outcomeId: maybe(z.union([z.number(), text])),
      ...{ outcomeName: text, path: maybe(text), lastTask: text, workSummary: text },
    }),
  ),
  accomplishments: texts,
  events: z.array(
    z.looseObject({ at: text, kind: text, note: text, ms: maybe(z.number()), tokens: z.number() }),
  ),
  ...{ inFlight, paused: maybe(z.looseObject({ reason: text, at: text })), compactions: count },
  nudged: texts,
  compaction: maybe(z.looseObject({ at: text, summary: maybe(text), looks: z.number() })),
  ...{ lastPrompt: said, lastSaid: said, unfinished: inFlight },
  told: maybe(z.looseObject({ at: text, stream: maybe(text), checkpoint: maybe(text) })),
  savedAt: maybe(text),
  stretch: z.exactOptional(
    z.looseObject({
      ...{ requests: z.number(), edits: z.number(), activeMs: z.number(), heardAt: text },
      isAsked: z.boolean(),
    }),
  ),
  ...{ checkpointedAt: maybe(text), handedOff: z.boolean(), archives: z.array(hash) },
  ...{ uncommittedFiles: maybe(z.number()), statistics: statisticsSchema, context: contextUseSchema },
  fill: z.exactOptional(z.array(z.looseObject({ atMs: z.number(), tokens: z.number() }))),
  ...{ journalRead: count, transcriptRead: z.number(), caughtUpAt: maybe(text) },
  readBy: z.exactOptional(z.number()),
})

const remote = text.check(z.maxLength(2_000), z.regex(/^[\x21-\x7e]+\/[\x21-\x7e]+$/))
const root = text.check(z.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/))

const gist: z.ZodMiniType<Record<string, unknown> & { document?: { stands?: string | null } }> =
  z.looseObject({
    ...{ step: maybe(text), stepsDone: count, steps: count },
    document: z.exactOptional(z.looseObject({ stands })),
  })

/** Every kind of record, strict about its own keys: a later program that adds one says so by the version. */
export const RECORDS = {
  repository: z.strictObject({
    kind: z.literal('repository'),
    ...{ id: name, name: text.check(z.maxLength(255)), remote: maybe(remote) },
    roots: z.array(root).check(z.maxLength(100)),
  }),
  stream: z
    .strictObject({
      kind: z.literal('stream'),
      id: name,
      repository: name,
      of: z.enum(['run', 'work']),
      name,
    })
    .check(z.refine((stream) => stream.of !== 'run' || runNameProblem(stream.name) === null)),
  checkpoint: z.strictObject({
    ...{ kind: z.literal('checkpoint'), sequence, foreign: z.boolean(), pinned: z.boolean() },
    ...{ notes: z.array(trigger), checkpoint },
  }),
  removed: z.strictObject({
    ...{ kind: z.literal('removed'), sequence, foreign: z.boolean() },
    row: z.strictObject({
      ...{ id: name, stream: name, at: time, progress: z.enum(PROGRESS), removedAt: time },
      gist,
    }),
  }),
  version: z.strictObject({
    ...{ kind: z.literal('version'), stream: name, hash, checkpoint: name, current: z.boolean() },
    ...{ problem: maybe(text), text: z.exactOptional(text) },
  }),
  text: z.strictObject({ kind: z.literal('text'), hash, text }),
  session: z.strictObject({ kind: z.literal('session'), session, reading: z.unknown() }),
}
