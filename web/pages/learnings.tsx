import { useState } from 'preact/hooks'
import type { LearningsPage } from '../../src/apps/dashboard/api.ts'
import { plural } from '../app/format.ts'
import { replaceQuery, usePlace } from '../app/router.ts'
import { useView } from '../app/views.ts'
import { Chip } from '../parts/chip.tsx'
import { Empty } from '../parts/empty.tsx'
import { Card, Loading, Page, RefusalNote } from '../parts/page.tsx'
import { Select } from '../parts/select.tsx'

/** What finished work taught, newest first; it narrows while typing. */
export function Learnings() {
  const { query } = usePlace()
  const [typed, setTyped] = useState('')
  const workspace = query.get('workspace')
  const { data, refusal } = useView<LearningsPage>(
    workspace === null ? '/api/learnings' : `/api/learnings?workspace=${encodeURIComponent(workspace)}`,
  )
  if (!data) return <Page title="Learnings">{refusal ? <RefusalNote refusal={refusal} /> : <Loading />}</Page>
  const entries = filterEntries(data.entries, typed)
  return (
    <Page
      title="Learnings"
      about="What finished work taught"
      actions={
        data.workspaces.length > 1 && (
          <Select
            label="Workspace"
            value={data.workspace.id}
            options={data.workspaces.map(({ id, path }) => ({
              value: id,
              name: path.split(/[\\/]/).at(-1) ?? path,
            }))}
            onChange={(value) => replaceQuery({ workspace: value })}
          />
        )
      }
    >
      {refusal && <RefusalNote refusal={refusal} />}
      {data.foreign && (
        <p>
          <Chip tone="alien">foreign</Chip> These came with the repository and were not reviewed.
        </p>
      )}
      {data.entries.length === 0 ? (
        <Empty
          icon="learnings"
          title="No learnings yet"
          commands={[
            'savepoint archive auth-system --outcome "Login is live" --learning "Rotate tokens on every use"',
          ]}
        >
          When a piece of work is finished, say what it taught. Every later session can find it.
        </Empty>
      ) : (
        <>
          <input
            class="input"
            type="search"
            aria-label="Filter learnings"
            placeholder={`Filter ${plural(data.entries.length, 'entry', 'entries')}`}
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          {entries.length === 0 && <p class="quiet">Nothing matches.</p>}
          {entries.map(({ date, id, learnings }) => (
            <Card key={`${date}${id}`} title={id} aside={<span class="small quiet number">{date}</span>}>
              <ul class="learning-list">
                {learnings.map((learning) => (
                  <li key={learning}>{learning}</li>
                ))}
              </ul>
            </Card>
          ))}
        </>
      )}
    </Page>
  )
}

function filterEntries(entries: LearningsPage['entries'], typed: string): LearningsPage['entries'] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const has = (text: string) => words.every((word) => text.toLowerCase().includes(word))
  return entries
    .map((entry) => ({ ...entry, learnings: entry.learnings.filter((one) => has(`${entry.id} ${one}`)) }))
    .filter(({ learnings }) => learnings.length > 0)
}
