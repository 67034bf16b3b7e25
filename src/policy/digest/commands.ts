import { plainText } from '../../core/bullets.ts'
import { isGitCommit, simpleCommands } from '../../core/shell-command.ts'
import { redactToLine } from './quote.ts'

/** Commands whose outcome says how the work stands. */
export type CheckKind = 'test' | 'build' | 'lint'

/** A command that says how the work stands. Its family is what it is called, whatever files and options it was given. */
export interface Family {
  family: string
  kind: CheckKind
}

export interface NotableCommand {
  families: Family[]
  /** Its exit code may be that of something else: a pipe, what follows, or a command beside the checks. */
  isMasked: boolean
  /** Its failure says as little: the part that failed may have found nothing. */
  isFiltered: boolean
  commits: boolean
  /** Each part runs only where the one before went well. */
  isChain: boolean
}

/** What stands before a command and runs it. */
const RUNNER =
  /^(?:(?:npx|bunx|pnpx|pnpm exec|yarn|pnpm dlx|poetry run|uv run|pipenv run|bundle exec|python3? -m|mise (?:exec|x) --|npm exec --|sudo|time|env|command|timeout \S{1,10}|[A-Za-z_][A-Za-z0-9_]{0,60}=\S{0,200})(?: -{1,2}(?:yes|y|no-install))? ){0,5}/
/** Programs that do what the next words say, or run what a project has named so. */
const PROGRAM =
  /^(?:npm|pnpm|yarn|bun|deno|node|cargo|go|dotnet|swift|zig|rails|flutter|stack|docker|vite|next|playwright|cmake|mise|just|task|make|moon|nx|turbo|rake|invoke|poe|hatch|pdm|composer|mix|gradlew?|mvn|bazel|ant|sbt|lerna|ruff|biome)$/
/** Words that name a check, also as a part of the name of a script. */
const CHECK_WORDS: ReadonlyArray<readonly [CheckKind, string]> = [
  ['test', 'tests?|t|e2e|specs?|nextest|vitest|jest|mocha|ava|tap|pytest|unittest|tox|nox'],
  ['test', 'rspec|phpunit|ctest|cypress'],
  ['lint', 'lint|check|verify|validate|typecheck|types|format|fmt|gofmt|vet|clippy|eslint|biome|ruff|flake8'],
  ['lint', 'mypy|pyright|tsc|oxlint|stylelint|golangci|rubocop|shellcheck|knip|prettier'],
  ['build', 'build|compile|package|webpack'],
]
const KINDS = CHECK_WORDS.map(
  ([kind, names]) => [kind, new RegExp(`^(?:.*[-_.:])?(?:${names})(?:[-_.:].*)?$`)] as const,
)
/** Parts of a line that change nothing of what it says: they set something up, or only show something. */
const ENVIRONMENT =
  /^(?:cd \S+|pushd \S+|popd|set -\S+|export \S+|source \S+|\. \S+|for \w+ in .*|done|fi|esac)$/
const SHOWS =
  /^(?:echo|printf|tail|head|grep|rg|cat|tee|wc|sort|less|ls|find|which|sleep|true|test|git (?:add|status|diff|log|show)|\S+ (?:i|install|add|remove|get|pull|push|view|init|create))\b/

export function notableOf(command: string): NotableCommand | null {
  const parts = simpleCommands(command).filter((part) => !ENVIRONMENT.test(part))
  const families = parts.flatMap((part) => familyIn(part) ?? [])
  const commits = parts.some(isGitCommit)
  if (families.length === 0 && !commits) return null
  const others =
    parts.length - families.length - parts.filter((part) => isGitCommit(part) || SHOWS.test(part)).length
  return {
    families: [...new Map(families.map((one) => [one.family, one])).values()],
    isMasked: MASKED.test(command) || others > 0,
    isFiltered: MASKED.test(command.replace(PLAIN_PIPE, '')) || others > 0,
    commits,
    isChain: !/;|\|\||\n/.test(command),
  }
}

const MASKED = /[^|]\|[^|]|;|\|\||\n/
/** Behind a pipe these never fail by themselves. */
const PLAIN_PIPE = /\|\s*(?:tail|head|cat|tee)\b[^|;&\n]{0,200}/g

const kindOf = (word: string) => KINDS.find(([, pattern]) => pattern.test(word))?.[0]

/** Whether the last word of a command says what it checks: `make` alone does not. */
export const namesCheck = (command: string) => kindOf(command.split(' ').at(-1) ?? '') !== undefined

