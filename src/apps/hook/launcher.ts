import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  homeHere,
  ignoreRefusal,
  isSharedHome,
  type StartedProgram,
  startProgram,
} from '../process/program.ts'

type HookProgram = typeof import('./main.ts')

/** Hears an agent's event or draws its status line, and ends the process with 0 whatever happens. */
export function main(words: string[]): void {
  const started = startOrLeave()
  started.program.runHook(words, started)
}

/** The program may be away for a moment, while another version is installed: the agent goes on, and `doctor` has the reason. */
function startOrLeave(): StartedProgram<HookProgram> {
  try {
    return startProgram<HookProgram>('event')
  } catch (error) {
    const fault = {
      at: new Date().toISOString(),
      event: '',
      reason: 'program_failed',
      message: String(error),
    }
    const home = homeHere()
    if (!isSharedHome(home))
      ignoreRefusal(() =>
        appendFileSync(join(home, 'faults.jsonl'), `\n${JSON.stringify(fault)}\n`, { mode: 0o600 }),
      )
    process.exit(0)
  }
}

if (require.main === module) main(process.argv.slice(2))
