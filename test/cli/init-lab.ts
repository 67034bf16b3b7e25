import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { SetupChange } from '../../src/engine/setup/setup-run.ts'
import { type Sandbox, sandbox } from '../support/sandbox.ts'

export const LOCAL = '.claude/settings.local.json'

/** What `init` and `uninstall` answer with. */
export interface Answer {
  changes: SetupChange[]
  statusLine: string | null
  left: string[]
  notices?: string[]
}

/** A workspace, a home and a user's own folder of the client, which is there from the start. */
export class SetupLab {
  readonly box: Sandbox
  readonly user: string
  readonly launcher: string

  constructor({ git = true } = {}) {
    this.box = sandbox({ git })
    this.user = join(this.box.root, 'user', '.claude', 'settings.json')
    this.launcher = join(this.box.home, 'bin', 'savepoint-hook')
    mkdirSync(dirname(this.user))
    // Who runs the tests may have set it.
    this.box.env.CLAUDE_CONFIG_DIR = ''
  }

  // `as` in these: the shapes are what the verbs answer with, and the tests compare them.
  init(...args: string[]): Answer {
    return this.box.json(['init', ...args]) as unknown as Answer
  }

  uninstall(...args: string[]): Answer {
    return this.box.json(['uninstall', ...args]) as unknown as Answer
  }

  local(text?: string | Uint8Array): string {
    return this.file(this.box.path(LOCAL), text)
  }

  users(text?: string | Uint8Array): string {
    return this.file(this.user, text)
  }

  file(path: string, text?: string | Uint8Array): string {
    if (text !== undefined) {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
    }
    return readFileSync(path, 'utf8')
  }

  home(name: string): string {
    return join(this.box.home, name)
  }

  /** Copies of settings that were kept. */
  backups(): string[] {
    const folder = this.home('backups-settings')
    return existsSync(folder)
      ? readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
      : []
  }
}

export const whats = ({ changes }: Answer) => changes.map(({ what, path }) => `${what} ${path}`)
