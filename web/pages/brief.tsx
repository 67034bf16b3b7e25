import { useEffect, useState } from 'preact/hooks'
import type { BriefAnswer } from '../../src/apps/dashboard/api.ts'
import { replaceQuery, usePlace } from '../app/router.ts'
import { useView } from '../app/views.ts'
import { Button } from '../parts/button.tsx'
import { copyText, Empty } from '../parts/empty.tsx'
import { Card, Loading, Page, RefusalNote } from '../parts/page.tsx'
import { Segments } from '../parts/segments.tsx'
import { Select } from '../parts/select.tsx'
import { BriefBudget } from './brief-budget.tsx'
import { BriefLines } from './brief-lines.tsx'

/** Exactly what the next session would be told. */
export function Brief() {
  const { query } = usePlace()
  const asked = new URLSearchParams()
  for (const key of ['workspace', 'work', 'tokens']) {
    const value = query.get(key)
    if (value) asked.set(key, value)
  }
  const { data: fresh, refusal } = useView<BriefAnswer>(`/api/brief?${asked}`)
  const data = useLast(fresh)
  if (!data)
    return <Page title="Brief">{refusal ? <RefusalNote refusal={refusal} /> : <Loading rows={8} />}</Page>
  return (
    <Page
      title="Brief"
      about={['What the next session would be told.', ...data.notices].join(' ')}
      actions={<BriefChoices data={data} />}
    >
      {refusal && <RefusalNote refusal={refusal} />}
      {data.kind === 'brief' || data.lines.length > 0 ? <BriefBody data={data} /> : <NoBrief data={data} />}
    </Page>
  )
}

/** While another budget is tried, the last brief stays: the slider must not empty the page. */
function useLast<T>(value: T | null): T | null {
  const [last, setLast] = useState(value)
  useEffect(() => {
    if (value !== null) setLast(value)
  }, [value])
  return value ?? last
}

function BriefChoices({ data }: { data: BriefAnswer }) {
  return (
    <>
      {data.workspaces.length > 1 && (
        <Select
          label="Workspace"
          value={data.workspace.id}
          options={data.workspaces.map(({ id, path, branch }) => ({ value: id, name: nameOf(path, branch) }))}
          onChange={(workspace) => replaceQuery({ workspace, work: null })}
        />
      )}
      {data.candidates.length > 0 && (
        <Select
          label="Work"
          value={data.work ?? ''}
          options={[
            ...(data.work === null ? [{ value: '', name: 'Which work?' }] : []),
            ...withWork(data).map((name) => ({ value: name, name })),
          ]}
          onChange={(work) => replaceQuery({ work })}
        />
      )}
      {data.text !== '' && (
        <Button icon="copy" kind="primary" onClick={() => void copyText(data.text, 'Brief copied')}>
          Copy brief
        </Button>
      )}
    </>
  )
}

const withWork = ({ work, candidates }: BriefAnswer) => [
  ...new Set([...(work === null ? [] : [work]), ...candidates.map(({ name }) => name)]),
]

const nameOf = (path: string, branch: string | null) => {
  const folder = path.split(/[\\/]/).at(-1) ?? path
  return branch ? `${folder} (${branch})` : folder
}

type Look = 'lines' | 'text'

function BriefBody({ data }: { data: BriefAnswer }) {
  const { query } = usePlace()
  const look: Look = query.get('look') === 'text' ? 'text' : 'lines'
  return (
    <div class="columns is-brief">
      <div class="column">
        <Card
          isFlush
          title={data.work ?? 'Brief'}
          aside={
            <Segments
              label="How it is shown"
              options={[
                { value: 'lines', name: 'Line by line' },
                { value: 'text', name: 'As told' },
              ]}
              value={look}
              onChange={(next: Look) => replaceQuery({ look: next === 'lines' ? null : next })}
            />
          }
        >
          {look === 'text' ? (
            <pre class="brief-text" tabIndex={0}>
              {data.text}
            </pre>
          ) : (
            <BriefLines data={data} />
          )}
        </Card>
      </div>
      <aside class="column is-sticky" aria-label="Budget">
        <BriefBudget data={data} />
      </aside>
    </div>
  )
}

function NoBrief({ data }: { data: BriefAnswer }) {
  if (data.candidates.length > 0)
    return (
      <Card title="Which work?" label="Which work?">
        <ul class="facts">
          {data.candidates.map(({ name, foreign }) => (
            <li key={name}>
              <button type="button" class="link" onClick={() => replaceQuery({ work: name })}>
                {name}
              </button>
              {foreign && <span class="small quiet">foreign</span>}
            </li>
          ))}
        </ul>
      </Card>
    )
  return (
    <Empty
      icon="brief"
      title="Nothing to tell yet"
      commands={['savepoint save "Login works" --next "Refresh tokens"']}
    >
      Once something is saved in this workspace, you see here what the next session starts with, and what it
      costs.
    </Empty>
  )
}
