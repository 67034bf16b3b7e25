import { estimateTokens } from '../../core/tokens.ts'
import { renderLine } from '../../formats/brief-md/render.ts'
import { type ExplainedLine, explainLines } from '../../policy/brief/explain.ts'
import { CARRY } from '../../policy/carry.ts'
import type { Context } from '../context/context.ts'
import type { Survey } from '../documents/survey.ts'
import type { fitInput } from './brief-of.ts'
import { findItemOrigins, type NumberedCheckpoint } from './item-origins.ts'

/** So far back the origin of a line is looked for. Each checkpoint on the way is read whole. */
const MOST_STEPS = 1_000

// `as`: these are the table's own keys.
const FIELDS = (Object.keys(CARRY) as Array<keyof typeof CARRY>).filter((field) => field !== 'position')

/** Where each line of a brief comes from, what it costs, and what changes it. */
export async function explainBrief(
  { store }: Context,
  parts: ReturnType<typeof fitInput>['parts'],
  start: NumberedCheckpoint & { why: string },
  { rows }: Survey,
): Promise<ExplainedLine[]> {
  const names = new Map(rows.map(({ stream }) => [stream.id, stream.name]))
  const found = await findItemOrigins(store, start, {
    ...{ work: parts.input.work, fields: FIELDS, most: MOST_STEPS },
  })
  const origins = new Map(
    [...found].map(([key, origin]) => [
      key,
      { ...origin, stream: names.get(origin.stream) ?? origin.stream },
    ]),
  )
  const cost = (line: Parameters<typeof renderLine>[0]) => estimateTokens(`${renderLine(line)}\n`)
  return explainLines({ ...parts, origins, isNamed: start.why === 'named', cost })
}
