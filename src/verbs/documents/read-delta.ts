import type { Transition, TriggerKind } from '../../core/checkpoint.ts'
import { describeError, usageError } from '../../core/reason.ts'
import { quoteShort } from '../../core/text.ts'
import type { Artifact } from '../../core/work.ts'

/** What may be a reason for a delta; `manual` is none in particular. */
export const DELTA_TRIGGERS = [
  'phase',
  'decision',
  'shift',
  'session-end',
  'pressure',
  'risk',
  'manual',
] as const satisfies readonly TriggerKind[]
export type DeltaTrigger = (typeof DELTA_TRIGGERS)[number]

export interface DeltaInput {
  what: string
  trigger: DeltaTrigger
  /** Null where git is to be asked. */
  artifacts: Artifact[] | null
  transitions: Transition[]
}

const ACTIONS = ['created', 'modified', 'deleted']

/** `src/login.ts:created:The form`; the path may have colons itself. */
export function parseArtifact(text: string): Artifact {
  const found = /^(.+?):(created|modified|deleted)(?::(.*))?$/s.exec(text)
  if (!found?.[1])
    throw usageError(
      `invalid --artifact ${quoteShort(text)}: use path:action:description with created, modified or deleted`,
    )
  return { path: found[1], action: found[2] ?? '', description: (found[3] ?? '').trim() }
}

/** `Phase 1:open:done`. */
export function parseTransition(text: string): Transition {
  const parts = text.split(':').map((part) => part.trim())
  const [item = '', before = '', after = ''] = parts
  if (parts.length !== 3 || item === '')
    throw usageError(
      `invalid --transition ${quoteShort(text)}: use item:before:after, or --stdin with JSON if a part has colons`,
    )
  return { item, before, after }
}

/** A delta as JSON: each key may be missing, and what is needed is asked for by whoever reads it. */
export function parseDelta(
  text: string,
): Partial<Pick<DeltaInput, 'what' | 'trigger'>> & Pick<DeltaInput, 'artifacts' | 'transitions'> {
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw usageError('stdin must be a JSON object with "what", "trigger", "artifacts" and "transitions"')
  const { what, trigger, artifacts, transitions, ...others } = value as Record<string, unknown>
  const [unknown] = Object.keys(others)
  if (unknown !== undefined)
    throw usageError(
      `stdin has an unknown key ${quoteShort(unknown)}; known: what, trigger, artifacts, transitions`,
    )
  if (what !== undefined && typeof what !== 'string') throw usageError('"what" must be a text')
  return {
    ...(what === undefined ? {} : { what }),
    ...(trigger === undefined ? {} : { trigger: triggerOf(trigger) }),
    artifacts: artifacts === undefined ? null : listOf(artifacts, 'artifacts', artifactOf),
    transitions: transitions === undefined ? [] : listOf(transitions, 'transitions', transitionOf),
  }
}

function triggerOf(value: unknown): DeltaTrigger {
  const found = DELTA_TRIGGERS.find((trigger) => trigger === value)
  if (found === undefined) throw usageError(`"trigger" takes ${DELTA_TRIGGERS.join(', ')}`)
  return found
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw usageError(`stdin is not JSON: ${describeError(error)}`)
  }
}

function listOf<T>(value: unknown, name: string, read: (item: Record<string, unknown>) => T): T[] {
  if (!Array.isArray(value)) throw usageError(`"${name}" must be a list`)
  return value.map((item) => {
    if (typeof item !== 'object' || item === null) throw usageError(`"${name}" must be a list of objects`)
    return read(item as Record<string, unknown>)
  })
}

const textOf = (item: Record<string, unknown>, key: string, fallback?: string): string => {
  const value = item[key] ?? fallback
  if (typeof value !== 'string') throw usageError(`"${key}" must be a text`)
  return value
}

function artifactOf(item: Record<string, unknown>): Artifact {
  const action = textOf(item, 'action')
  if (!ACTIONS.includes(action))
    throw usageError(`"action" takes ${ACTIONS.join(', ')}, not ${quoteShort(action)}`)
  return { path: textOf(item, 'path'), action, description: textOf(item, 'description', '') }
}

const transitionOf = (item: Record<string, unknown>): Transition => ({
  item: textOf(item, 'item'),
  before: textOf(item, 'before', ''),
  after: textOf(item, 'after'),
})
