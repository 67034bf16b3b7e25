import { BY_HAND } from '../../core/checkpoint.ts'
import { ReasonError } from '../../core/reason.ts'
import { formatCount } from '../../core/text.ts'
import type { Context } from '../../engine/context/context.ts'
import { actOnDocuments } from '../../engine/documents/act-on-documents.ts'
import { documentTimestamp } from '../../engine/documents/begin-document.ts'
import { changesSinceDelta } from '../../engine/documents/changes-since-delta.ts'
import { editDocument } from '../../engine/documents/edit-document.ts'
import { namedOrFocused, requireEnd, requireOpen } from '../../engine/documents/find-stream.ts'
import { agentFolderHere, planPosition } from '../../engine/surroundings/world.ts'
import { appendDelta } from '../../formats/checkpoint-md/edit.ts'
import { redactAll } from '../../policy/redact.ts'
import { choiceFact, flagFact, integerFact, textFact } from '../define/facts.ts'
import { defineVerb } from '../define/verb.ts'
import {
  DELTA_TRIGGERS,
  type DeltaInput,
  type DeltaTrigger,
  parseArtifact,
  parseDelta,
  parseTransition,
} from './read-delta.ts'
import { STREAM_OR_FOCUS } from './stream-field.ts'

interface DeltaFlags {
  what: string | undefined
  artifact: string[]
  transition: string[]
  trigger: DeltaTrigger | undefined
  stdin: boolean
}

async function inputOf(context: Context, given: DeltaFlags): Promise<DeltaInput> {
  const piped = given.stdin ? parseDelta(await context.readInput()) : { artifacts: null, transitions: [] }
  const what = given.what ?? piped.what
  if (what === undefined || what.trim() === '')
    throw new ReasonError('usage_invalid', { problem: 'a delta says what changed: --what "…"' })
  const artifacts = given.artifact.map(parseArtifact)
  return redactAll(
    {
      what,
      trigger: given.trigger ?? piped.trigger ?? 'manual',
      artifacts: artifacts.length > 0 ? [...(piped.artifacts ?? []), ...artifacts] : piped.artifacts,
      transitions: [...piped.transitions, ...given.transition.map(parseTransition)],
    },
    context.mark,
  )
}

export const delta = defineVerb({
  name: 'delta',
  summary: 'Append a summary of new work to a document',
  detail:
    'Use it at a natural break: after a phase, a decision or a change of direction, and before a session ends. Without --artifact it lists the files that changed in git since the last delta.',
  fields: {
    id: STREAM_OR_FOCUS,
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
  async perform(context, { id, ...given }) {
    const input = await inputOf(context, given)
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
      const { what, trigger, transitions } = input
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
