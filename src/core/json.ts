/** What a text says in JSON; undefined where it is none. */
export function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return undefined
  }
}

/** The same of bytes; what is no UTF-8 is no JSON. */
export function parseBytesOrUndefined(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError))
      throw error
    return undefined
  }
}

export const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? // `as`: it was just seen to be an object that has the field.
      (value as Record<string, unknown>)[name]
    : undefined
