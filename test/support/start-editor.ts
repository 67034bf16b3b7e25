import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { transformSync } from 'esbuild'
import { onTestFinished } from 'vitest'
import type { Save, Saved } from '../workspace/editor.ts'
import { projectRoot } from './sandbox.ts'

/** An editor in a process of its own, gone when the test is over. */
export class Editor {
  private readonly child: ChildProcess

  private constructor(child: ChildProcess) {
    this.child = child
  }

  static async start(): Promise<Editor> {
    const path = mkdtempSync(join(tmpdir(), 'savepoint-editor-'))
    const source = readFileSync(join(projectRoot, 'test/workspace/editor.ts'), 'utf8')
    const script = join(path, 'editor.cjs')
    writeFileSync(script, transformSync(source, { loader: 'ts', format: 'cjs' }).code)
    const child = fork(script, { serialization: 'advanced', execArgv: [] })
    onTestFinished(() => {
      child.kill()
      rmSync(path, { recursive: true, force: true })
    })
    await once(child, 'message')
    return new Editor(child)
  }

  /** Answers when it began and ended to give the text its name. */
  async save(save: Save): Promise<Saved> {
    const answer = once(this.child, 'message')
    this.child.send(save)
    const [saved] = await answer
    // `as`: the editor sends nothing else after its first word.
    return saved as Saved
  }
}
