import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { cliPath, projectRoot, type Sandbox } from './sandbox.ts'

/** A page, or some sections of it, whose commands run in their order in one repository. */
export interface GuidePart {
  page: string
  /** The heading at which it begins and the one before which it ends; else the ends of the page. */
  from?: string
  to?: string
  /** What is there before it starts: files, by their path from the repository, then what these commands make. */
  files?: Record<string, string>
  before?: string[]
  /** A line that cannot run as it stands, and what runs in its place. */
  instead?: Record<string, string>
}

type RunLine = (line: string) => { code: number | null; said: string }

export const readPage = (page: string) => readFileSync(join(projectRoot, page), 'utf8')

/** A page's text before, in and after a part. */
export function cutPart({ page, from, to }: GuidePart): [string, string, string] {
  const text = readPage(page)
  const at = (heading: string) => {
    const found = text.indexOf(`\n${heading}\n`)
    if (found === -1) throw new Error(`${page} has no heading "${heading}"`)
    return found
  }
  const [begin, end] = [from ? at(from) : 0, to ? at(to) : text.length]
  return [text.slice(0, begin), text.slice(begin, end), text.slice(end)]
}

/** The words of our command as a shell would give them: quotes may stand inside a word, a pipe or a file around it. */
export const splitWords = (line: string) =>
  [
    ...line
      .slice(line.search(/\bsavepoint\b/))
      .replace(/ > \S+$/, '')
      .matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g),
  ].map(([word]) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'))

export function mustRun(run: RunLine, line: string): void {
  const { code, said } = run(line)
  if (code !== 0) throw new Error(`$ ${line}\n${said}exit code ${code}`)
}

/** Makes a repository `shop` beside a folder of commands: ours, and one that plays the client of an agent. */
export function openShop(box: Sandbox, { files = {}, before = [] }: Omit<GuidePart, 'page'> = {}): RunLine {
  const [shop, bin] = [join(box.root, 'shop'), join(box.root, 'bin')]
  const lay = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  const commands = { savepoint: cliPath, claude: join(projectRoot, 'test/support/stand-in-client.mjs') }
  for (const [name, file] of Object.entries(commands)) {
    lay(join(bin, name), `#!/bin/sh\nexec "${process.execPath}" "${file}" "$@"\n`)
    chmodSync(join(bin, name), 0o755)
  }
  const env = { ...box.env, PATH: `${bin}${delimiter}${process.env.PATH}` }
  const asShown = (said: string) =>
    said.replaceAll(box.home, '~/.local/state/savepoint').replaceAll(box.root, '/srv')

  /** In a shell; without one, which takes 20 times as long, where the line is only a call of our command. */
  const run: RunLine = (line) => {
    const plain = line.replace(/ \\\n\s*/g, ' ').replace(/ {2,}# .*$/, '')
    if (/^savepoint(?! run exec)[^|&;<>$`~\\]*$/.test(plain)) {
      const { code, stdout, stderr } = box.run(splitWords(plain).slice(1), { cwd: shop, env })
      return { code, said: asShown(stderr + stdout) }
    }
    const given = { cwd: shop, env, encoding: 'utf8', timeout: 100_000 } as const
    const { status, stdout } = spawnSync('sh', ['-c', `{ ${line}\n} 2>&1`], given)
    return { code: status, said: asShown(stdout) }
  }
  for (const [path, text] of Object.entries({ 'src/login.ts': 'export const login = () => {}\n', ...files }))
    lay(join(shop, path), text)
  mustRun(run, 'git init -q -b main && git config user.name Ada && git config user.email ada@example.org')
  for (const line of ['git add -A && git commit -qm Begin', ...before]) mustRun(run, line)
  return run
}

/** An answer without what is different each time. What a fixture dates is of January 2026. */
const lasting = (answer: string) =>
  answer
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z|\d{8}T\d{6}Z(?:_\d{3})?(?=\.json)/g, '<time>')
    .replace(/(?!2026-01)\d{4}-\d\d-\d\d(?: \d\d:\d\d)?/g, '<day>')
    .replace(/cp_\w+Z_(\d+)-[0-9a-f]{8}/g, 'cp_$1')
    .replace(/\d+(?= ms\b| bytes\b)|(?<=127\.0\.0\.1:)\d+|(?<=\?token=).+/g, '<n>')

const BLOCK = /^(```(?:sh|text|console)\n)([\s\S]*?)(?=^```$)/gm
const BARE = /^(?:cd \S+ && )?savepoint(?: (?:.*\\\n)*.*)?$/gm

/**
 * The text of a part with the answers that its commands give; one that differs only in times and the like stays.
 * Throws where a command that is shown without an answer fails.
 */
export function replay(part: string, run: RunLine): string {
  return part.replace(BLOCK, (_, fence: string, block: string) => {
    const [head = '', ...calls] = block.split(/^\$ /m)
    if (calls.length === 0) for (const [line] of head.matchAll(BARE)) mustRun(run, line)
    const answered = calls.map((call) => {
      const [line = ''] = /^(?:.*\\\n)*.*/.exec(call) ?? []
      const answer = `${line}\n${run(line).said}`
      return `$ ${lasting(answer) === lasting(call) ? call : answer}`
    })
    return fence + head + answered.join('')
  })
}

/** The command lines that a text shows, in their order. */
export function commandsIn(text: string): string[] {
  const lines: string[] = []
  replay(text, (line) => ({ code: lines.push(line) * 0, said: '' }))
  return lines
}
