import { lstatSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { runCommandLine } from '../../src/apps/cli/main.ts'
import { HOUR, idOf, Lab, MINUTE } from '../session/lab.ts'
import { testPorts } from '../support/ports.ts'
import { type Sandbox, sandbox } from '../support/sandbox.ts'

/** A Monday morning. */
const MONDAY = Date.parse('2026-03-02T09:00:00.000Z')

/** Somebody's week: a clock that is set, real git, real transcripts, the command line and the hooks in one process. */
export class Week {
  /** What was told, in order: each has a heading. */
  readonly told: string[] = []
  lab: Lab

  constructor() {
    this.lab = new Lab(sandbox({ git: false }), testPorts(MONDAY))
    this.git('init', '--quiet', '--initial-branch=main')
    this.identify()
  }

  identify(): void {
    this.git('config', 'user.name', 'Ada')
    this.git('config', 'user.email', 'ada@example.com')
  }

  get box(): Sandbox {
    return this.lab.box
  }

  git(...words: string[]): string {
    const at = new Date(this.lab.ports.time).toISOString()
    Object.assign(this.box.env, { GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at })
    const said = this.box.git(...words)
    for (const path of this.box.git('ls-files').split('\n')) if (path !== '') this.dateFile(path)
    return said
  }

  /** A file that was written just now was written at the time that it is in the story. */
  private dateFile(path: string): void {
    const found = lstatSync(this.box.path(path), { throwIfNoEntry: false })
    const now = this.lab.ports.time
    if (found && found.mtimeMs > now) utimesSync(this.box.path(path), now / 1_000, now / 1_000)
  }

  commit(subject: string, files: Record<string, string>): void {
    for (const [path, text] of Object.entries(files)) this.put(path, text)
    this.git('add', '--all')
    this.git('commit', '--quiet', '-m', subject)
  }

  put(path: string, text: string): void {
    mkdirSync(dirname(this.box.path(path)), { recursive: true })
    writeFileSync(this.box.path(path), text)
    this.dateFile(path)
  }

  hours(count: number): void {
    this.lab.wait(count * HOUR)
  }

  /** To nine in the morning of the next day. */
  nextDay(): void {
    const day = 24 * HOUR
    this.lab.wait(day - ((this.lab.ports.time - MONDAY) % day))
  }

  /** The command line, as its user types it. */
  async type(...words: string[]): Promise<string> {
    this.lab.wait(MINUTE)
    let text = ''
    const out = (said: string) => {
      text += said
    }
    const door = {
      ...{ words, cwd: this.box.repo, env: this.box.env, version: '0', width: 100 },
      ...{ screen: { columns: 100, offsetMinutes: () => 0 }, errScreen: {} },
      ...{ readInput: async () => '', out, err: out },
    }
    const code = await runCommandLine(door, undefined, this.lab.ports)
    if (code !== 0) throw new Error(`savepoint ${words.join(' ')}: exit ${code}\n${text}`)
    return text
  }

  /** A session of an agent: what it is told at its start goes into the story. */
  async start(heading: string, letters: string): Promise<string> {
    this.lab.wait(MINUTE)
    const id = idOf(letters)
    const text = (await this.lab.start(id)) ?? '(nothing)'
    this.tell(heading, text)
    return id
  }

  tell(heading: string, text: string): void {
    const number = this.told.length + 1
    const plain = text
      .replaceAll(this.box.root, '/ada')
      .replace(/\d+ bytes/, 'N bytes')
      .trimEnd()
    this.told.push(`## ${number}. ${heading}\n\n${plain.replace(/^/gm, '    ')}\n`)
  }

  /** A session in which something is asked and done: a file is written, a command runs, the agent answers. */
  work(id: string, asked: string, path: string, answer: string, test?: { fails: boolean }): void {
    this.lab.prompt(id, asked)
    this.put(path, `// ${asked}\n`)
    this.lab.tool(id, 'Write', { file_path: this.box.path(path), content: 'x' }, {})
    if (test)
      this.lab.tool(
        id,
        'Bash',
        { command: 'npm test' },
        test.fails ? { content: 'Exit code 1\n1 failed, 11 passed', failed: true } : { content: '12 passed' },
      )
    this.lab.says(id, answer)
  }

  /** Another worktree of the repository, or another clone, on this machine or another one, with the same clock. */
  elsewhere(folder: string, given: { home?: string } = {}): Week {
    const other = Object.create(this) as Week
    other.lab = new Lab(this.box.elsewhere(folder, given), this.lab.ports)
    return other
  }
}
