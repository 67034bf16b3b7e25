import { isMap, isScalar, Parser, parseDocument, stringify } from 'yaml'
import { plainLine } from '../../core/bullets.ts'
import { describeError } from '../../core/reason.ts'
import { isTooDeep, MAX_YAML_DEPTH } from '../../core/yaml-depth.ts'

const MAX_FRONT_MATTER = 16 * 1024
const FIELDS = ['purpose', 'created', 'branch', 'commit', 'stream'] as const
type Field = (typeof FIELDS)[number]

export interface Front {
  fields: Partial<Record<Field, string>>
  bodyStart: number
}

/** The front matter, with its fences; what is null is left out. */
export function encodeFront(fields: Record<Field, string | null>): string {
  const lines = FIELDS.flatMap((field) => {
    const value = plainLine(fields[field] ?? '')
    return value === '' ? [] : [stringify({ [field]: value }, { lineWidth: 0 }).trimEnd()]
  })
  return ['---', ...lines, '---'].join('\n')
}

/** Reads plain values alone: no alias is followed and no tag resolved, so that nothing can grow or run. */
export function readFront(text: string): Front | { problem: string } {
  const opening = /^\uFEFF?---([^\r\n]*)(?:\r\n|\n|\r)/.exec(text)
  if (!opening) return { fields: {}, bodyStart: text.startsWith('\uFEFF') ? 1 : 0 }
  if (/^\w/.test(opening[1] ?? ''))
    return { problem: `its front matter is not YAML but "${opening[1]?.slice(0, 20)}"` }
  if (opening[1]?.trim() !== '') return { fields: {}, bodyStart: 0 }
  const start = opening[0].length
  const closing = /^(?:---|\.\.\.)[ \t]*(?:\r\n|\n|\r|$)/gm
  closing.lastIndex = start
  const found = closing.exec(text.slice(0, start + MAX_FRONT_MATTER))
  if (!found) return { problem: `its front matter has no end within ${MAX_FRONT_MATTER} characters` }
  const read = fieldsOf(text.slice(start, found.index))
  return 'problem' in read ? read : { fields: read.fields, bodyStart: found.index + found[0].length }
}

function fieldsOf(yaml: string): Pick<Front, 'fields'> | { problem: string } {
  try {
    if (isTooDeep(new Parser().parse(yaml)))
      return { problem: `its front matter is nested more than ${MAX_YAML_DEPTH} deep` }
    const { errors, contents } = parseDocument(yaml, { schema: 'core' })
    const [error] = errors
    if (error) return { problem: `its front matter cannot be read: ${describeError(error)}` }
    if (!isMap(contents))
      return contents === null ? { fields: {} } : { problem: 'its front matter has no keys' }
    const fields: Front['fields'] = {}
    for (const field of FIELDS) {
      const node: unknown = contents.get(field, true)
      // As its author wrote it: a commit such as 1234567 is no number.
      const value = isScalar(node) && node.value !== null ? plainLine(node.source ?? String(node.value)) : ''
      if (value !== '') fields[field] = value
    }
    return { fields }
  } catch (error) {
    // Deep nesting makes the parser run out of stack.
    return { problem: `its front matter cannot be read: ${describeError(error)}` }
  }
}
