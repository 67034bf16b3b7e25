import { wellFormed } from '../../core/canonical.ts'
import { usageError } from '../../core/reason.ts'
import { quoteShort } from '../../core/text.ts'
import { requireInside } from '../../engine/context/inside.ts'
import { type Field, type Fields, type InputOf, parseInput } from './field.ts'

/** A checkpoint holds no more of them; each is looked for on the disk. */
const MOST_PATHS = 100

interface GivenFor<F extends Fields> {
  /** What a refusal calls that which takes the arguments. */
  name: string
  /** The fields that may be given. */
  fields: Fields
  /** All fields of the verb. */
  all: F
  cwd: string
}

/**
 * What came as JSON through a door, checked once: no argument that there is not, each of its kind, and no path that
 * leads out of the workspace. What models often do is taken as it is meant: null for nothing, one text for a list.
 */
export function readGiven<F extends Fields>(
  given: unknown,
  { name: taker, fields, all: every, cwd }: GivenFor<F>,
): InputOf<F> {
  const record = given ?? {}
  if (typeof record !== 'object' || Array.isArray(record)) throw usageError('the arguments must be an object')
  const raw: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(record)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (field === undefined) throw usageError(unknown(taker, name, fields))
    if (value !== null) raw[name] = givenValue(name, field, value)
  }
  for (const [name, { path: pathIn, needed }] of Object.entries(fields)) {
    if (needed && raw[name] === undefined) throw usageError(`${quoteShort(name)} is missing`)
    const values = pathIn ? [raw[name] ?? []].flat() : []
    if (values.length > MOST_PATHS) throw usageError(`${quoteShort(name)} takes at most ${MOST_PATHS} files`)
    for (const value of values) {
      const path = pathIn?.(String(value)) ?? null
      if (path !== null) requireInside(cwd, path)
    }
  }
  return parseInput(every, raw, quoteShort)
}

function unknown(taker: string, name: string, fields: Fields): string {
  const known = Object.keys(fields)
  const near = known.find((one) => name === `${one}s` || one === `${name}s` || one === name.toLowerCase())
  const takes = known.length === 0 ? 'it has none' : `it has ${known.join(', ')}`
  return `${taker} has no argument ${quoteShort(name)}; ${near ? `did you mean ${quoteShort(near)}? ` : ''}${takes}`
}

function givenValue(name: string, field: Field, value: unknown): unknown {
  switch (field.kind) {
    case 'flag':
      if (typeof value !== 'boolean') throw usageError(`${quoteShort(name)} must be true or false`)
      return value
    case 'count':
      if (!Number.isInteger(value) && !(typeof value === 'string' && /^\d+$/.test(value)))
        throw usageError(`${quoteShort(name)} must be a whole number`)
      return value
    case 'words':
      return [value].flat().map((one) => textOf(`an item of ${quoteShort(name)}`, one))
    case 'text':
    case 'choice':
      return textOf(quoteShort(name), value)
  }
}

/** Half a character of a pair is no text that can be stored. */
function textOf(label: string, value: unknown): string {
  if (typeof value !== 'string') throw usageError(`${label} must be a text`)
  if (value.includes('\0')) throw usageError(`${label} contains a zero character`)
  return wellFormed(value)
}
