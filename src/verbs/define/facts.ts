declare const fact: unique symbol

/** A part of what a verb answers to a program: its JSON schema for clients, and its type, which the compiler checks. */
export interface FactSchema<T> {
  readonly schema: Readonly<Record<string, unknown>>
  readonly [fact]?: T
}

export type Shape = Readonly<Record<string, FactSchema<unknown>>>

export type FactsOf<S extends Shape> = {
  readonly [K in keyof S]: S[K] extends FactSchema<infer T> ? T : never
}

const withDescription = (description: string | undefined) =>
  description === undefined ? {} : { description }

// A fact is described only where its name does not say what it is: every client loads the schemas at each start.
export const textFact = (description?: string): FactSchema<string> => ({
  schema: { type: 'string', ...withDescription(description) },
})
export const integerFact = (description?: string): FactSchema<number> => ({
  schema: { type: 'integer', ...withDescription(description) },
})
export const numberFact = (description?: string): FactSchema<number> => ({
  schema: { type: 'number', ...withDescription(description) },
})
export const flagFact = (description?: string): FactSchema<boolean> => ({
  schema: { type: 'boolean', ...withDescription(description) },
})

export const choiceFact = <const C extends readonly string[]>(
  choices: C,
  description?: string,
): FactSchema<C[number]> => ({
  schema: { type: 'string', enum: choices, ...withDescription(description) },
})

export const listFact = <T>({ schema }: FactSchema<T>, description?: string): FactSchema<readonly T[]> => ({
  schema: { type: 'array', items: schema, ...withDescription(description) },
})

export const recordFact = <S extends Shape>(shape: S, description?: string): FactSchema<FactsOf<S>> => ({
  schema: { ...schemaOf(shape), ...withDescription(description) },
})

/** Null where there is none. */
export const nullableFact = <T>({ schema }: FactSchema<T>): FactSchema<T | null> => ({
  schema: {
    ...schema,
    type: [schema.type, 'null'],
    ...(Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {}),
  },
})

/** Every fact is always there: what is not known is null. */
export const schemaOf = (shape: Shape) => ({
  type: 'object' as const,
  properties: Object.fromEntries(Object.entries(shape).map(([name, { schema }]) => [name, schema])),
  required: Object.keys(shape),
  additionalProperties: false,
})
