import { useState } from 'preact/hooks'
import type { CorrectableItem } from '../../src/apps/dashboard/api.ts'
import { useVerb } from '../app/verbs.ts'
import { Button } from '../parts/button.tsx'
import { Chip } from '../parts/chip.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'

interface CorrectionTarget {
  item: CorrectableItem
  /** The name of the work. */
  work: string
  workspace: string
}

const FORMS = {
  reject: {
    ...{ title: 'Reject', confirm: 'Reject', about: 'Briefs tell it as rejected, with your reason.' },
    fields: [{ name: 'why', label: 'Why not', isRequired: true }],
  },
  reword: { title: 'Reword', confirm: 'Reword', about: 'The history keeps the old words.', fields: [] },
} as const

/** Confirm, reject or reword one claim, where it stands. */
export function CorrectionButtons({ item, work, workspace }: CorrectionTarget) {
  const [asking, setAsking] = useState<keyof typeof FORMS | null>(null)
  const { isBusy, perform } = useVerb()
  const input = { text: item.text, field: item.field, stream: work }
  const form = asking && FORMS[asking]
  return (
    <span class="corrections">
      {!item.confirmed && (
        <Button
          icon="check"
          kind="ghost"
          label={`Confirm: ${item.text}`}
          isBusy={isBusy}
          onClick={() => void perform({ verb: 'confirm', workspace, input })}
        />
      )}
      <Button icon="edit" kind="ghost" label={`Reword: ${item.text}`} onClick={() => setAsking('reword')} />
      <Button icon="cross" kind="ghost" label={`Reject: ${item.text}`} onClick={() => setAsking('reject')} />
      {asking && form && (
        <FormDialog
          title={`${form.title} this ${item.field}`}
          about={asking === 'reject' ? `“${item.text}” ${form.about}` : form.about}
          confirm={form.confirm}
          fields={
            asking === 'reword'
              ? [{ name: 'to', label: 'New words', value: item.text, isLong: true, isRequired: true }]
              : form.fields
          }
          request={{ verb: asking, workspace, input }}
          onClose={() => setAsking(null)}
        />
      )}
    </span>
  )
}

const FIELDS = {
  decision: 'Decisions',
  rule: 'Rules',
  constraint: 'Constraints',
  question: 'Open questions',
  fact: 'Facts',
  next: 'Next',
  blocker: 'Blockers',
} as const

interface CorrectionsProps {
  items: readonly CorrectableItem[]
  work: string
  workspace: string
}

/** All that the work claims, by kind. */
export function Corrections({ items, work, workspace }: CorrectionsProps) {
  if (items.length === 0)
    return (
      <p class="quiet">Nothing is claimed at this point: decisions, rules and facts would be listed here.</p>
    )
  return (
    <div class="claims">
      {Object.entries(FIELDS).map(([field, title]) => {
        const group = items.filter((item) => item.field === field)
        return (
          group.length > 0 && (
            <section key={field}>
              <h2 class="section-title">{title}</h2>
              <ul class="card is-flush rows">
                {group.map((item) => (
                  <li key={item.text} class="claim">
                    <div class="claim-words">
                      <p>{item.text}</p>
                      {item.why && <p class="small quiet">because {item.why}</p>}
                    </div>
                    {!item.confirmed && <Chip tone="warn">unconfirmed</Chip>}
                    {item.origin && <span class="small quiet">{item.origin}</span>}
                    <CorrectionButtons item={item} work={work} workspace={workspace} />
                  </li>
                ))}
              </ul>
            </section>
          )
        )
      })}
    </div>
  )
}
