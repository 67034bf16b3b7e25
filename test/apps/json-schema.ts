type Schema = Record<string, unknown>

const typeOf = (value: unknown) => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

/** Where a value does not fit a schema of the kind that facts are promised with, in a few words each. */
export function misfits(value: unknown, schema: unknown, at = '$'): string[] {
  // `as`: a schema is an object, and so is a value of the type that says so.
  const { type, enum: choices, properties, required, additionalProperties, items } = schema as Schema
  const found = typeOf(value)
  const types: unknown[] = Array.isArray(type) ? type : [type]
  if (!types.includes(found) && !(types.includes('number') && found === 'integer'))
    return [`${at} is ${found}, not ${types.join(' or ')}`]
  if (Array.isArray(choices) && !choices.includes(value)) return [`${at} is none of ${choices}`]
  if (Array.isArray(value)) return value.flatMap((one, index) => misfits(one, items, `${at}[${index}]`))
  if (found !== 'object') return []
  const [known, given] = [properties as Schema, value as Schema]
  const missing = Array.isArray(required) ? required.filter((key) => !(String(key) in given)) : []
  return [
    ...missing.map((key) => `${at}.${key} is missing`),
    ...Object.entries(given).flatMap(([key, one]) =>
      key in known
        ? misfits(one, known[key], `${at}.${key}`)
        : additionalProperties === false
          ? [`${at}.${key} is not known`]
          : [],
    ),
  ]
}
