import { type Command, Option } from 'commander'
import { describeField, type Field, optionName } from '../../verbs/define/field.ts'
import { descriptionOf, type Verb } from '../../verbs/define/verb.ts'
import { AGAIN, addExamples, type HelpScreen } from './help-layout.ts'

export interface Call {
  verb: Verb
  raw: Record<string, unknown>
}

/** Gives a command all that a verb has: its words, its options in the order of its fields, its examples. */
export function addVerb(
  command: Command,
  verb: Pick<Verb, 'summary' | 'detail' | 'fields' | 'examples' | 'tool'>,
  screen: HelpScreen,
  found: (raw: Call['raw']) => void,
): void {
  command.summary(verb.summary).description(descriptionOf(verb))
  const fields = Object.entries(verb.fields)
  const placed = fields
    .filter(([, field]) => field.at !== undefined)
    .sort(([, a], [, b]) => (a.at ?? 0) - (b.at ?? 0))
  const isShort = placed[0]?.[1].mayBeLeftOut === true
  for (const [name, field] of placed)
    command.argument(argumentForm(name, isShort ? { ...field, required: false } : field), field.about)
  // The parser knows no optional word before required ones: it takes all as optional, and help says what is needed.
  if (isShort)
    command.usage(`[options] ${placed.map(([name, field]) => argumentForm(name, field)).join(' ')}`)
  for (const [name, field] of fields) if (field.at === undefined) command.addOption(optionOf(name, field))
  command.option('--json', 'answer in JSON')
  if (fields.some(([, { kind, at }]) => kind === 'words' && at === undefined))
    command.addHelpText('after', `\n${AGAIN}`)
  addExamples(command, verb.examples, screen)
  if (placed.some(([, field]) => field.kind === 'words')) command.passThroughOptions(false)
  command.action((...given: unknown[]) => {
    const options = command.opts()
    const raw: Record<string, unknown> = {}
    const values = isShort ? withoutFirst(placed, given) : given
    for (const [index, [name]] of placed.entries()) raw[name] = values[index]
    for (const [name, field] of fields) if (field.at === undefined) raw[name] = options[name]
    found(raw)
  })
}

/** Stands where `--` stood, so that it is known whether a word came before it. */
export const DASHES = '\0--'

type Placed = ReadonlyArray<readonly [name: string, field: Field]>

/** The values where the first word was left out: before `--`, or because there are just enough for the others. */
function withoutFirst(placed: Placed, given: readonly unknown[]): unknown[] {
  const values = given
    .slice(0, placed.length)
    .flat()
    .filter((value) => value !== undefined)
  const needed = placed.filter(([, { required }]) => required).length
  // A command to run is never guessed: `run exec r1` lacks it.
  const isLeftOut = placed.some(([, { kind }]) => kind === 'words')
    ? values[0] === DASHES
    : needed > 0 && values.length <= needed
  const rest = values.filter((value) => value !== DASHES)
  const all = isLeftOut ? [undefined, ...rest] : rest
  return placed.map(([, { kind }], at) => (kind === 'words' ? all.slice(at) : all[at]))
}

function argumentForm(
  name: string,
  field: Pick<Field, 'kind' | 'label'> & { required?: boolean; choices?: readonly string[] },
): string {
  const word = field.choices?.join('|') ?? field.label ?? optionName(name)
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
  return new Option(`${flag} <${value}>`, `${describeField(field)}${field.required ? ' (required)' : ''}`)
}
