import { ReasonError } from '../../core/reason.ts'
import { NAMED_KINDS, type NamedKind, optionName } from '../../verbs/define/field.ts'
import type { Verb } from '../../verbs/define/verb.ts'
import { DASHBOARD_COMMAND } from '../process/dashboard-command.ts'

interface CompletionTable {
  /** The words that can follow each command. */
  words: Map<string, string[]>
  /** What the plain words of a command name. */
  names: Map<string, NamedKind>
  /** What the value of an option names, by the option: it names the same in every command that has it. */
  options: Map<string, NamedKind>
  /** The commands that have such an option. */
  users: Map<string, string[]>
}

const SHELLS = ['bash', 'fish', 'zsh']

/** All that can be completed, from the same table as everything else. */
function completionTable(verbs: ReadonlyArray<Pick<Verb, 'name' | 'fields'>>): CompletionTable {
  const next = new Map([
    ['', new Set(['completion', 'help', 'mcp'])],
    ['completion', new Set(SHELLS)],
  ])
  const names = new Map<string, NamedKind>()
  const options = new Map<string, NamedKind>()
  const users = new Map<string, string[]>()
  const add = (after: string, word: string) => next.set(after, (next.get(after) ?? new Set()).add(word))
  for (const { name, fields } of verbs) {
    const [first = '', second] = name.split(' ')
    add('', first)
    if (second) add(first, second)
    for (const [field, { at, ...rest }] of Object.entries(fields)) {
      const option = `--${optionName(field)}`
      if (at === undefined) add(name, option)
      if (rest.names !== undefined && at !== undefined) names.set(name, rest.names)
      if (rest.names !== undefined && at === undefined) {
        options.set(option, rest.names)
        users.set(option, [...(users.get(option) ?? []), name])
      }
      if ('choices' in rest) for (const choice of rest.choices) add(name, choice)
    }
    add(name, '--json')
  }
  const words = new Map([...next].map(([after, found]) => [after, [...found].sort()]))
  return { words, names, options, users }
}

/** Bash expands what it is offered: only plain words may come from a branch or the store. */
const PLAIN_NAMES = "grep -E '^[A-Za-z0-9][A-Za-z0-9._/@+-]*$'"
const BRANCHES = "git for-each-ref --format='%(refname:short)' refs/heads 2>/dev/null"
const namesCommand = (kind: NamedKind) =>
  kind === 'branch' ? BRANCHES : `savepoint completion names ${kind} 2>/dev/null`

/** Sets `names` by the option before the word, whose value is nothing else then, or by the command. */
const namesCases = ({ names, options }: CompletionTable, word: string) => `  case "${word}" in
${byKind(options, ' only=1')}
    *) case "$key" in
${byKind(names)}
    esac ;;
  esac`

const byKind = (some: Map<string, NamedKind>, then = '') =>
  NAMED_KINDS.flatMap((kind) => {
    const keys = [...some].filter(([, found]) => found === kind).map(([key]) => `"${key}"`)
    return keys.length === 0
      ? []
      : [`    ${keys.join(' | ')}) names="$(${namesCommand(kind)} | ${PLAIN_NAMES})"${then} ;;`]
  }).join('\n')

const SCRIPTS = {
  bash: (table) => `_savepoint() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" key="" names="" only=""
  if [ "$COMP_CWORD" -ge 2 ]; then key="\${COMP_WORDS[1]}"; fi
  if [ "$COMP_CWORD" -ge 3 ]; then
    case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
      ${inGroups(table)}) key="\${COMP_WORDS[1]} \${COMP_WORDS[2]}" ;;
    esac
  fi
${namesCases(table, `\${COMP_WORDS[COMP_CWORD-1]}`)}
  if [ -n "$only" ]; then
    COMPREPLY=($(compgen -W "$names" -- "$cur"))
    return
  fi
  case "$key" in
${cases(table, (list) => `COMPREPLY=($(compgen -W "${list} $names" -- "$cur"))`)}
  esac
}
complete -o default -F _savepoint savepoint
`,
  zsh: (table) => `#compdef savepoint
_savepoint() {
  local key="" names="" only=""
  (( CURRENT >= 3 )) && key="\${words[2]}"
  if (( CURRENT >= 4 )); then
    case "\${words[2]} \${words[3]}" in
      ${inGroups(table)}) key="\${words[2]} \${words[3]}" ;;
    esac
  fi
${namesCases(table, `\${words[CURRENT-1]}`)}
  local -a found=(\${(f)names})
  if [[ -z $only ]]; then
    case "$key" in
${cases(table, (list) => `found+=(${list})`)}
    esac
  fi
  compadd -a found || _files
}
# In a file of its own on the path of functions, this text is the function; from a start file it is run.
if [[ "\${funcstack[1]}" == _savepoint ]]; then
  _savepoint "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit; compinit }
  compdef _savepoint savepoint
fi
`,
  fish: (table) =>
    [
      ...[...table.words].map(([after, list]) =>
        fishLine(after, table, `${takesFiles(after, table) ? '' : '-f '}-a '${list.join(' ')}'`),
      ),
      ...[...table.names].map(([after, kind]) => fishLine(after, table, `-f -a '(${fishNames(kind)})'`)),
      ...[...table.options].flatMap(([option, kind]) =>
        (table.users.get(option) ?? []).map((name) =>
          fishLine(name, table, `-l ${option.slice(2)} -x -a '(${fishNames(kind)})'`),
        ),
      ),
    ]
      .join('\n')
      .concat('\n'),
} as const satisfies Record<string, (table: CompletionTable) => string>

const fishLine = (after: string, table: CompletionTable, what: string) =>
  `complete -c savepoint -n '${fishCondition(after, table)}' ${what}`

/** A file can follow a command, and neither the program's own name nor the first word of a group. */
const takesFiles = (after: string, { words }: CompletionTable) =>
  words.get(after)?.includes('--json') === true

/** Inside single quotes of fish; a `$` before the end of double quotes would be a variable without a name. */
const fishNames = (kind: NamedKind) =>
  `${namesCommand(kind)} | ${PLAIN_NAMES}`.replaceAll("'", '"').replace('*$"', '*\\$"')

/** The verbs of two words, as a pattern: `savepoint ledger x` is no verb `ledger x`. */
const inGroups = ({ words }: CompletionTable) =>
  [...words.keys()]
    .filter((after) => after.includes(' '))
    .map((after) => `"${after}"`)
    .join(' | ')

/** Fish asks whether a word was seen anywhere: one that is also a verb of a group, or has some, must say which it is. */
function fishCondition(after: string, { words }: CompletionTable): string {
  if (after === '') return '__fish_use_subcommand'
  const pairs = [...words.keys()].map((name) => name.split(' ')).filter(({ length }) => length === 2)
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

const cases = ({ words }: CompletionTable, line: (list: string) => string) =>
  [...words].map(([after, list]) => `    "${after}") ${line(list.join(' '))} ;;`).join('\n')

export function completionScript(shell: string, verbs: readonly Verb[]): string {
  if (!Object.hasOwn(SCRIPTS, shell))
    throw new ReasonError('usage_invalid', {
      problem: `completion is there for bash, zsh and fish, not ${shell}`,
    })
  // `as`: the line above is the test for it.
  return SCRIPTS[shell as keyof typeof SCRIPTS](completionTable([...verbs, DASHBOARD_COMMAND]))
}
