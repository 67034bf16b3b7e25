import { ReasonError } from '../../core/reason.ts'
import { type Field, optionName } from '../../verbs/define/field.ts'
import type { Verb } from '../../verbs/define/verb.ts'
import { DASHBOARD_COMMAND } from '../process/dashboard-command.ts'

/** The words that can follow each command, from the same table as everything else. */
function words(verbs: ReadonlyArray<Pick<Verb, 'name' | 'fields'>>): Map<string, string[]> {
  const next = new Map<string, Set<string>>([['', new Set(['completion', 'help', 'mcp'])]])
  const add = (after: string, word: string) => next.set(after, (next.get(after) ?? new Set()).add(word))
  for (const { name, fields } of verbs) {
    const [first = '', second] = name.split(' ')
    add('', first)
    if (second) add(first, second)
    for (const [field, { at, ...rest }] of Object.entries(fields)) {
      if (at === undefined) add(name, `--${optionName(field)}`)
      for (const choice of choicesOf(rest)) add(name, choice)
    }
    add(name, '--json')
  }
  return new Map([...next].map(([after, found]) => [after, [...found].sort()]))
}

const choicesOf = (field: Partial<Field>): readonly string[] =>
  'choices' in field && field.choices ? field.choices : []

const SCRIPTS = {
  bash: (table) => `_savepoint() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" key=""
  if [ "$COMP_CWORD" -ge 2 ]; then key="\${COMP_WORDS[1]}"; fi
  if [ "$COMP_CWORD" -ge 3 ]; then
    case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
      ${inGroups(table)}) key="\${COMP_WORDS[1]} \${COMP_WORDS[2]}" ;;
    esac
  fi
  case "$key" in
${cases(table, (list) => `COMPREPLY=($(compgen -W "${list}" -- "$cur"))`)}
  esac
}
complete -o default -F _savepoint savepoint
`,
  zsh: (table) => `#compdef savepoint
_savepoint() {
  local key=""
  (( CURRENT >= 3 )) && key="\${words[2]}"
  if (( CURRENT >= 4 )); then
    case "\${words[2]} \${words[3]}" in
      ${inGroups(table)}) key="\${words[2]} \${words[3]}" ;;
    esac
  fi
  case "$key" in
${cases(table, (list) => `compadd -- ${list}; _files`)}
  esac
}
compdef _savepoint savepoint
`,
  fish: (table) =>
    [...table]
      .map(
        ([after, list]) => `complete -c savepoint -n '${fishCondition(after, table)}' -a '${list.join(' ')}'`,
      )
      .join('\n')
      .concat('\n'),
} as const satisfies Record<string, (table: Map<string, string[]>) => string>

/** The verbs of two words, as a pattern: `savepoint ledger x` is no verb `ledger x`. */
const inGroups = (table: Map<string, string[]>) =>
  [...table.keys()]
    .filter((after) => after.includes(' '))
    .map((after) => `"${after}"`)
    .join(' | ')

/** Fish asks whether a word was seen anywhere: one that is also a verb of a group, or has some, must say which it is. */
function fishCondition(after: string, table: Map<string, string[]>): string {
  if (after === '') return '__fish_use_subcommand'
  const pairs = [...table.keys()].map((name) => name.split(' ')).filter(({ length }) => length === 2)
  const [first = '', second] = after.split(' ')
  const others =
    second === undefined
      ? pairs.flatMap(([group = '', verb = '']) => (group === first ? [verb] : verb === first ? [group] : []))
      : []
  return [
    ...after.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`),
    ...(others.length > 0 ? [`not __fish_seen_subcommand_from ${others.join(' ')}`] : []),
  ].join('; and ')
}

const cases = (table: Map<string, string[]>, line: (list: string) => string) =>
  [...table].map(([after, list]) => `    "${after}") ${line(list.join(' '))} ;;`).join('\n')

/** A completion script for a shell. */
export function completionScript(shell: string, verbs: readonly Verb[]): string {
  if (!Object.hasOwn(SCRIPTS, shell))
    throw new ReasonError('usage_invalid', {
      problem: `completion is there for bash, zsh and fish, not ${shell}`,
    })
  // `as`: the line above is the test for it.
  return SCRIPTS[shell as keyof typeof SCRIPTS](words([...verbs, DASHBOARD_COMMAND]))
}
