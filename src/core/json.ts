/** What a text says in JSON; undefined where it is none. */
export function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return undefined
  }
}

export const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? // `as`: it was just seen to be an object that has the field.
      (value as Record<string, unknown>)[name]
    : undefined
