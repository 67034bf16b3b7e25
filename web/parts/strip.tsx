import type { RunStep } from '../../src/apps/dashboard/api.ts'
import { formatDuration } from '../app/format.ts'

const STATES = {
  done: 'done',
  in_progress: 'in progress',
  failed: 'failed',
  skipped: 'skipped',
  pending: 'pending',
} as const satisfies Record<RunStep['state'], string>

/** The steps of a plan side by side, each as wide as it took, with a least width to be seen. */
export function Strip({ steps }: { steps: readonly RunStep[] }) {
  if (steps.length === 0) return <p class="quiet">No step is known yet.</p>
  const longest = Math.max(1, ...steps.map(({ durationMs }) => durationMs ?? 0))
  return (
    <>
      <div class="strip" aria-hidden="true">
        {steps.map(({ id, state, durationMs, title }) => (
          <span
            key={id}
            class={`strip-step is-${state}`}
            title={title}
            style={{ flexGrow: String(1 + ((durationMs ?? 0) / longest) * 4) }}
          />
        ))}
      </div>
      <ol class="steps">
        {steps.map(({ id, title, state, durationMs, planned }) => (
          <li key={id} class={`step is-${state}`}>
            <span class="step-mark" aria-hidden="true" />
            <span class="step-title">
              {title}
              {!planned && <span class="small quiet"> not in the plan</span>}
            </span>
            <span class="small step-state">{STATES[state]}</span>
            <span class="small quiet number step-time">
              {durationMs === null ? '' : formatDuration(durationMs)}
            </span>
          </li>
        ))}
      </ol>
    </>
  )
}
