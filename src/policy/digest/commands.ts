import { plainText } from '../../core/bullets.ts'
import { redactToLine } from './quote.ts'

/** Commands whose outcome says how the work stands. */
export type CheckKind = 'test' | 'build' | 'lint'

const RUNNER =
  /^(?:(?:npx|bunx|pnpx|pnpm exec|yarn|pnpm dlx|poetry run|uv run|pipenv run|bundle exec|python3? -m|mise (?:exec|x) --|npm exec --|sudo|time|env|command|timeout \S{1,10}|[A-Za-z_][A-Za-z0-9_]{0,60}=\S{0,200})(?: -{1,2}(?:yes|y|no-install))? ){0,5}/
const SCRIPT = '(?:npm|pnpm|yarn|bun)(?: run| --silent| -s| -w \\S+| --prefix \\S+){0,3} '
/** Runners of tasks that a project names itself. */
const TASKS =
  '(?:mise|just|task|make|moon|nx|turbo|rake|invoke|poe|hatch|pdm|composer|mix|gradle|\\./gradlew|mvn|bazel|ant|sbt|lerna)(?: run| exec){0,2} (?:-\\S+ ){0,3}'
const INTERPRETER = '(?:node|bash|sh|zsh|python3?|ruby|perl|tsx|ts-node|bun|deno run)(?: -\\S+){0,3} '
const SCRIPT_FILE = '\\.(?:sh|bash|py|[cm]?[jt]s|rb|pl)(?:\\s|$)'
/** A script whose name has such a word, run by itself or by its interpreter. */
const script = (words: string) =>
  `(?:${INTERPRETER})?(?:\\S*/)?(?:[\\w.]+[-_.])?(?:${words})(?:[-_.][\\w.-]+)?${SCRIPT_FILE}`
const KINDS: ReadonlyArray<readonly [CheckKind, RegExp]> = [
  [
    'test',
    new RegExp(
      `^(?:${SCRIPT}(?:test|t|e2e|spec)(?:[:\\s]|$)|${TASKS}(?:\\S*[:_-])?(?:tests?|e2e|spec|check|verify)(?:[\\s:_-]|$)|(?:vitest|jest|mocha|ava|tap|pytest|py\\.test|unittest|tox|nox|rspec|phpunit|ctest)(?:\\s|$)|(?:playwright|bun|deno|go|cargo|dotnet|swift|zig|rails|flutter|stack|node) (?:-\\S+ )?(?:--)?(?:test|nextest)(?:[\\s:]|$)|cypress run|\\./(?:run[-_])?tests?(?:\\s|$)|${script('run[-_]tests?|tests?|smoke|e2e|spec')})`,
    ),
  ],
  [
    'lint',
    new RegExp(
      `^(?:${SCRIPT}(?:lint|check|typecheck|type-check|types|format|fmt)(?:[:\\s]|$)|${TASKS}(?:\\S*[:_-])?(?:lint|fmt|format|typecheck)(?:[\\s:_-]|$)|(?:eslint|biome|ruff|flake8|mypy|pyright|tsc|oxlint|stylelint|golangci-lint|rubocop|shellcheck|knip)(?:\\s|$)|prettier .{0,60}--check|cargo (?:clippy|fmt|check)|go vet|gofmt|${script('lint|check|verify|validate')})`,
    ),
  ],
  [
    'build',
    new RegExp(
      `^(?:${SCRIPT}build(?:[:\\s]|$)|${TASKS}(?:\\S*[:_-])?(?:build|compile|package|install)(?:[\\s:_-]|$)|(?:cargo|go|docker|dotnet|vite|next|swift|zig) build(?:\\s|$)|make(?:\\s*$)|webpack(?:\\s|$)|cmake --build|${script('build|compile')})`,
    ),
  ],
]
const COMMIT = /^git(?: -[cC] \S+){0,4} commit\b/

/** A command that says how the work stands. Its family is what it is called, whatever files and options it was given. */
export interface Family {
  family: string
  kind: CheckKind
}

/** What of a shell line says how the work stands. */
export interface NotableCommand {
  families: Family[]
  /** Its exit code may be that of something else: a pipe, what follows, or a command beside the checks. */
  isMasked: boolean
  /** Its failure says as little: the part that failed may have found nothing. */
  isFiltered: boolean
  /** It also commits. */
  commits: boolean
  /** Each part runs only where the one before went well. */
  isChain: boolean
}

const ENVIRONMENT = /^(?:cd \S+|pushd \S+|popd|set -\S+|export \S+|source \S+|\. \S+)$/

