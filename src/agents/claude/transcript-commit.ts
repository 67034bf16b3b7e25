/** Options of git itself that take the next word with them. */
const WITH_VALUE = ['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--exec-path', '--config-env']
/** Words before a command that leave it the command. */
const BEFORE = [
  'then',
  'do',
  'else',
  'elif',
  'if',
  'while',
  'until',
  '!',
  '{',
  'time',
  'command',
  'exec',
  'nohup',
  'sudo',
  'env',
]
/** With these, `git commit` says what it would do, or how to use it. */
const ONLY_TELLS = ['--dry-run', '--short', '--porcelain', '--long', '--help', '-h']

/** How often a shell command calls `git commit`: not in quotes, comments or the text of a here-document. */
export function countCommits(command: string): number {
  if (!command.includes('commit') || !command.includes('git')) return 0
  let count = 0
  for (const words of commandsOf(command)) if (isCommit(words)) count += 1
  return count
}

function isCommit(words: string[]): boolean {
  let at = 0
  while (BEFORE.includes(words[at] ?? '') || /^[A-Za-z_]\w*=/.test(words[at] ?? '')) at += 1
  if (!/^(?:.*\/)?git$/.test(words[at] ?? '')) return false
  at += 1
  while ((words[at] ?? '').startsWith('-')) at += WITH_VALUE.includes(words[at] ?? '') ? 2 : 1
  if (words[at] !== 'commit') return false
  const options = words.slice(at + 1)
  const end = options.indexOf('--')
  return !(end < 0 ? options : options.slice(0, end)).some((word) => ONLY_TELLS.includes(word))
}

/**
 * The simple commands of a shell text, as words, also those in substitutions.
 * As much of the shell as tells words apart: no expansion, no redirection.
 */
function commandsOf(text: string): string[][] {
  const commands: string[][] = []
  /** The commands that are being read: the last is in the innermost substitution. */
  const open: Array<{ words: string[]; quoted: boolean; around: string }> = [
    { words: [], quoted: false, around: '' },
  ]
  const awaited: Array<{ mark: string; indented: boolean }> = []
  let word: string | null = null
  let quoted = false
  let at = 0
  const endWord = () => {
    if (word !== null) open.at(-1)?.words.push(word)
    word = null
  }
  const endCommand = () => {
    endWord()
    const level = open.at(-1)
    if (level === undefined) return
    if (level.words.length > 0) commands.push(level.words)
    level.words = []
  }
  while (at < text.length) {
    const c = text.charAt(at)
    if (c === '\\') {
      if (text.charAt(at + 1) !== '\n') word = (word ?? '') + text.charAt(at + 1)
      at += 2
    } else if (c === '$' && text.charAt(at + 1) === '(') {
      // What is substituted is a part of its word, of which nothing is known.
      open.push({ words: [], quoted, around: `${word ?? ''}$` })
      word = null
      quoted = false
      at += 2
    } else if (quoted) {
      if (c === '"') quoted = false
      else word = (word ?? '') + c
      at += 1
    } else if (c === '"') {
      quoted = true
      word ??= ''
      at += 1
    } else if (c === "'") {
      const end = text.indexOf("'", at + 1)
      word = (word ?? '') + text.slice(at + 1, end < 0 ? text.length : end)
      at = end < 0 ? text.length : end + 1
    } else if (c === '#' && word === null) {
      const end = text.indexOf('\n', at)
      at = end < 0 ? text.length : end
    } else if (c === '<' && text.startsWith('<<', at) && !text.startsWith('<<<', at)) {
      endWord()
      const match = /^<<(-?)[ \t]*(?:'([^']*)'|"([^"]*)"|([\w.-]+))/.exec(text.slice(at, at + 200))
      if (match) awaited.push({ mark: match[2] ?? match[3] ?? match[4] ?? '', indented: match[1] === '-' })
      at += match ? match[0].length : 2
    } else if (c === '\n') {
      endCommand()
      at += 1
      for (const { mark, indented } of awaited.splice(0)) at = afterHeredoc(text, at, mark, indented)
    } else if (c === ')' && open.length > 1) {
      endCommand()
      const level = open.pop()
      quoted = level?.quoted ?? false
      word = level?.around ?? null
      at += 1
    } else if (c === ';' || c === '&' || c === '|' || c === '(' || c === ')' || c === '`') {
      // A redirection such as 2>&1 is no end of a command.
      if (c === '&' && (text.charAt(at - 1) === '>' || text.charAt(at + 1) === '>')) word = (word ?? '') + c
      else endCommand()
      at += 1
    } else if (c === ' ' || c === '\t' || c === '\r') {
      endWord()
      at += 1
    } else {
      word = (word ?? '') + c
      at += 1
    }
  }
  while (open.length > 0) {
    endCommand()
    open.pop()
  }
  return commands
}

/** Past the line that ends a here-document's text; the end where there is none. */
function afterHeredoc(text: string, from: number, mark: string, indented: boolean): number {
  let at = from
  while (at < text.length) {
    const end = text.indexOf('\n', at)
    const line = text.slice(at, end < 0 ? text.length : end)
    if ((indented ? line.replace(/^\t+/, '') : line).trimEnd() === mark)
      return end < 0 ? text.length : end + 1
    if (end < 0) break
    at = end + 1
  }
  return text.length
}
