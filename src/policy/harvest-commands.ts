import { plainText } from '../core/bullets.ts'
import { tidy } from './harvest-sentences.ts'

/** Commands whose outcome says how the work stands. */
export type CommandKind = 'test' | 'build' | 'lint' | 'commit'

const RUNNER =
  /^(?:(?:npx|bunx|pnpx|pnpm exec|yarn|pnpm dlx|poetry run|uv run|pipenv run|bundle exec|python3? -m|sudo|time|env|command|timeout \S{1,10}|[A-Za-z_][A-Za-z0-9_]{0,60}=\S{0,200})(?: -{1,2}(?:yes|y|no-install))? ){0,5}/
const SCRIPT = '(?:npm|pnpm|yarn|bun)(?: run| --silent| -s| -w \\S+| --prefix \\S+){0,3} '
const KINDS: ReadonlyArray<readonly [CommandKind, RegExp]> = [
  ['commit', /^git(?: -[cC] \S+){0,4} commit\b/],
  [
    'test',
    new RegExp(
      `^(?:${SCRIPT}(?:test|t|e2e|spec)(?:[:\\s]|$)|(?:vitest|jest|mocha|ava|tap|pytest|py\\.test|unittest|tox|nox|rspec|phpunit|ctest)(?:\\s|$)|(?:playwright|bun|deno|go|cargo|dotnet|mix|swift|zig|rails|make|gradle|\\./gradlew|mvn|flutter|sbt|stack|node) (?:\\S+ )?(?:--)?(?:test|check|nextest)(?:[\\s:]|$)|cypress run|\\./(?:run[-_])?tests?(?:\\.sh)?(?:\\s|$))`,
    ),
  ],
  [
    'lint',
    new RegExp(
      `^(?:${SCRIPT}(?:lint|check|typecheck|type-check|types|format|fmt)(?:[:\\s]|$)|(?:eslint|biome|ruff|flake8|mypy|pyright|tsc|oxlint|stylelint|golangci-lint|rubocop|shellcheck|knip)(?:\\s|$)|prettier .{0,60}--check|cargo (?:clippy|fmt)|go vet)`,
    ),
  ],
  [
    'build',
    new RegExp(
      `^(?:${SCRIPT}build(?:[:\\s]|$)|(?:cargo|go|docker|dotnet|vite|next|swift|zig|gradle|\\./gradlew) build(?:\\s|$)|make(?:\\s|$)|mvn (?:package|install|compile)|webpack(?:\\s|$)|cmake --build)`,
    ),
  ],
]

/** The notable part of a command line. */
export interface Notable {
  kind: CommandKind
  /** The command as it is told; the same command again has the same name. */
  name: string
  /** Its exit code may be that of something else: a pipe, or what follows. */
  isMasked: boolean
  /** It also commits. */
  commits: boolean
}

/** What of a shell line is worth telling, or null. Where several parts are, they are told as one. */
export function notableOf(command: string): Notable | null {
  const parts = simpleCommands(command).flatMap((part) => {
    const bare = part.replace(RUNNER, '')
    const kind = KINDS.find(([, pattern]) => pattern.test(bare) || pattern.test(part))?.[0]
    return kind === undefined ? [] : [{ kind, text: withoutRedirects(part) }]
  })
  const commit = parts.find(({ kind }) => kind === 'commit')
  const told = parts.filter(({ kind }) => kind !== 'commit')
  const [first] = told
  const isMasked = MASKED.test(command)
  const commits = commit !== undefined
  if (first)
    return { kind: first.kind, name: tidy(told.map(({ text }) => text).join(' && '), 120), isMasked, commits }
  return commits ? { kind: 'commit', name: 'git commit', isMasked, commits } : null
}

const DESCRIBED: ReadonlyArray<readonly [CommandKind, RegExp]> = [
  ['test', /\b(?:tests?|specs?|test suite)\b/i],
  ['lint', /\b(?:lint\w*|type-?checks?)\b/i],
  ['build', /\b(?:build|compile)\b/i],
]

/** A command that its own name does not tell: by what the agent said it is for. */
export function describedOf(command: string, description: string): Notable | null {
  const kind = /^\s*(?:run|re-?run|execute|check)\b/i.test(description)
    ? DESCRIBED.find(([, pattern]) => pattern.test(description))?.[0]
    : undefined
  return kind === undefined ? null : plainly(command, kind)
}

/** The same by what it printed when it failed. */
export const failedTest = (command: string, output: string): Notable | null =>
  FAILED_TEST.test(output.replace(COLOUR, '')) ? plainly(command, 'test') : null