export function notableOf(command: string): NotableCommand | null {
  const parts = simpleCommands(command).filter((part) => !ENVIRONMENT.test(part))
  const families = parts.flatMap((part): Family[] => {
    const bare = part.replace(RUNNER, '')
    const kind = KINDS.find(([, pattern]) => pattern.test(bare) || pattern.test(part))?.[0]
    return kind === undefined ? [] : [{ kind, family: familyOf(bare) }]
  })
  const commits = parts.some((part) => COMMIT.test(part))
  if (families.length === 0 && !commits) return null
  const others =
    parts.length - families.length - parts.filter((part) => COMMIT.test(part) || SHOWS.test(part)).length
  return {
    families: distinct(families),
    isMasked: MASKED.test(command) || others > 0,
    isFiltered: isFiltered(command) || others > 0,
    commits,
    isChain: !/;|\|\||\n/.test(command),
  }
}

/** Parts of a line that only show something. */
const SHOWS =
  /^(?:echo|printf|tail|head|grep|rg|cat|tee|wc|sort|less|ls|find|which|sleep|true|git (?:add|status|diff|log|show))\b/

const distinct = (families: Family[]) => [...new Map(families.map((one) => [one.family, one])).values()]

/** What stands behind a word like this is what is checked. */
const CHECKS =
  /test|spec|e2e|lint|check|build|fmt|format|vet|clippy|^(?:tsc|jest|mocha|mypy|ruff|biome|prettier)$/i
/** Whether the last word of a command says what it does: `make` alone does not. */
export const namesCheck = (command: string) => CHECKS.test(command.split(' ').at(-1) ?? '')
const INTERPRETED = new RegExp(`^${INTERPRETER}(?=\\S+${SCRIPT_FILE})`)

