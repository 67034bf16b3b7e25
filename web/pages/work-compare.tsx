import type { DiffPage, WorkPoint } from '../../src/apps/dashboard/api.ts'
import { useNow } from '../app/clock.ts'
import { formatMoment } from '../app/format.ts'
import { replaceQuery, usePlace } from '../app/router.ts'
import { useView } from '../app/views.ts'
import { Diff } from '../parts/diff.tsx'
import { Loading, RefusalNote } from '../parts/page.tsx'
import { Scrubber } from '../parts/scrubber.tsx'

/** Any two points of a history, side by side. */
export function WorkCompare({ id, history }: { id: string; history: readonly WorkPoint[] }) {
  const { query } = usePlace()
  const now = useNow()
  const last = history.at(-1)?.sequence ?? 1
  const from = Number(query.get('from') ?? history.at(-2)?.sequence ?? last)
  const to = Number(query.get('to') ?? last)
  const { data, refusal } = useView<DiffPage>(
    history.length < 2 ? null : `/api/works/${encodeURIComponent(id)}/diff?from=${from}&to=${to}`,
  )
  if (history.length < 2) return <p class="quiet">There is one checkpoint: nothing to compare it with yet.</p>
  const name = ({ sequence, at }: DiffPage['from']) => `#${sequence} · ${formatMoment(at, now)}`
  return (
    <div class="compare">
      <div class="compare-points">
        <Scrubber
          history={history}
          at={from}
          label="Compare from"
          onMove={(sequence) => replaceQuery({ from: String(sequence) })}
        />
        <Scrubber
          history={history}
          at={to}
          label="Compare to"
          onMove={(sequence) => replaceQuery({ to: String(sequence) })}
        />
      </div>
      {refusal && <RefusalNote refusal={refusal} />}
      {data ? (
        <>
          <p class="diff-sum small number">
            <span class="is-added">+{data.added}</span> <span class="is-removed">−{data.removed}</span>
            {data.added + data.removed === 0 && <span class="quiet"> The two say the same.</span>}
          </p>
          {data.added + data.removed > 0 && (
            <Diff rows={data.rows} from={name(data.from)} to={name(data.to)} />
          )}
        </>
      ) : (
        !refusal && <Loading rows={5} />
      )}
    </div>
  )
}
