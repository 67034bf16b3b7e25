import type { Tone } from './chip.tsx'

interface StepRingProps {
  done: number
  steps: number
  tone: Tone
  size?: number
}

const ROUND = 2 * Math.PI * 7

/** How much of a plan is done; without a plan only how it goes, by colour. */
export function StepRing({ done, steps, tone, size = 22 }: StepRingProps) {
  const share = steps === 0 ? 0 : done / steps
  const label = steps === 0 ? undefined : `${done} of ${steps} steps done`
  return (
    <svg
      class={`ring is-${tone}`}
      width={size}
      height={size}
      viewBox="0 0 20 20"
      role={label ? 'img' : undefined}
      aria-label={label}
      aria-hidden={label ? undefined : 'true'}
    >
      <circle class="ring-track" cx="10" cy="10" r="7" />
      {share > 0 && (
        <circle
          class="ring-done"
          cx="10"
          cy="10"
          r="7"
          stroke-dasharray={`${share * ROUND} ${ROUND}`}
          transform="rotate(-90 10 10)"
        />
      )}
      {steps === 0 && <circle class="ring-dot" cx="10" cy="10" r="3" />}
    </svg>
  )
}
