const LANES = 8

/** A colour of its own for a branch or an agent, the same one each time (FNV-1a: short names alike get different ones). */
export function laneOf(name: string): string {
  let hash = 0x811c9dc5
  for (const char of name) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193)
  return `lane-${(hash >>> 8) % LANES}`
}
