import { useState } from 'preact/hooks'
import type { AllowedVerb } from '../../src/apps/dashboard/api.ts'
import { Button } from '../parts/button.tsx'
import { FormDialog, type FormField } from '../parts/form-dialog.tsx'
import type { IconName } from '../parts/icon.tsx'
import { useVerb } from './verbs.ts'

/** The work that a person acts on, and where. */
export interface ActionTarget {
  name: string
  workspace: string
}

interface WorkAction {
  verb: AllowedVerb
  label: string
  icon: IconName
  /** The field of the verb that names the work; null where it takes none. */
  names: string | null
  form: { about: string; confirm: string; fields: readonly FormField[] } | null
}

const SAID: readonly FormField[] = [
  { name: 'now', label: 'Now', hint: 'What is being worked on' },
  { name: 'next', label: 'Next', hint: 'One step per line; replaces what was next', isList: true },
  { name: 'decision', label: 'Decisions', hint: 'One per line: “A over B because …”', isList: true },
  { name: 'blocker', label: 'Blockers', hint: 'One per line; replaces what was in the way', isList: true },
]

export const ACTIONS = {
  focus: { verb: 'focus', label: 'Focus', icon: 'focus', names: 'id', form: null },
  save: {
    ...{ verb: 'save', label: 'Save', icon: 'save', names: 'stream' },
    form: {
      about: 'Say only what is new: the rest is carried forward.',
      confirm: 'Save',
      fields: [
        { name: 'summary', label: 'Summary', hint: 'How things stand, in a sentence', isRequired: true },
        ...SAID,
      ],
    },
  },
  handoff: {
    ...{ verb: 'handoff', label: 'Hand off', icon: 'handoff', names: 'stream' },
    form: {
      about: 'Saves, and writes a document for whoever continues.',
      confirm: 'Hand off',
      fields: [
        { name: 'purpose', label: 'Purpose', hint: 'What it is handed off for', isRequired: true },
        ...SAID.slice(0, 2),
      ],
    },
  },
  fork: {
    ...{ verb: 'fork', label: 'Fork', icon: 'fork', names: 'id' },
    form: {
      about: 'A new document that starts with everything in this one.',
      confirm: 'Fork',
      fields: [
        {
          name: 'name',
          label: 'Name of the new work',
          hint: 'Letters, digits, dots and dashes',
          isRequired: true,
        },
      ],
    },
  },
  archive: {
    ...{ verb: 'archive', label: 'Archive', icon: 'archive', names: 'id' },
    form: {
      about: 'Finishes this work. Its history stays, and it can be restored.',
      confirm: 'Archive',
      fields: [
        { name: 'outcome', label: 'Outcome', hint: 'What was achieved', isRequired: true },
        { name: 'learning', label: 'Learnings', hint: 'One per line', isList: true },
      ],
    },
  },
  restore: { verb: 'restore', label: 'Restore', icon: 'undo', names: 'id', form: null },
  undo: { verb: 'undo', label: 'Undo', icon: 'undo', names: null, form: null },
} as const satisfies Record<string, WorkAction>

interface ActionButtonProps {
  action: keyof typeof ACTIONS
  target: ActionTarget
  kind?: 'plain' | 'primary' | 'ghost'
}

/** A verb of the command line as a button: performed at once, or after a few questions. */
export function ActionButton({ action, target, kind = 'plain' }: ActionButtonProps) {
  const [isAsking, setAsking] = useState(false)
  const { isBusy, perform } = useVerb()
  const { verb, label, icon, names, form }: WorkAction = ACTIONS[action]
  const request = { verb, workspace: target.workspace, input: names === null ? {} : { [names]: target.name } }
  return (
    <>
      <Button
        icon={icon}
        kind={kind}
        isBusy={isBusy}
        onClick={() => (form ? setAsking(true) : void perform(request))}
      >
        {label}
      </Button>
      {isAsking && form && (
        <FormDialog
          title={names === null ? label : `${label} ${target.name}`}
          {...form}
          request={request}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}
