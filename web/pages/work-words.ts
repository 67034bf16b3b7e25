import type { WorkProgress } from '../../src/apps/dashboard/api.ts'
import type { Tone } from '../parts/chip.tsx'

export const workHref = (id: string) => `#/work/${encodeURIComponent(id)}`

const TONES: Record<WorkProgress, Tone> = {
  in_progress: 'accent',
  completed: 'good',
  failed: 'bad',
  paused: 'warn',
}

export const toneOfProgress = (progress: WorkProgress): Tone => TONES[progress]

export const sayProgress = (progress: WorkProgress) => progress.replace('_', ' ')
