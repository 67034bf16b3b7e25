const LANES = 6

/** A colour of its own for a branch or an agent, the same one each time. */
export function laneOf(name: string): string {
  let hash = 0
  for (const char of name) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) | 0
  return `lane-${Math.abs(hash) % LANES}`
}
