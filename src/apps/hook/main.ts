import { readSync, writeSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { envelope, eventOf } from '../../agents/claude/hooks.ts'
import { lastUse } from '../../agents/claude/last-use.ts'
import { windowOf } from '../../agents/claude/window.ts'
import type { AgentEvent } from '../../core/agent-event.ts'
import { homePathBy } from '../../core/home-path.ts'
import { noteFault } from '../../operations/session/fault.ts'
import { headHere } from '../../operations/session/head-here.ts'
import type { Answer, Gauged } from '../../operations/session/on-event.ts'
import type { JournalRecord } from '../../operations/session/record.ts'
import { appendRecord, type Hint, readGauge, readHint } from '../../operations/session/session-files.ts'
import { asksForWindow, isDueNow } from '../../policy/due-now.ts'
import { redactAll } from '../../policy/redact.ts'
import { startProgram } from '../program.ts'
import { statusline } from './statusline.ts'

/** What the program shows to a hook. */
interface Program {
  act(event: AgentEvent, cwd: string, gauged: Gauged): Promise<{ answer: Answer; notices: string[] }>
}

/** A tool's answer may be large; what no hook can be given is larger. */
const MAX_INPUT = 64 * 1024 * 1024

/**
 * A hook of an agent, from its payload to its answer. Whatever goes wrong, the agent goes on as if nobody were
 * listening: it exits with 0, prints nothing but a whole answer, and leaves a reason for the doctor.
 */
export function main(words: string[]): void {
  const home = homeHere()
  let name = words[0] ?? ''
  const failed = (error: unknown) => {
    const { reason, message } = wordsOf(error)
    noteFault(home, { at: now(), event: name, reason, message })
    process.exit(0)
  }
  try {
    const input = readInput()
    if (name === 'statusline') {
      tellStatus(input, home, words[1])
      process.exit(0)
    }
    const event = input === '' ? null : eventOf(parsed(input), now())
    if (event === null) process.exit(0)
    name = event.kind
    const gauged = gaugedFor(home, event)
    const isDue = isDueNow(event, hintOf(home, event), gauged.usedPercent)
    record(home, {
      event,
      ms: isDue ? null : elapsed(),
      head: event.kind === 'start' ? headHere(event.cwd) : null,
    })
    if (!isDue) process.exit(0)
    answer(home, event, gauged).then(() => process.exit(0), failed)
  } catch (error) {
    failed(error)
  }
}

async function answer(home: string, event: AgentEvent, gauged: Gauged): Promise<void> {
  const { program, used, keep } = startProgram<Program>(WITH_BRIEF, ANY)
  const { answer: told } = await program.act(event, process.env.CLAUDE_PROJECT_DIR ?? event.cwd, gauged)
  if (told !== null) print(envelope(event.kind, told.text))
  const key = { agent: event.agent, id: event.session }
  appendRecord(join(home, 'sessions'), key, {
    timing: { of: event.kind, ms: elapsed(), tokens: told?.tokens ?? 0 },
  } satisfies JournalRecord)
  // A start that tells a brief uses the most of the program, and is what an agent waits for.
  if (event.kind === 'start' && told !== null) keep(WITH_BRIEF, DAY_MS)
  else if (used !== WITH_BRIEF) keep(ANY)
}

/** Under these words the compiled program is kept for hooks. */
const WITH_BRIEF = 'hookbrief'
const ANY = 'hook'
const DAY_MS = 86_400_000

/** Without one that can be used the store is looked into, and a new one is written. */
const hintOf = (home: string, { agent, session }: AgentEvent): Hint | null =>
  readHint(join(home, 'sessions'), { agent, id: session }) ?? null

/** How full the window is: the transcript's last call, in the window that the status line was told of. */
function gaugedFor(home: string, event: AgentEvent): Gauged {
  const use = asksForWindow(event) && event.transcript !== null ? lastUse(event.transcript) : null
  if (use === null) return { usedPercent: null, window: null }
  const gauge = readGauge(join(home, 'sessions'), { agent: event.agent, id: event.session })
  const window = gauge?.window ?? windowOf(use.model)
  return { usedPercent: window ? (use.tokens / window) * 100 : null, window }
}

/** What reaches the disk holds no secret. */
function record(home: string, line: JournalRecord): void {
  if (!('event' in line)) return
  const { agent, session: id } = line.event
  appendRecord(join(home, 'sessions'), { agent, id }, redactAll(line))
}

function tellStatus(input: string, home: string, key = ''): void {
  const columns = Number(process.env.COLUMNS) || 80
  const line = statusline(input, { home, nowMs: Date.now(), columns, env: process.env, key })
  if (line !== '') print(`${line}\n`)
}

const now = () => new Date().toISOString()
/** With the start of the process, which is most of it. */
const elapsed = () => Math.round(process.uptime() * 1_000)

function homeHere(): string {
  // Loaded only where no variable says it.
  const homedir = () => (require('node:os') as typeof import('node:os')).homedir()
  return homePathBy(process.env, process.platform, { join, resolve, homedir })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return null
  }
}

function readInput(): string {
  const chunks: Buffer[] = []
  const chunk = Buffer.allocUnsafe(65_536)
  for (let size = 0; size < MAX_INPUT; ) {
    const count = readSome(chunk)
    if (count === 0) break
    chunks.push(Buffer.from(chunk.subarray(0, count)))
    size += count
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** A pipe may have nothing yet, and on some systems its end is an error. */
function readSome(chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(0, chunk)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code === 'EOF') return 0
      if (code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
  }
}

function print(text: string): void {
  const bytes = Buffer.from(text)
  for (let from = 0; from < bytes.length; ) {
    try {
      from += writeSync(1, bytes, from)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
  }
}

function wordsOf(error: unknown): { reason: string; message: string } {
  if (!(error instanceof Error)) return { reason: 'internal_error', message: String(error) }
  const named = 'reason' in error ? error.reason : 'code' in error ? error.code : undefined
  return {
    reason: typeof named === 'string' ? named : 'internal_error',
    message: error.message.slice(0, 500),
  }
}

if (require.main === module) main(process.argv.slice(2))
