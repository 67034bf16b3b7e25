declare const fact: unique symbol

/**
 * A part of what a verb answers to a program, said once: its JSON schema, which a client of the MCP server is given,
 * and its type, by which the compiler holds the answer against it.
 */
export interface Part<T> {
  readonly schema: Readonly<Record<string, unknown>>
  readonly [fact]?: T
}

export type Shape = Readonly<Record<string, Part<unknown>>>

export type FactsOf<S extends Shape> = {
  readonly [K in keyof S]: S[K] extends Part<infer T> ? T : never
}

export const text = (description: string): Part<string> => ({ schema: { type: 'string', description } })
export const whole = (description: string): Part<number> => ({ schema: { type: 'integer', description } })
export const real = (description: string): Part<number> => ({ schema: { type: 'number', description } })
export const flag = (description: string): Part<boolean> => ({ schema: { type: 'boolean', description } })

export const oneOf = <const C extends readonly string[]>(
  description: string,
  choices: C,
): Part<C[number]> => ({
  schema: { type: 'string', description, enum: choices },
})

export const listOf = <T>(description: string, { schema }: Part<T>): Part<readonly T[]> => ({
  schema: { type: 'array', description, items: schema },
})

export const record = <S extends Shape>(description: string, shape: S): Part<FactsOf<S>> => ({
  schema: { description, ...schemaOf(shape) },
})

/** Null where there is none. */
export const maybe = <T>({ schema }: Part<T>): Part<T | null> => ({
  schema: { anyOf: [schema, { type: 'null' }] },
})

/** Every fact is always there: what is not known is null. */
export const schemaOf = (shape: Shape) => ({
  type: 'object' as const,
  properties: Object.fromEntries(Object.entries(shape).map(([name, { schema }]) => [name, schema])),
  required: Object.keys(shape),
  additionalProperties: false,
})
