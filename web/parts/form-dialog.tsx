import { useState } from 'preact/hooks'
import { useVerb, type VerbRequest } from '../app/verbs.ts'
import { Dialog } from './dialog.tsx'
import { RefusalNote } from './page.tsx'

export interface FormField {
  name: string
  label: string
  hint?: string
  /** Several lines become several values: `next`, `decision`. */
  isList?: boolean
  isLong?: boolean
  isRequired?: boolean
  isNumber?: boolean
  value?: string
}

interface FormDialogProps {
  title: string
  /** What will happen, in a sentence. */
  about?: string
  fields: readonly FormField[]
  confirm: string
  request: VerbRequest
  onClose: () => void
  onDone?: (input: Record<string, unknown>) => void
}

/** Asks for the fields of a verb and performs it. It stays open where the verb is refused: nothing typed is lost. */
export function FormDialog(given: FormDialogProps) {
  // As it was opened: what an agent does meanwhile puts other work behind it, and the words are not meant for that.
  const [{ title, about, fields, confirm, request }] = useState(given)
  const { onClose, onDone } = given
  const [values, setValues] = useState<Record<string, string>>(() =>
    Object.fromEntries(fields.map(({ name, value = '' }) => [name, value])),
  )
  const { isBusy, refusal, perform } = useVerb({ showsRefusal: true })
  const isReady = fields.every(({ name, isRequired }) => !isRequired || values[name]?.trim() !== '')
  const submit = async (event: Event) => {
    event.preventDefault()
    if (!isReady || isBusy) return
    const input = { ...request.input, ...inputOf(fields, values) }
    if ((await perform({ ...request, input })) === null) return
    onClose()
    onDone?.(input)
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="form" onSubmit={(event) => void submit(event)}>
        {about && <p class="second">{about}</p>}
        {fields.map((field, index) => (
          <Field
            key={field.name}
            field={field}
            isFirst={index === 0}
            value={values[field.name] ?? ''}
            onInput={(value) => setValues((old) => ({ ...old, [field.name]: value }))}
          />
        ))}
        {refusal && <RefusalNote refusal={refusal} />}
        <div class="form-foot">
          <button type="button" class="button is-plain" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button is-primary" disabled={!isReady || isBusy} aria-busy={isBusy}>
            {confirm}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** What was left empty is not said: an empty text would take out what is known. */
function inputOf(fields: readonly FormField[], values: Record<string, string>): Record<string, unknown> {
  const input: Record<string, unknown> = {}
  for (const { name, isList, isNumber } of fields) {
    const text = values[name]?.trim() ?? ''
    const lines = text.split('\n').map((line) => line.trim())
    if (text !== '')
      input[name] = isNumber ? Number(text) : isList ? lines.filter((line) => line !== '') : text
  }
  return input
}

interface FieldProps {
  field: FormField
  isFirst: boolean
  value: string
  onInput: (value: string) => void
}

function Field({
  field: { name, label, hint, isList, isLong, isRequired, isNumber },
  isFirst,
  value,
  onInput,
}: FieldProps) {
  const id = `field-${name}`
  const shared = {
    ...{ id, name, value, required: isRequired, autofocus: isFirst, class: 'input' },
    'aria-describedby': hint ? `${id}-hint` : undefined,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => onInput(currentTarget.value),
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {isList || isLong ? (
        <textarea rows={isLong ? 3 : 2} {...shared} />
      ) : (
        <input type="text" inputMode={isNumber ? 'numeric' : 'text'} autocomplete="off" {...shared} />
      )}
      {hint && (
        <p class="small quiet" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}