/** The words of a command up to its first option, file or number: `go test`, `npm run test:unit`, `smoke.sh`. */
export function familyOf(command: string): string {
  const words: string[] = []
  for (const word of withoutRedirects(command).replace(INTERPRETED, '').split(' ')) {
    const isArgument = namesCheck(words.at(-1) ?? '') && !/^(?:run|check|test|ci)$/.test(word)
    if (words.length > 0 && (!/^[A-Za-z][\w:-]*$/.test(word) || words.length >= 3 || isArgument)) break
    words.push(word.replace(/^.*\//, ''))
  }
  return redactToLine(words.join(' '), 60)
}

const DESCRIBED: ReadonlyArray<readonly [CheckKind, RegExp]> = [
  ['test', /\b(?:tests?|specs?|test suite)\b/i],
  ['lint', /\b(?:lint\w*|type-?checks?)\b/i],
  ['build', /\b(?:build|compile)\b/i],
]

/** A command that its own name does not tell: by what the agent said it is for, where it printed a runner's sum. */
export function notableByDescription(
  command: string,
  description: string,
  output: string,
): NotableCommand | null {
  const kind =
    /^\s*(?:run|re-?run|execute|check)\b/i.test(description) && (saysPassed(output) || saysFailed(output))
      ? DESCRIBED.find(([, pattern]) => pattern.test(description))?.[0]
      : undefined
  return kind === undefined ? null : plainly(command, kind)
}

/** The same by what it printed when it failed. */
export const failedTest = (command: string, output: string): NotableCommand | null =>
  hasFailedTest(output) ? plainly(command, 'test') : null

export const hasFailedTest = (output: string) => FAILED_TEST.test(output.replace(COLOUR, ''))

const FAILED_TEST =
  /^\s*(?:not ok \d|FAIL(?:ED)?[ \t:(]|--- FAIL|[✖✗✘✕] )|\bAssertionError\b|\b[1-9]\d{0,6} (?:tests? )?fail(?:ed|ing|ures?)\b/m

/** Null for a line that only looks at something, or at what is installed. */
function plainly(command: string, kind: CheckKind): NotableCommand | null {
  const [first = command] = simpleCommands(command).filter((part) => !ENVIRONMENT.test(part))
  const bare = first.replace(RUNNER, '')
  if (SHOWS.test(bare) || !/^[\w./~]/.test(bare)) return null
  return {
    families: [{ kind, family: familyOf(bare) }],
    commits: false,
    isMasked: MASKED.test(command),
    isFiltered: isFiltered(command),
    isChain: false,
  }
}

const MASKED = /[^|]\|[^|]|;|\|\||\n/
/** Behind a pipe these never fail by themselves. */
const PLAIN_PIPE = /\|\s*(?:tail|head|cat|tee)\b[^|;&\n]{0,200}/g
const isFiltered = (command: string) => MASKED.test(command.replace(PLAIN_PIPE, ''))
const withoutRedirects = (part: string) =>
  part.replace(/\s(?:2>&1|\d?>{1,2} ?\S{1,200}|<\S{0,200})/g, '').trim()

/** The parts of a shell line between `&&`, `||`, `;`, `|` and line ends, outside of quotes. */
function simpleCommands(command: string): string[] {
  const parts: string[] = []
  let from = 0
  let quote = ''
  for (let at = 0; at < command.length; at += 1) {
    const char = command.charAt(at)
    if (quote !== '') {
      if (char === quote) quote = ''
    } else if (char === '"' || char === "'") quote = char
    else if (
      char === ';' ||
      char === '\n' ||
      char === '|' ||
      (char === '&' && command.charAt(at + 1) === '&')
    ) {
      parts.push(command.slice(from, at))
      from = at + 1
      if (command.charAt(from) === char) {
        from += 1
        at += 1
      }
    }
  }
  parts.push(command.slice(from))
  return parts
    .map((part) => part.replace(/\s+/g, ' ').trim())
    .filter((part) => part !== '')
    .slice(0, 40)
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
// Sums that test runners, compilers and linters print when something is wrong.
const FAILED =
  /^\s*(?:Tests?|Test Files|Test Suites):?\s[^\n]{0,60}[1-9]\d{0,6} failed|\b[1-9]\d{0,6} failing\b|^not ok \d|^# fail [1-9]|^=+ [^\n]{0,80}[1-9]\d{0,6} (?:failed|errors?)|^FAIL(?:ED)?[ \t:(]|^--- FAIL|npm (?:ERR!|error) |error TS\d|^Found [1-9]\d{0,6} errors?|[✖✗] [1-9]\d{0,6} problems?|^error(?:\[E\d+\])?:|test result: FAILED|^make: \*\*\*/m

export const isCommit = (failed: boolean, output: string) => !failed && !NO_COMMIT.test(output)

/** A runner's own sums. */
const PASSED_SUM =
  /\b\d{1,7} (?:tests? |specs? |examples? |checks? )?(?:pass(?:ed|ing)?|succeeded)\b|\b0 fail(?:ed|ures?)?\b/i
const FAILED_SUM = /\b[1-9]\d{0,6} (?:tests? |specs? |examples? |checks? )?fail(?:ed|ing|ures?)?\b/i

const saysPassed = (output: string) =>
  PASSED_SUM.test(output.replace(COLOUR, '')) && !FAILED_SUM.test(output.replace(COLOUR, ''))
const saysFailed = (output: string) => FAILED.test(output.replace(COLOUR, '')) || hasFailedTest(output)

/**
 * How a command came out; unknown where nobody can tell. Behind a pipe a good exit code says nothing: a runner's own sum
 * decides, then words that runners print when something is wrong.
 */
export function verdictOf(
  { isMasked, isFiltered }: NotableCommand,
  failed: boolean,
  output: string,
): 'passed' | 'failed' | 'unknown' {
  if (!isMasked) return failed ? 'failed' : 'passed'
  if (saysPassed(output)) return 'passed'
  if (saysFailed(output)) return 'failed'
  if (!isFiltered) return failed ? 'failed' : 'passed'
  return failed || output === '' || COUNTS.test(output) ? 'unknown' : 'passed'
}

/** A count of lines that were found. */
const COUNTS = /^\s*\d+\s*$/

/** Words of a shell or a runner that did not know the command: it says nothing of the work. */
export const isNoCommand = (output: string) =>
  /\b(?:unrecognized subcommand|unknown (?:sub)?command|command not found|missing script|no such command)\b/i.test(
    output.slice(0, 2_000),
  )

/** Whether a command gives old commits new hashes. */
export const rewritesHistory = (command: string) =>
  /\bgit(?: -\S+){0,4} (?:filter-repo|filter-branch|rebase)\b/.test(command)

/** How many of the newest commits a command takes back. */
export function resetBy(command: string): number {
  const found = /\bgit(?: -C \S+)? reset(?: --(?:soft|mixed|hard))? HEAD(?:~(\d{0,2})|\^)/.exec(command)
  return found === null ? 0 : Number(found[1] || 1)
}

/** What git printed of a commit: `[main 1c77b2c] Subject`. */
export function commitIn(output: string): { hash: string; subject: string } | null {
  const found = /^\[[^\]\n]{1,200} ([0-9a-f]{7,40})\] ([^\n]{1,300})/m.exec(output)
  return found ? { hash: found[1] ?? '', subject: redactToLine(found[2] ?? '', 160) } : null
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
