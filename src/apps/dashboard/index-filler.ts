import { type ChildProcess, spawn } from 'node:child_process'
import type { Context } from '../../engine/context/context.ts'

/** So many that are not in the index yet a search takes in by itself, before its answer. */
const AT_ONCE = 1_000

/**
 * Fills the search index beside the server, by a search of the command line: over years of work the first one takes a
 * minute, in which the server must answer, and more memory than it may hold.
 */
export class IndexFiller {
  private child: ChildProcess | null = null

  /** Whether the index is far behind. Then it is being filled from here on, and an answer has only what is in it. */
  async isFilling({ store }: Context, cwd: string, env: Context['env']): Promise<boolean> {
    if (this.child !== null) return true
    const { left } = await store.index.readUnsearched(1)
    const program = process.argv[1]
    if (left <= AT_ONCE || program === undefined) return false
    const child = spawn(process.execPath, [program, 'search', 'savepoint', '--json'], {
      ...{ cwd, env, stdio: 'ignore' },
    })
    const leave = () => {
      this.child = null
    }
    child.once('exit', leave).once('error', leave)
    this.child = child
    return true
  }

  end(): void {
    this.child?.kill()
  }
}
