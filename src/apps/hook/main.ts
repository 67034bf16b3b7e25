import { readSync } from 'node:fs'
import { AGENTS, agentNamed } from '../../agents/table.ts'
import type { Agent } from '../../core/agent.ts'
import type { AgentEvent } from '../../core/agent-event.ts'
import { parseOrUndefined } from '../../core/json.ts'
import { errorCode } from '../../core/reason.ts'
import { secretMarkIn } from '../../engine/context/secret-mark.ts'
import { noteFault } from '../../engine/sessions/fault.ts'
import { appendTo, hearEvent } from '../../engine/sessions/hear-event.ts'
import { homeHere, isSharedHome, type StartedProgram } from '../process/program.ts'
import { realPorts } from '../process/real-ports.ts'
import { pauseOneMs, writeAll } from '../process/write-all.ts'
import { renderStatusline } from './statusline.ts'

/** A tool's answer may be large; what no hook can be given is larger. */
const MAX_INPUT = 64 * 1024 * 1024

/** How a hook hears and answers. */
interface Pipes {
  readInput(): string
  write(text: string): void
}

/** What is loaded from now on is kept compiled apart. */
type NextStage = StartedProgram<unknown>['nextStage']

/** Answers, and ends the process; `keepCompiled` comes last, when nobody waits for words any more. */
export function runHook(words: string[], nextStage: NextStage, keepCompiled: () => void): void {
  const leave = () => {
    keepCompiled()
    process.exit(0)
  }
  const work = answerHook(words, nextStage)
  if (work === null) leave()
  else work.then(leave)
}

/**
 * A hook of an agent, from its payload to its answer; null where nothing is waited for. Whatever goes wrong, the agent
 * goes on as if nobody were listening: nothing is thrown, nothing is printed but a whole answer, and a reason is left
 * for the doctor.
 */
export function answerHook(
  words: string[],
  nextStage: NextStage,
  pipes: Pipes = { readInput, write: (text) => writeAll(1, text) },
): Promise<void> | null {
  const home = homeHere()
  const isShared = isSharedHome(home)
  let name = words[0] ?? ''
  const noteFailure = (error: unknown) => {
    const { reason, message } = wordsOf(error)
    if (!isShared) noteFault(home, { at: now(), event: name, reason, message })
    return null
  }
  try {
    const input = pipes.readInput()
    // Whoever can write to the home could speak to the agent through its brief.
    if (isShared) return null
    if (name === 'statusline') {
      const columns = Number(process.env.COLUMNS) || 80
      const world = {
        home,
        nowMs: Date.now(),
        columns,
        env: process.env,
        agents: AGENTS,
        key: words[1] ?? '',
      }
      const line = renderStatusline(input, world)
      if (line !== '') pipes.write(`${line}\n`)
      return null
    }
    const agent = agentNamed(AGENTS, name)
    if (agent === null) throw new Error(`no agent is called ${JSON.stringify(name)}`)
    const event = input === '' ? null : agent.eventOf(parseOrUndefined(input), now())
    if (event === null) return null
    name = event.kind
    const { isDue, usedPercent, failure } = hearEvent(home, agent, event, {
      elapsed: elapsedMs,
      mark: secretMarkIn(home, realPorts.random),
    })
    if (failure !== null) noteFailure(failure)
    return isDue
      ? answer(home, event, usedPercent, { ...pipes, agent, nextStage, noteFailure })
          .catch(noteFailure)
          .then(() => undefined)
      : null
  } catch (error) {
    return noteFailure(error)
  }
}

async function answer(
  home: string,
  event: AgentEvent,
  usedPercent: number | null,
  {
    write,
    agent,
    nextStage,
    noteFailure,
  }: Pipes & {
    agent: Agent
    nextStage: NextStage
    noteFailure(error: unknown): void
  },
): Promise<void> {
  // Kept apart: most events need none of it.
  const { used, keep } = nextStage(WITH_BRIEF, WITH_STORE)
  const { handleEvent } = await import('./handle-event.ts')
  const told = await handleEvent(event, agent.projectOf(process.env) ?? event.cwd, usedPercent)
  if (told !== null) write(agent.envelope(event.kind, told.text))
  if (told?.failure !== undefined) noteFailure(told.failure)
  appendTo(home, event, { timing: { of: event.kind, ms: elapsedMs(), tokens: told?.tokens ?? 0 } })
  // A start that tells a brief uses the most of the program, and is what an agent waits for.
  if (event.kind === 'start' && told !== null) keep(WITH_BRIEF, DAY_MS)
  else if (used() !== WITH_BRIEF) keep(WITH_STORE)
}

/** Under these words is kept compiled what opens the store. */
const WITH_BRIEF = 'hookbrief'
const WITH_STORE = 'hook'
const DAY_MS = 86_400_000

const now = () => new Date().toISOString()
/** With the start of the process, which is most of it. */
const elapsedMs = () => Math.round(process.uptime() * 1_000)

function readInput(): string {
  const chunks: Buffer[] = []
  const chunk = Buffer.allocUnsafe(65_536)
  for (let size = 0; size < MAX_INPUT; ) {
    try {
      const count = readSync(0, chunk)
      if (count === 0) break
      chunks.push(Buffer.from(chunk.subarray(0, count)))
      size += count
    } catch (error) {
      // A pipe may have nothing yet, and on some systems its end is an error.
      const code = errorCode(error)
      if (code === 'EOF') break
      if (code !== 'EAGAIN') throw error
      pauseOneMs()
    }
  }
  return Buffer.concat(chunks).toString('utf8')
}

function wordsOf(error: unknown): { reason: string; message: string } {
  if (!(error instanceof Error)) return { reason: 'internal_error', message: String(error) }
  const named = 'reason' in error ? error.reason : 'code' in error ? error.code : undefined
  return {
    reason: typeof named === 'string' ? named : 'internal_error',
    message: error.message.slice(0, 500),
  }
}
