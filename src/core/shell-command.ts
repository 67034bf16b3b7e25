/** A here-document's text: up to the line that ends it, or to the end where there is none. What stands behind its mark stays. */
const HERE_DOCUMENT =
  /(?<!<)<<-?[ \t]*(['"]?)([\w.-]+)\1([^\n]*)(?:[\s\S]*?\n[ \t]*\2[ \t]*(?=\n|$)|[\s\S]*$)/g
/** Escaped characters, quotes and comments. */
const TEXT = /\\\n|\\[\s\S]|'[^']*'|"(?:\\[\s\S]|[^"\\])*"|(?<![^\s;&|()])#[^\n]*/g
/** What ends a simple command; the `&` of a redirection such as `2>&1` does not. */
const SEPARATOR = /&&|[;\n()`|]+|(?<!>)&(?!>)/

/**
 * The simple commands of a shell text, also those in substitutions, with single spaces. What is quoted becomes a word of
 * which nothing is known, so it may hold anything. As much of the shell as tells commands apart: no expansion.
 */
export const simpleCommands = (text: string): string[] =>
  text
    .replace(HERE_DOCUMENT, '$3')
    .replace(TEXT, (part) => (part === '\\\n' ? ' ' : part.startsWith('#') ? '' : QUOTED))
    .split(SEPARATOR)
    .map((part) => part.replace(/\s+/g, ' ').trim().replace(KEYWORDS, ''))
    .filter((part) => part !== '')

const QUOTED = 'x'

/** Words of the shell before a command. */
const KEYWORDS = /^(?:(?:then|do|else|elif|if|while|until|!|\{) )+/
/** Words that leave the command behind them the command. */
const BEFORE = /^(?:(?:time|command|exec|nohup|sudo|env|[A-Za-z_]\w*=\S*) )+/
/** Options of git itself that take the next word with them. */
const WITH_VALUE = '(?:-[cC]|--(?:git-dir|work-tree|namespace|exec-path|config-env))'
const COMMIT = new RegExp(`^(?:\\S*/)?git(?: ${WITH_VALUE} \\S+| (?!${WITH_VALUE} )-\\S+)* commit(?: |$)(.*)`)
/** With these, `git commit` says what it would do, or how to use it. */
const ONLY_TELLS = /(?:^| )(?:--dry-run|--short|--porcelain|--long|--help|-h)(?: |$)/

/** Whether a simple command makes a commit. */
export function isGitCommit(command: string): boolean {
  const options = COMMIT.exec(command.replace(BEFORE, ''))?.[1]
  return options !== undefined && !ONLY_TELLS.test(options.split(/(?:^| )-- /, 1)[0] ?? '')
}
