import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../support/sandbox.ts'
import { type Answer, SetupLab } from './init-lab.ts'

export const COMMAND = '.claude/commands/checkpoint.md'
export const ADD = (folder: string) => `plugin marketplace add ${folder}`
export const INSTALL = 'plugin install context@savepoint --scope local'

/** What `init` and `uninstall` say of the plugin. */
export interface Plugged extends Answer {
  ok: boolean
  reason?: string
  message?: string
  hint?: string
  plugin: { problem: string | null; says: string | null } | null
}

/** A workspace with a client on PATH that plays the real one. */
export class PluginLab extends SetupLab {
  readonly tools: string
  readonly copy: string
  readonly server: string

  constructor() {
    super()
    this.tools = join(this.box.root, 'tools')
    this.copy = this.home('plugins/claude')
    this.server = this.home('bin/savepoint-mcp')
    mkdirSync(this.tools)
    const played = join(projectRoot, 'test', 'support', 'stand-in-plugins.mjs')
    writeFileSync(join(this.tools, 'client.mjs'), readFileSync(played))
    const script = `#!/bin/sh\nexec '${process.execPath}' '${this.tools}/client.mjs' "$@"\n`
    writeFileSync(join(this.tools, 'claude'), script, { mode: 0o755 })
    this.box.env.PATH = `${this.tools}:${this.box.env.PATH}`
  }

  /** What it was asked to do, since it was last looked at. */
  asked(): string[] {
    const file = join(this.tools, 'asked')
    const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    writeFileSync(file, '')
    return text.split('\n').filter(Boolean)
  }

  mood(mood: 'fail' | ''): void {
    writeFileSync(join(this.tools, 'mood'), mood)
  }

  /** Another workspace beside the first. */
  workspace(name: string): string {
    const path = join(this.box.root, name)
    mkdirSync(path)
    return path
  }

  /** What a person types, in a workspace. */
  type(cwd: string, ...words: string[]): void {
    execFileSync(join(this.tools, 'claude'), words, { cwd, env: this.box.env })
  }

  /** With --json, whatever it ends with. */
  answer(...words: string[]): Plugged {
    // `as`: the shape is what the verbs answer with, and the tests compare it.
    return JSON.parse(this.box.run([...words, '--json']).stdout) as Plugged
  }
}
