import { clipText, sha256, wellFormed } from '../../core/canonical.ts'
import type {
  Checkpoint,
  CommandOutcome,
  Completion,
  ContextHealth,
  Progress,
  Transition,
  Trigger,
} from '../../core/checkpoint.ts'
import { noChange } from '../../core/checkpoint.ts'
import { adoptedId, runNameProblem } from '../../core/id.ts'
import { parseOrUndefined } from '../../core/json.ts'
import { ReasonError } from '../../core/reason.ts'
import { collapseSpaces } from '../../core/text.ts'
import { emptyWork, isDeleted, type Position, type WorkState } from '../../core/work.ts'
import { writeOutDocument } from '../../formats/checkpoint-md/extend.ts'
import { readDocument } from '../../formats/checkpoint-md/read.ts'
import { completionOf, workOf } from '../../formats/checkpoint-md/work.ts'
import { decodeHandoff, encodeHandoff } from '../../formats/handoff-md/codec.ts'
import { decodeLedger, encodeLedger } from '../../formats/ledger-md/codec.ts'
import { decodeNote, encodeNote, noteToWork } from '../../formats/note-json/codec.ts'
import { decodeSnapshot, encodeSnapshot, snapshotOf } from '../../formats/snapshot/codec.ts'
import { resumeHints } from '../../policy/run-lifecycle.ts'
import { ledgerStamp } from '../surroundings/read-work-file.ts'

export const WORK_FORMATS = ['document', 'note', 'ledger', 'handoff', 'snapshot', 'json'] as const
export type WorkFormatName = (typeof WORK_FORMATS)[number]

/** What a file says besides the work; empty and null where it does not. */
export interface FileFacts {
  at: string
  /** The work that it is about: the id of a document, the stream of a handoff, the run of a snapshot. */
  id: string
  purpose: string
  branch: string | null
  commit: string | null
  progress: Progress | null
  health: ContextHealth | null
  commands: CommandOutcome[]
  triggers: Trigger[]
  /** Of the deltas of a document. */
  transitions: Transition[]
  completion: Completion | null
}

export interface FileWork {
  work: WorkState
  facts: FileFacts
}

interface WorkFormat {
  encode(from: FileWork): string
  /** Throws `format_unknown` where the bytes are not of this format; a snapshot, the reasons of its contract. */
  decode(bytes: Buffer, path: string): FileWork
}

export const noFacts = (): FileFacts => ({
  ...{ at: '', id: '', purpose: '', branch: null, commit: null, progress: null, health: null },
  ...{ commands: [], triggers: [], transitions: [], completion: null },
})

const fileWorkOf = (work: Partial<WorkState>, facts: Partial<FileFacts>): FileWork => ({
  work: { ...emptyWork(), ...work },
  facts: { ...noFacts(), ...facts },
})

const refuse = (path: string, problem: string) => new ReasonError('format_unknown', { path, problem })

const nameFor = ({ id }: FileFacts) => (runNameProblem(id) === null ? id : 'main')