const FAILED_TEST =
  /^\s*(?:not ok \d|FAIL(?:ED)?[ \t:(]|--- FAIL|[✖✗✘✕] )|\bAssertionError\b|\b[1-9]\d{0,6} (?:tests? )?fail(?:ed|ing|ures?)\b/m

const plainly = (command: string, kind: CommandKind): Notable => ({
  ...{ kind, name: tidy(withoutRedirects(command), 120), commits: false },
  isMasked: MASKED.test(command),
})

const MASKED = /[^|]\|[^|]|;|\|\||\n/
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
  if (heredoc) return tidy(heredoc[2] ?? '', 160)
  const given =
    /\s(?:-[a-zA-Z]{0,5}m|--message)[\s=]?(?:"([^"\n]{1,300})|'([^'\n]{1,300})|([^\s"']\S{0,200}))/.exec(
      command,
    )
  return tidy(given?.[1] ?? given?.[2] ?? given?.[3] ?? '', 160)
}

const NO_COMMIT =
  /nothing to commit|no changes added to commit|nothing added to commit|pre-commit hook failed|Aborting commit/i
// Sums that test runners, compilers and linters print when something is wrong.
const FAILED =
  /^\s*(?:Tests?|Test Files|Test Suites):?\s[^\n]{0,60}[1-9]\d{0,6} failed|\b[1-9]\d{0,6} failing\b|^not ok \d|^# fail [1-9]|^=+ [^\n]{0,80}[1-9]\d{0,6} (?:failed|errors?)|^FAIL(?:ED)?[ \t:(]|^--- FAIL|npm (?:ERR!|error) |error TS\d|^Found [1-9]\d{0,6} errors?|[✖✗] [1-9]\d{0,6} problems?|^error(?:\[E\d+\])?:|test result: FAILED|^make: \*\*\*/m

export const isCommit = (failed: boolean, output: string) => !failed && !NO_COMMIT.test(output)

/** Whether a command came out right. Behind a pipe the exit code says nothing, so the sums in the output count. */
export function isFailure({ kind, isMasked }: Notable, failed: boolean, output: string): boolean {
  if (kind === 'commit') return !isCommit(failed, output)
  return failed || (isMasked && FAILED.test(output.replace(COLOUR, '')))
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: this is how a terminal is told colours
const COLOUR = /\u001B\[[0-9;?]{0,20}[A-Za-z]/g
const shown = (output: string) => plainText(output.slice(-4_000).replace(COLOUR, ''))

const TELLING: readonly RegExp[] = [
  /^\s*(?:[✖✗✘×✕] (?!failing tests|\d)|not ok\b|--- FAIL|FAIL(?:ED)?[ \t:]|test \S{1,200} \.\.\. FAILED|\d{1,4}\) )/,
  /(?:AssertionError|[A-Z][A-Za-z]{0,40}Error:|Error:|error TS\d|error:|panicked at|Exception)/,
  /\b(?:failed|failing|FAILED)\b/i,
]

/** The line of an output that says best what is wrong. It is a program's text: data, and only for the trusted. */
export function failingLine(output: string): string {
  const lines = shown(output)
    .split('\n')
    .filter((line) => line.length < 1_000 && !/^(?:Error: )?Exit code \d/.test(line))
  for (const pattern of TELLING) {
    const found = lines.find((line) => pattern.test(line))
    if (found !== undefined) return tidy(found.replace(/^\s*(?:[✖✗✘×✕]|-{2,}) ?/, ''), 160)
  }
  return ''
}

export const exitCodeOf = (output: string): number | null => {
  const found = /^(?:Error: )?Exit code (\d{1,3})\b/m.exec(output.slice(0, 200))
  return found ? Number(found[1]) : null
}

/** The files that a command took away, as it names them, and the folder that it went to first. */
export function removedBy(command: string): Array<{ path: string; byGit: boolean }> {
  const parts = simpleCommands(command)
  const folder = /^cd (?:"([^"]{1,300})"|'([^']{1,300})'|(\S{1,300}))$/.exec(parts[0] ?? '')
  const into = folder?.[1] ?? folder?.[2] ?? folder?.[3] ?? ''
  return parts.flatMap((part) => {
    const found = /^(git rm|rm|unlink)\s+(.{1,900})$/.exec(part)
    if (!found) return []
    return (found[2] ?? '')
      .split(' ')
      .map((word) => word.replace(/^["']|["']$/g, ''))
      .filter((word) => word !== '' && !word.startsWith('-') && !/[*?$`{}<>()~&]/.test(word))
      .slice(0, 20)
      .map((path) => ({
        path: into !== '' && !path.startsWith('/') ? `${into}/${path}` : path,
        byGit: found[1] === 'git rm',
      }))
  })
}

/** The files whose changes a command threw away. */
export function revertedBy(command: string): string[] {
  return simpleCommands(command).flatMap((part) => {
    const found =
      /^git (?:checkout (?:\S{1,80} )?-- |restore (?:--(?:worktree|source=\S{1,80}) )?)(.{1,900})$/.exec(part)
    if (!found || /--staged/.test(part)) return []
    return (found[1] ?? '')
      .split(' ')
      .filter((word) => word !== '' && !word.startsWith('-'))
      .slice(0, 20)
  })
}
