/** Deeper than any settings or front matter go. */
export const MAX_YAML_DEPTH = 64

/**
 * Whether the tokens of a YAML text are nested too deep to be composed. A composer recurses, and where the stack ends
 * it can end the process; this goes level by level. The tokens are those of the parser's own first pass.
 */
export function isTooDeep(tokens: Iterable<unknown>): boolean {
  let level = [...tokens]
  for (let depth = 0; depth < MAX_YAML_DEPTH && level.length > 0; depth += 1)
    level = level.flatMap(childrenOf)
  return level.length > 0
}

function childrenOf(token: unknown): unknown[] {
  if (!isRecord(token)) return []
  if (token.type === 'document') return isRecord(token.value) ? [token.value] : []
  if (!Array.isArray(token.items)) return []
  return token.items.flatMap((item: unknown) =>
    isRecord(item) ? [item.key, item.value].filter(isRecord) : [],
  )
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