function familyIn(part: string): Family | null {
  const bare = part.replace(RUNNER, '')
  if (SHOWS.test(bare)) return null
  const family = familyOf(bare)
  const [program = '', ...words] = family.split(' ')
  const byWords = PROGRAM.test(program) ? words.map(kindOf).find((kind) => kind !== undefined) : undefined
  const kind = kindOf(program) ?? byWords ?? UNNAMED.find(([, pattern]) => pattern.test(bare))?.[0]
  return kind === undefined ? null : { kind, family }
}

/** Checks that no word of their family names. */
const UNNAMED: ReadonlyArray<readonly [CheckKind, RegExp]> = [
  ['test', /^node .*--test\b|^(?:\S*\/)?[\w.-]*smoke[\w.-]*(?: |$)/],
  ['build', /^make$/],
]
const INTERPRETER =
  /^(?:node|bash|sh|zsh|python3?|ruby|perl|tsx|ts-node|bun|deno run)(?: -\S+){0,3} (?=\S+\.(?:sh|bash|py|[cm]?[jt]s|rb|pl)(?:\s|$))/
const REDIRECT = /\s(?:2>&1|\d?>{1,2} ?\S{1,200}|<\S{0,200})/g

/** The words of a command up to its first option, file or number: `go test`, `npm run test:unit`, `smoke.sh`. */
function familyOf(command: string): string {
  const words: string[] = []
  for (const word of command.replace(REDIRECT, '').replace(INTERPRETER, '').trim().split(' ')) {
    const isArgument = namesCheck(words.at(-1) ?? '') && !/^(?:run|check|test|ci)$/.test(word)
    if (words.length > 0 && (!/^[A-Za-z][\w:-]*$/.test(word) || words.length >= 3 || isArgument)) break
    words.push(word.replace(/^.*\//, ''))
  }
  return redactToLine(words.join(' '), 60)
}

/** The subject that a `git commit` was given; empty where it is not in the line. */
export function commitSubject(command: string): string {
  const heredoc = /<<-?\s?['"]?(\w{1,20})['"]?[^\n]{0,40}\n\s{0,20}([^\n]{1,300})/.exec(command)
  if (heredoc) return redactToLine(heredoc[2] ?? '', 160)
  const given =
    /\s(?:-[a-zA-Z]{0,5}m|--message)[\s=]?(?:"([^"\n]{1,300})|'([^'\n]{1,300})|([^\s"']\S{0,200}))/.exec(
      command,
    )
  return redactToLine(given?.[1] ?? given?.[2] ?? given?.[3] ?? '', 160)
}

const NO_COMMIT =
  /nothing to commit|no changes added to commit|nothing added to commit|pre-commit hook failed|Aborting commit/i

/** The commit that a command made; null where it made none. One that could not be pushed is one. */
export function commitBy(command: string, failed: boolean, output: string) {
  // What git printed: `[main 1c77b2c] Subject`.
  const told = /^\[[^\]\n]{1,200} ([0-9a-f]{7,40})\] ([^\n]{1,300})/m.exec(output)
  if (told) return { hash: told[1] ?? '', subject: redactToLine(told[2] ?? '', 160) }
  return failed || NO_COMMIT.test(output) ? null : { hash: '', subject: commitSubject(command) }
}

// A runner's own sums, and what runners, compilers and linters print when something is wrong.
const PASSED_SUM =
  /\b\d{1,7} (?:tests? |specs? |examples? |checks? )?(?:pass(?:ed|ing)?|succeeded)\b|\b0 fail(?:ed|ures?)?\b/i
