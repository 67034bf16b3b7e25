import { appendFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import {
  homeHere,
  ignoreRefusal,
  isSharedHome,
  type StartedProgram,
  startProgram,
} from '../process/program.ts'

type HookProgram = typeof import('./main.ts')

/** Under this word is kept compiled what every event needs. */
const EVERY_EVENT = 'event'

/** Hears an agent's event or draws its status line, and ends the process with 0 whatever happens. */
export function main(words: string[]): void {
  const { program, nextStage, keep } = startOrLeave()
  program.runHook(words, nextStage, () => keep(EVERY_EVENT))
}

/** The program may be away for a moment, while another version is installed: the agent goes on, and `doctor` has the reason. */
function startOrLeave(): StartedProgram<HookProgram> {
  try {
    return startProgram<HookProgram>(EVERY_EVENT)
  } catch (error) {
    const home = homeHere()
    if (!isSharedHome(home)) ignoreRefusal(() => noteFailure(join(home, 'faults.jsonl'), String(error)))
    process.exit(0)
  }
}

/** More than this is the same fault again and again. */
const MOST_BYTES = 64 * 1024

/** What can be written without the program, which has its own way to do so. */
function noteFailure(path: string, message: string): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MOST_BYTES) return
  const fault = { at: new Date().toISOString(), event: '', reason: 'program_failed', message }
  appendFileSync(path, `\n${JSON.stringify(fault)}\n`, { mode: 0o600 })
}

if (require.main === module) main(process.argv.slice(2))
