import { type Command, Option } from 'commander'
import { type Field, optionName } from '../../verbs/define/field.ts'
import { descriptionOf, type Verb } from '../../verbs/define/verb.ts'
import { AGAIN } from './help-layout.ts'

export interface Call {
  verb: Verb
  raw: Record<string, unknown>
}

/** Gives a command all that a verb has: its words, its options in the order of its fields, its examples. */
export function addVerb(
  command: Command,
  verb: Pick<Verb, 'summary' | 'detail' | 'fields' | 'examples' | 'tool'>,
  found: (raw: Call['raw']) => void,
): void {
  command.summary(verb.summary).description(descriptionOf(verb))
  const fields = Object.entries(verb.fields)
  const placed = fields
    .filter(([, field]) => field.at !== undefined)
    .sort(([, a], [, b]) => (a.at ?? 0) - (b.at ?? 0))
  for (const [name, field] of placed) command.argument(argumentForm(name, field), field.about)
  for (const [name, field] of fields) if (field.at === undefined) command.addOption(optionOf(name, field))
  command.option('--json', 'answer in JSON')
  if (fields.some(([, { kind, at }]) => kind === 'words' && at === undefined))
    command.addHelpText('after', `\n${AGAIN}`)
  command.addHelpText('after', `\nExamples:\n${verb.examples.map((line) => `  ${line}`).join('\n')}\n`)
  if (placed.some(([, field]) => field.kind === 'words')) command.passThroughOptions(false)
  command.action((...given: unknown[]) => {
    const options = command.opts()
    const raw: Record<string, unknown> = {}
    for (const [index, [name]] of placed.entries()) raw[name] = given[index]
    for (const [name, field] of fields) if (field.at === undefined) raw[name] = options[name]
    found(raw)
  })
}

function argumentForm(name: string, field: Field): string {
  const word = field.kind === 'choice' ? field.choices.join('|') : (field.label ?? optionName(name))
  const dots = field.kind === 'words' ? '...' : ''
  return field.required ? `<${word}${dots}>` : `[${word}${dots}]`
}

/** Required options are checked with all other values, so that every door says the same. */
function optionOf(name: string, field: Field): Option {
  const flag = `--${optionName(name)}`
  if (field.kind === 'flag') return new Option(flag, field.about)
  const value = 'value' in field && field.value ? field.value : 'VALUE'
  if (field.kind === 'words')
    return new Option(`${flag} <${value}>`, field.about).argParser(
      (word: string, before: string[] | undefined) => [...(before ?? []), word],
    )
  return new Option(`${flag} <${value}>`, `${field.about}${field.required ? ' (required)' : ''}`)
}
