declare const fact: unique symbol

/**
 * A part of what a verb answers to a program, said once: its JSON schema, which a client of the MCP server is given,
 * and its type, by which the compiler holds the answer against it.
 */
export interface FactSchema<T> {
  readonly schema: Readonly<Record<string, unknown>>
  readonly [fact]?: T
}

export type Shape = Readonly<Record<string, FactSchema<unknown>>>

export type FactsOf<S extends Shape> = {
  readonly [K in keyof S]: S[K] extends FactSchema<infer T> ? T : never
}

export const textFact = (description: string): FactSchema<string> => ({
  schema: { type: 'string', description },
})
export const integerFact = (description: string): FactSchema<number> => ({
  schema: { type: 'integer', description },
})
export const numberFact = (description: string): FactSchema<number> => ({
  schema: { type: 'number', description },
})
export const flagFact = (description: string): FactSchema<boolean> => ({
  schema: { type: 'boolean', description },
})

export const choiceFact = <const C extends readonly string[]>(
  description: string,
  choices: C,
): FactSchema<C[number]> => ({
  schema: { type: 'string', description, enum: choices },
})

export const listFact = <T>(description: string, { schema }: FactSchema<T>): FactSchema<readonly T[]> => ({
  schema: { type: 'array', description, items: schema },
})

export const recordFact = <S extends Shape>(description: string, shape: S): FactSchema<FactsOf<S>> => ({
  schema: { description, ...schemaOf(shape) },
})

/** Null where there is none. */
export const nullableFact = <T>({ schema }: FactSchema<T>): FactSchema<T | null> => ({
  schema: { anyOf: [schema, { type: 'null' }] },
})

/** Every fact is always there: what is not known is null. */
export const schemaOf = (shape: Shape) => ({
  type: 'object' as const,
  properties: Object.fromEntries(Object.entries(shape).map(([name, { schema }]) => [name, schema])),
  required: Object.keys(shape),
  additionalProperties: false,
})
