/**
 * How much of each part is told at full size, in characters or lines. Everything shrinks by one scale, so that what a
 * small budget tells a larger one tells, too; no part shrinks below its least.
 */
const SHARES = {
  newest: { most: 1_400, least: 160 },
  answer: { most: 2_200, least: 240 },
  recent: { most: 520, least: 110 },
  older: { most: 300, least: 90 },
  first: { most: 520, least: 110 },
  requests: { most: 40, least: 3 },
  answeredQuestion: { most: 260, least: 80 },
  outcome: { most: 240, least: 0 },
  outline: { most: 700, least: 0 },
  opening: { most: 500, least: 0 },
  steps: { most: 900, least: 0 },
  rules: { most: 4, least: 0 },
  told: { most: 400, least: 80 },
  open: { most: 8, least: 2 },
  summary: { most: 500, least: 0 },
  files: { most: 10, least: 2 },
  commits: { most: 420, least: 80 },
} as const satisfies Record<string, { most: number; least: number }>

/** How large a part may be: in characters, or in lines. */
export type Size = (part: keyof typeof SHARES) => number

/** The sizes on a scale from 0 to 1. */
export const sizeAt =
  (scale: number): Size =>
  (part) =>
    Math.max(SHARES[part].least, Math.round(SHARES[part].most * scale))
