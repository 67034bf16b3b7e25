const LARGE = 1_000_000
const USUAL = 200_000

/** How large a model's context window is, by its name; the first that fits counts. The client tells better, where it was heard. */
const WINDOWS: ReadonlyArray<readonly [RegExp, number]> = [
  [/\[1m\]/i, LARGE],
  [/claude-(?:3|.*haiku|[a-z]+-4)/, USUAL],
  [/claude-opus-5-5/, LARGE],
  [/claude/, USUAL],
]

/** Null for names that are no model of this client: nothing is known of them. */
export function windowOf(model: string): number | null {
  if (!model.includes('claude')) return null
  return WINDOWS.find(([name]) => name.test(model))?.[1] ?? null
}