/** How each format says where work stands. What one has no place for, its own reading shows. */
export const FORMAT_OF: Readonly<Record<WorkFormatName, WorkFormat>> = {
  document: {
    encode: ({ work, facts }) => writeOutDocument(nameFor(facts), { at: facts.at, work }),
    decode(bytes, path) {
      const reading = readDocument(bytes, path)
      if (reading.state !== 'whole')
        throw refuse(path, reading.state === 'other' ? 'not a checkpoint document' : reading.problem)
      const field = (name: string) => reading.front.fields.get(name)?.value ?? ''
      return fileWorkOf(workOf(reading.document), {
        id: reading.id,
        at: field('last_delta') || field('created'),
        transitions: reading.document.deltas.flatMap(({ transitions }) => transitions),
        completion: completionOf(reading.document),
      })
    },
  },
  note: {
    encode: ({ work, facts: { at } }) =>
      encodeNote({
        ...{ work, at, plan: work.position.planName ?? null, stage: work.position.stage || null },
        tddPhase: work.position.tddPhase || null,
        files: work.artifacts.filter((one) => !isDeleted(one)).map(({ path }) => path),
      }),
    decode(bytes, path) {
      const read = decodeNote(bytes, path)
      if ('problem' in read) throw refuse(path, read.problem)
      const { active_plan: planName } = read.note.context
      const said = noteToWork(read.note)
      const position: Position = { ...(said.position ?? emptyWork().position) }
      if (planName !== null) position.planName = planName
      return fileWorkOf({ ...said, position }, { at: read.note.timestamp })
    },
  },
  ledger: {
    encode: ({ work, facts: { at } }) => encodeLedger(work, { at }),
    decode(bytes) {
      const text = bytes.toString('utf8')
      return fileWorkOf(decodeLedger(text), { at: ledgerStamp(text).trim() })
    },
  },
  handoff: {
    encode: ({ work, facts }) =>
      encodeHandoff({
        ...{ work, at: facts.at, branch: facts.branch, commit: facts.commit, from: '' },
        purpose: facts.purpose || work.intent || work.now,
        stream: facts.id || null,
      }),
    decode(bytes, path) {
      const handoff = decodeHandoff(bytes.toString('utf8'))
      if ('problem' in handoff) throw refuse(path, handoff.problem)
      const { work, created: at, branch, commit, stream } = handoff
      // Without a purpose of its own, a handoff is for its goal.
      const purpose = handoff.purpose === collapseSpaces(work.intent ?? '') ? '' : handoff.purpose
      return fileWorkOf(work, { at, purpose, branch, commit, id: stream ?? '' })
    },
  },
  snapshot: {
    encode: (from) => {
      const checkpoint = checkpointOf(from)
      const hints = resumeHints(checkpoint.work.position, checkpoint.progress)
      const said = from.work.next.map(({ text }) => clipText(text, 500)).slice(0, 100)
      const resume = { ...hints, next_actions: said.length > 0 ? said : hints.next_actions }
      return encodeSnapshot(snapshotOf(checkpoint, nameFor(from.facts), resume)).toString('utf8')
    },
    decode(bytes, path) {
      const document = decodeSnapshot(bytes, path)
      const { plan_path, step_id: id, step_ordinal: ordinal, step_status: state } = document.step_state
      const { todo_compliance, resume_hints } = document.step_state
      const digest = document.context_digest
      const steps = id === '' ? [] : [{ id, ordinal, title: '', state, planned: true }]
      const { violations } = todo_compliance
      const isPlan = plan_path !== '' || steps.length + violations.length > 0
      const plan = isPlan ? { path: plan_path, steps, violations } : null
      return fileWorkOf(
        {
          next: resume_hints.next_actions.map((text) => ({ text })),
          position: { ...emptyWork().position, plan, step: id === '' ? null : id },
        },
        {
          ...{ at: document.created_at, id: document.run_id, progress: document.status },
          commands: document.command_outcomes,
          triggers: document.source_details.map(({ trigger, at, note = '' }) => ({
            // `as`: the schema has checked the word.
            ...{ kind: trigger as Trigger['kind'], at, note },
          })),
          health: {
            ...{ pressure: digest.window_pressure, protected: digest.protected_artifacts },
            ...{ dropped: digest.dropped_items, profile: digest.policy_profile },
          },
        },
      )
    },
  },
  json: {
    encode: ({ work, facts }) => `${JSON.stringify({ ...facts, work }, null, 2)}\n`,
    decode(bytes, path) {
      // `as`: only what `encode` gave is read here, to see that all of it is there.
      const { work, ...facts } = (parseOrUndefined(bytes.toString('utf8')) ?? {}) as FileFacts & FileWork
      if (work === undefined) throw refuse(path, 'it contains no work')
      return fileWorkOf(work, facts)
    },
  },
}

/** The checkpoint that a snapshot shows. A text longer than the contract allows is cut, and so not equal. */
function checkpointOf({ work, facts }: FileWork): Checkpoint {
  const { at, progress, health, commands, triggers } = facts
  const { plan, step } = work.position
  const bounded = plan && {
    ...{ path: clipText(plan.path, 4_096), violations: plan.violations.slice(0, 100) },
    steps: plan.steps.map((one) => ({ ...one, id: clipText(one.id, 128) })),
  }
  return {
    id: adoptedId(Date.parse(at), sha256(wellFormed(JSON.stringify(work)))),
    ...{ stream: '', parent: null, at, progress: progress ?? 'in_progress' },
    triggers: triggers.length > 0 ? triggers : [{ kind: 'manual', at, note: '' }],
    work: { ...work, position: { ...work.position, plan: bounded, step: step && clipText(step, 128) } },
    change: { ...noChange(), commands },
    health: health ?? { pressure: 'low', protected: [], dropped: 0, profile: 'default' },
  }
}
