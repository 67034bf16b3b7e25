import { backup } from './backup.ts'
import { doctor } from './doctor.ts'
import type { Operation } from './operation.ts'
import { runError } from './run/error.ts'
import { runExec } from './run/exec.ts'
import { runFinish } from './run/finish.ts'
import { runList } from './run/list.ts'
import { runPause } from './run/pause.ts'
import { runPin } from './run/pin.ts'
import { runPrune } from './run/prune.ts'
import { runResume } from './run/resume.ts'
import { runSave } from './run/save.ts'
import { runShow } from './run/show.ts'
import { runStart } from './run/start.ts'
import { runStep } from './run/step.ts'
import { runVerify } from './run/verify.ts'

/** Every verb, once. The command line, its help, its completion and docs/commands.md are made from this. */
export const OPERATIONS = [
  runStart,
  runStep,
  runError,
  runSave,
  runExec,
  runFinish,
  runPause,
  runPin,
  runList,
  runShow,
  runVerify,
  runPrune,
  runResume,
  doctor,
  backup,
  // `as`: each operation's input and result belong together; a table of them can only promise that they do.
] as unknown as readonly Operation[]

/** Words that group several verbs. */
export const GROUPS = { run: 'Runs of a plan and their snapshots' } as const
