import * as z from 'zod/mini'
import { COMMAND_KINDS, COMMAND_RESULTS, PRESSURES, PROGRESS, TRIGGERS } from '../../core/checkpoint.ts'
import { STEP_STATES } from '../../core/plan.ts'
import { FORMAT_VERSION, SNAPSHOT_SOURCES, type WrittenSnapshot } from './document.ts'
import { SNAPSHOT_ID } from './layout.ts'

const text = (limit: number) => z.string().check(z.maxLength(limit))
const count = z.int().check(z.minimum(0))
/** RFC 3339 in UTC, as the contract wants it; a day that does not exist has no age and no place in an order. */
const utc = z.string().check(
  z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|\+00:00)$/),
  z.refine((text) => !Number.isNaN(Date.parse(text)), 'Invalid time'),
)

/**
 * Exactly the contract's fields: an unknown field or value is as invalid as a missing one. Of what we write more than
 * the contract asks for, nothing is required.
 */
export const snapshotSchema: z.ZodMiniType<WrittenSnapshot> = z.strictObject({
  snapshot_id: z.string().check(z.regex(SNAPSHOT_ID), z.maxLength(128)),
  created_at: utc,
  run_id: text(128),
  source: z.enum(SNAPSHOT_SOURCES),
  source_details: z.exactOptional(
    z
      .array(
        z.union([
          z.enum(SNAPSHOT_SOURCES),
          z.strictObject({
            source: z.enum(SNAPSHOT_SOURCES),
            trigger: z.enum(TRIGGERS),
            at: utc,
            note: z.exactOptional(text(400)),
          }),
        ]),
      )
      .check(z.minLength(1), z.maxLength(200)),
  ),
  status: z.enum(PROGRESS),
  step_state: z.strictObject({
    plan_path: text(4_096),
    step_id: text(128),
    step_ordinal: count,
    step_status: z.enum(STEP_STATES),
    todo_compliance: z.strictObject({
      result: z.enum(COMMAND_RESULTS),
      violations: z.array(text(500)).check(z.maxLength(100)),
      checked_at: utc,
    }),
    resume_hints: z.strictObject({
      eligible: z.boolean(),
      reason_code: text(128),
      next_actions: z.array(text(500)).check(z.maxLength(100)),
    }),
  }),
  context_digest: z.strictObject({
    window_pressure: z.enum(PRESSURES),
    protected_artifacts: z.array(text(4_096)).check(z.maxLength(200)),
    dropped_items: count,
    policy_profile: text(128),
  }),
  command_outcomes: z
    .array(
      z.strictObject({
        kind: z.enum(COMMAND_KINDS),
        name: text(400),
        result: z.enum(COMMAND_RESULTS),
        duration_ms: z.number().check(z.minimum(0)),
        reason_code: z.exactOptional(text(128)),
        summary: text(1_000),
      }),
    )
    .check(z.maxLength(200)),
  integrity: z.strictObject({
    checksum: z.string().check(z.regex(/^(?:sha256:)?[0-9a-f]{64}$/)),
    format_version: z.literal(FORMAT_VERSION),
  }),
})
