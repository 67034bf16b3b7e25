declare const fact: unique symbol

type JsonSchema = Readonly<Record<string, unknown>> & {
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
}

/** A part of what a verb answers to a program: its JSON schema for clients, and its type, which the compiler checks. */
export interface FactSchema<T> {
  readonly schema: JsonSchema
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
): FactSchema<C[number]> => ({ schema: { type: 'string', enum: choices, ...withDescription(description) } })

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

/** What of an answer the shape names, however deep: no fact is told that was not promised. */
export const pickFacts = (shape: Shape, facts: object) =>
  Object.fromEntries(Object.entries(shape).map(([name, { schema }]) => [name, pick(schema, facts, name)]))

function pick(schema: JsonSchema, from: object, name: string): unknown {
  const value: unknown = Reflect.get(from, name)
  const { items, properties } = schema
  if (items && Array.isArray(value)) return value.map((_, at) => pick(items, value, String(at)))
  if (!properties || typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(properties).map(([key, part]) => [key, pick(part, value, key)]))
}
