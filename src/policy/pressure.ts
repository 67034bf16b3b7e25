import type { Pressure } from '../core/checkpoint.ts'

/** How full a context window is, in three words. */
export function windowPressure(usedPercent: number, { medium = 70, high = 85 } = {}): Pressure {
  if (usedPercent >= high) return 'high'
  return usedPercent >= medium ? 'medium' : 'low'
}