const FAILED_SUM = /\b[1-9]\d{0,6} (?:tests? |specs? |examples? |checks? )?fail(?:ed|ing|ures?)?\b/i
const FAILED_TEST = /^\s*(?:not ok \d|FAIL(?:ED)?[ \t:(]|--- FAIL|[✖✗✘✕] )|\bAssertionError\b/m
const FAILED =
  /^# fail [1-9]|^=+ [^\n]{0,80}[1-9]\d{0,6} errors?|npm (?:ERR!|error) |error TS\d|^Found [1-9]\d{0,6} errors?|^error(?:\[E\d+\])?:|test result: FAILED|^make: \*\*\*/m

const hasFailedTest = (output: string) => FAILED_TEST.test(output) || FAILED_SUM.test(output)

/**
 * What a command says of its families: those that passed, those of which one failed, and the line that says so. Null
 * where nobody can tell.
 */
export function judgeFamilies(
  notable: NotableCommand,
  { failed, code }: { failed: boolean; code: number | null },
  output: string,
): { passed: Family[]; failing: Family[]; detail: string } | null {
  const { families, isChain } = notable
  const verdict = verdictOf(notable, failed, output.replace(COLOUR, ''))
  if (verdict === 'unknown') return null
  // Where several ran, nobody knows whose line it is.
  if (verdict === 'passed')
    return { passed: families, failing: [], detail: families.length === 1 ? passingLine(output) : '' }
  // A command that is not there says nothing of the work.
  if (code === 126 || code === 127 || NO_COMMAND.test(output.slice(0, 2_000))) return null
  // Of a chain in which a test failed, what stands before the test has passed.
  const test = isChain && hasFailedTest(output) ? families.findLastIndex(({ kind }) => kind === 'test') : 0
  const from = Math.max(0, test)
  return { passed: families.slice(0, from), failing: families.slice(from), detail: failingLine(output) }
}

/** Behind a pipe a good exit code says nothing: a runner's own sum decides, then words that it prints when something is wrong. */
function verdictOf(
  { isMasked, isFiltered }: NotableCommand,
  failed: boolean,
  output: string,
): 'passed' | 'failed' | 'unknown' {
  if (!isMasked) return failed ? 'failed' : 'passed'
  if (PASSED_SUM.test(output) && !FAILED_SUM.test(output)) return 'passed'
  if (FAILED.test(output) || hasFailedTest(output)) return 'failed'
  if (!isFiltered) return failed ? 'failed' : 'passed'
  return failed || output === '' || COUNTS.test(output) ? 'unknown' : 'passed'
}

const COUNTS = /^\s*\d+\s*$/

/** Words of a shell or a runner that did not know the command. */
const NO_COMMAND =
  /\b(?:unrecognized subcommand|unknown (?:sub)?command|command not found|missing script|no such command)\b/i

export const rewritesHistory = (command: string) =>
  /\bgit(?: -\S+){0,4} (?:filter-repo|filter-branch|rebase)\b/.test(command)

/** How many of the newest commits a command takes back. */
export function resetBy(command: string): number {
  const found = /\bgit(?: -C \S+)? reset(?: --(?:soft|mixed|hard))? HEAD(?:~(\d{0,2})|\^)/.exec(command)
  return found === null ? 0 : Number(found[1] || 1)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: this is how a terminal is told colours
const COLOUR = /\u001B\[[0-9;?]{0,20}[A-Za-z]/g
const plainTail = (output: string) => plainText(output.slice(-4_000).replace(COLOUR, ''))

const TELLING: readonly RegExp[] = [
  /^\s*(?:[✖✗✘×✕] (?!failing tests|\d)|not ok\b|--- FAIL|FAIL(?:ED)?[ \t:]|test \S{1,200} \.\.\. FAILED|\d{1,4}\) )/,
  /(?:AssertionError|[A-Z][A-Za-z]{0,40}Error:|Error:|error TS\d|error:|fatal:|panicked at|Exception)/,
  /\b(?:failed|failing|FAILED)\b/i,
]

/** The line of an output that says best what is wrong. It is a program's text: data, and only for the trusted. */
export function failingLine(output: string): string {
  const lines = plainTail(output)
    .split('\n')
    .filter((line) => line.length < 1_000 && !/^(?:Error: )?Exit code \d/.test(line))
  for (const pattern of TELLING) {
    const found = lines.find((line) => pattern.test(line))
    if (found !== undefined) return redactToLine(found.replace(/^\s*(?:[✖✗✘×✕]|-{2,}) ?/, ''), 160)
  }
  return ''
}

const SUMS = /\b(\d{1,7}) (?:tests? |specs? |examples? |checks? )?(?:pass(?:ed|ing)?|ok|succeeded)\b/i
const CLEAN = /\b0 (?:issues|errors|problems|failures)\b/i

/** The line of an output that sums up what passed: the largest sum, for some runners print one for each part. */
export function passingLine(output: string): string {
  const lines = plainTail(output)
    .split('\n')
    .filter((line) => line.length < 300)
  const sums = lines.map((line) => ({ line, sum: Number(SUMS.exec(line)?.[1] ?? -1) }))
  const best = sums.reduce((a, b) => (b.sum > 0 && b.sum >= a.sum ? b : a), { line: '', sum: 0 })
  const found = best.line || lines.findLast((line) => CLEAN.test(line)) || ''
  return redactToLine(found.replace(/[=─━*-]{3,}/g, ' '), 120)
}
