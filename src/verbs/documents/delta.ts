import { BY_HAND, type Transition } from '../../core/checkpoint.ts'
import { describeError, usageError } from '../../core/reason.ts'
import { formatCount, quoteShort } from '../../core/text.ts'
import type { Artifact } from '../../core/work.ts'
import { actOnDocuments } from '../../engine/documents/act-on-documents.ts'
import { documentTimestamp } from '../../engine/documents/begin-document.ts'
import { changesSinceDelta } from '../../engine/documents/changes-since-delta.ts'
import { editDocument } from '../../engine/documents/edit-document.ts'
import { namedOrFocused, requireEnd, requireOpen } from '../../engine/documents/find-stream.ts'
import { agentFolderHere, planPosition } from '../../engine/surroundings/world.ts'
import { appendDelta } from '../../formats/checkpoint-md/edit.ts'
import { ARTIFACT_STATES } from '../../formats/checkpoint-md/vocabulary.ts'
import { redactAll } from '../../policy/redact.ts'
import { choiceFact, flagFact, integerFact, textFact } from '../define/facts.ts'
import { defineVerb } from '../define/verb.ts'
import { MAYBE_STREAM } from './stream-field.ts'

/** What may be a reason for a delta; `manual` is none in particular. */
const DELTA_TRIGGERS = ['phase', 'decision', 'shift', 'session-end', 'pressure', 'risk', 'manual'] as const

/** `src/login.ts:created:The form`; the path may have colons itself. */
function parseArtifact(text: string): Artifact {
  const found = /^(.+?):(created|modified|deleted)(?::(.*))?$/s.exec(text)
  if (!found?.[1])
    throw usageError(
      `invalid --artifact ${quoteShort(text)}: use path:action:description with created, modified or deleted`,
    )
  return { path: found[1], action: found[2] ?? '', description: (found[3] ?? '').trim() }
}

/** `Phase 1:open:done`. */
function parseTransition(text: string): Transition {
  const parts = text.split(':').map((part) => part.trim())
  const [item = '', before = '', after = ''] = parts
  if (parts.length !== 3 || item === '')
    throw usageError(
      `invalid --transition ${quoteShort(text)}: use item:before:after, or --stdin with JSON if a part has colons`,
    )
  return { item, before, after }
}

/**
 * A delta as JSON: each key may be missing, and what is needed is asked for by whoever reads it. Without artifacts git is
 * asked for them.
 */
function parseDelta(text: string) {
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
    what,
    trigger: trigger === undefined ? undefined : triggerOf(trigger),
    artifacts: artifacts === undefined ? null : listOf(artifacts, 'artifacts', artifactOf),
    transitions: transitions === undefined ? [] : listOf(transitions, 'transitions', transitionOf),
  }
}

function triggerOf(value: unknown): (typeof DELTA_TRIGGERS)[number] {
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
  if (!ARTIFACT_STATES.some((state) => state === action))
    throw usageError(`"action" takes ${ARTIFACT_STATES.join(', ')}, not ${quoteShort(action)}`)
  return { path: textOf(item, 'path'), action, description: textOf(item, 'description', '') }
}

const transitionOf = (item: Record<string, unknown>): Transition => ({
  item: textOf(item, 'item'),
  before: textOf(item, 'before', ''),
  after: textOf(item, 'after'),
})

export const delta = defineVerb({
  name: 'delta',
  summary: 'Append a summary of new work to a document',
  detail:
    'Use it at a natural break: after a phase, a decision or a change of direction, and before a session ends. Without --artifact it lists the files that changed in git since the last delta.',
  fields: {
    id: { ...MAYBE_STREAM, about: `${MAYBE_STREAM.about} (default: the work in focus)` },
    what: { kind: 'text', value: 'TEXT', needed: true, about: 'what was done, in one sentence (required)' },
    artifact: {
      kind: 'words',
      value: 'PATH:ACTION:TEXT',
      path: (value: string) => parseArtifact(value).path,
      about: 'a file: "path:action:text", action created, modified or deleted (default: from git)',
    },
    transition: { kind: 'words', value: 'ITEM:BEFORE:AFTER', about: 'a state change: "item:before:after"' },
    trigger: { kind: 'choice', choices: DELTA_TRIGGERS, value: 'WHY', about: 'why now, default manual' },
    stdin: {
      kind: 'flag',
      typed: true,
      about: 'read JSON from stdin: {"what", "trigger", "artifacts", "transitions"}; only "what" is required',
    },
  },
  examples: [
    'savepoint delta --what "Refresh tokens rotate now"',
    'savepoint delta auth-system --what "Login works" --artifact src/login.ts:created:"The form" --transition "Phase 1:open:done"',
    'savepoint delta --what "Half of the migration is through" --trigger session-end',
    `echo '{"what": "Login works", "artifacts": []}' | savepoint delta auth-system --stdin`,
  ],
  access: 'write',
  takesIn: 'events',
  async perform(context, { id, artifact, transition, stdin, ...given }) {
    const piped = parseDelta(stdin ? await context.readInput() : '{}')
    const said = given.what ?? piped.what
    if (said === undefined || said.trim() === '') throw usageError('a delta says what changed: --what "…"')
    const named = artifact.map(parseArtifact)
    const input = redactAll(
      {
        what: said,
        artifacts: named.length > 0 ? [...(piped.artifacts ?? []), ...named] : piped.artifacts,
        transitions: [...piped.transitions, ...transition.map(parseTransition)],
      },
      context.mark,
    )
    const trigger = given.trigger ?? piped.trigger ?? 'manual'
    return actOnDocuments(context, async (survey) => {
      const open = await requireOpen(context, survey, namedOrFocused(survey, id))
      const { row, view, text } = open
      requireEnd(open)
      const at = documentTimestamp(context)
      const changes =
        input.artifacts === null
          ? await changesSinceDelta(context, survey, row)
          : { rows: input.artifacts, total: input.artifacts.length, isTold: false }
      const { rows: artifacts, total, isTold } = changes
      const { what, transitions } = input
      const longer = appendDelta(text, { at, what, artifacts, transitions, isSure: isTold })
      const { checkpoint, sequence, commit } = await editDocument(context, survey, open, longer, {
        ...{ kind: trigger, note: BY_HAND.delta },
        change: { summary: what, artifacts, transitions, commands: [] },
        position: planPosition(await agentFolderHere(context, survey)),
      })
      return {
        commit,
        answer: {
          ...{ id: row.stream.name, path: view.path, checkpoint, sequence, at, trigger },
          ...{ artifacts: total, transitions: transitions.length, fromGit: isTold },
        },
      }
    })
  },
  say: ({ id, path, sequence, artifacts, fromGit }, { paint }) =>
    [
      `${paint('good', `Added a delta to ${id} #${sequence}`)}: ${artifacts === 0 ? 'no files' : formatCount(artifacts, 'file')}${fromGit ? ' changed' : ''}`,
      `  File: ${path}`,
    ].join('\n'),
  tool: {
    title: 'Append a delta',
    when: 'Call it for work with a checkpoint document, after a phase, a decision or a change of direction. For decisions and next actions call save, which updates the document too.',
    effect: 'adds',
    facts: {
      id: textFact(),
      path: textFact(),
      checkpoint: textFact(),
      sequence: integerFact(),
      artifacts: integerFact(),
      transitions: integerFact(),
      fromGit: flagFact(),
      files: choiceFact(['published', 'pending']),
    },
    factsOf: ({ id, path, checkpoint, sequence, artifacts, transitions, fromGit, files }) => ({
      ...{ id, path, checkpoint, sequence, artifacts, transitions, fromGit, files },
    }),
  },
})
