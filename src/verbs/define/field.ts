import { usageError } from '../../core/reason.ts'
import { quoteShort } from '../../core/text.ts'

/** What a value can name, so that a shell can offer the names that there are. */
export const NAMED_KINDS = ['work', 'run', 'session', 'handoff', 'branch'] as const
export type NamedKind = (typeof NAMED_KINDS)[number]

interface FieldBase {
  about: string
  names?: NamedKind
  /** Its place among the plain words of a command line; without one it is an option. */
  at?: number
  /** What help calls it, where that is not its own name. */
  label?: string
  required?: true
  /** The first plain word may be left out, though others follow it: then they count from the first. */
  mayBeLeftOut?: true
  /** An agent's tool needs it; who types commands has another way to say it. */
  needed?: true
  /** Only for who types commands: an agent's tool does not have it. */
  typed?: true
  /** The path that a value names, if any: an agent's tool takes none outside the workspace. */
  path?: (value: string) => string | null
}

/** What a verb takes: the command line, the help and the reference are made from this table. */
export type Field =
  | (FieldBase & { kind: 'text'; value?: string; check?: (value: string) => void })
  | (FieldBase & { kind: 'count'; least?: number; most?: number; value?: string })
  | (FieldBase & { kind: 'choice'; choices: readonly string[]; value?: string })
  | (FieldBase & { kind: 'flag' })
  /** Several texts: the rest of the command line, or an option that may be given again. */
  | (FieldBase & { kind: 'words'; value?: string })

export type Fields = Readonly<Record<string, Field>>

type ValueOf<F extends Field> = F extends { kind: 'count' }
  ? number
  : F extends { kind: 'flag' }
    ? boolean
    : F extends { kind: 'words' }
      ? string[]
      : F extends { kind: 'choice'; choices: readonly (infer C)[] }
        ? C
        : string

export type InputOf<F extends Fields> = {
  [K in keyof F]: F[K] extends { required: true } | { kind: 'flag' } | { kind: 'words' }
    ? ValueOf<F[K]>
    : ValueOf<F[K]> | undefined
}

/** A field's name on the command line: `maxPerRun` is `--max-per-run`. */
export const optionName = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** What help and reference say of a field. A tool's schema lists the choices by itself. */
export const describeField = (field: Field) =>
  field.kind === 'choice' && field.at === undefined
    ? `${field.about}: ${field.choices.join(', ')}`
    : field.about

/** What a field is called at the command line. */
const wordFor = (name: string, field: Field) =>
  field.at === undefined ? `--${optionName(name)}` : `<${field.label ?? optionName(name)}>`

/** Checks raw values once, at the edge. Past this point an input has its types. */
export function parseInput<F extends Fields>(
  fields: F,
  raw: Readonly<Record<string, unknown>>,
  labelOf: (name: string, field: Field) => string = wordFor,
): InputOf<F> {
  const input: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(fields))
    input[name] = parseField(labelOf(name, field), field, raw[name])
  // `as`: every field was parsed by its own kind just above.
  return input as InputOf<F>
}

function parseField(label: string, field: Field, value: unknown): unknown {
  if (field.kind === 'flag') return value === true
  if (field.kind === 'words') {
    const words = Array.isArray(value) ? value.map(String) : []
    if (field.required && words.length === 0) throw usageError(`${label} is missing`)
    return words
  }
  if (value === undefined || value === null) {
    if (field.required) throw usageError(`${label} is missing`)
    return undefined
  }
  const text = String(value)
  if (field.kind === 'count') return parseCount(label, text, field)
  if (field.kind === 'choice' && !field.choices.includes(text))
    throw usageError(`invalid ${label} ${quoteShort(text)}: use ${field.choices.join(', ')}`)
  if (field.kind === 'text') field.check?.(text)
  return text
}

function parseCount(
  label: string,
  text: string,
  { least = 0, most = 1_000_000 }: { least?: number; most?: number },
) {
  const value = Number(text)
  if (!/^\d{1,9}$/.test(text) || value < least || value > most)
    throw usageError(`invalid ${label} ${quoteShort(text)}: use a whole number from ${least} to ${most}`)
  return value
}
