import { optionName } from '../../verbs/define/field.ts'
import type { Verb } from '../../verbs/define/verb.ts'

/**
 * Words that need no parser: a verb, and after it nothing but its flags. Null for all others: the parser knows what
 * to say about every mistake, but to load it takes a tenth of the time that Node itself needs to start.
 */
export function readPlainWords(
  words: readonly string[],
  { name, fields }: Verb,
): Record<string, unknown> | null {
  const flags = new Map<string, string | null>([['--json', null]])
  for (const [field, { kind, required }] of Object.entries(fields)) {
    if (required) return null
    if (kind === 'flag') flags.set(`--${optionName(field)}`, field)
  }
  const raw: Record<string, unknown> = {}
  for (const word of words.slice(name.split(' ').length)) {
    const field = flags.get(word)
    if (field === undefined) return null
    if (field !== null) raw[field] = true
  }
  return raw
}
