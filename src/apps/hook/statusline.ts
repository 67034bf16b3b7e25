import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent, Environment, StatusInput } from '../../core/agent.ts'
import { fieldOf, parseOrUndefined } from '../../core/json.ts'
import type { SessionKey } from '../../core/session.ts'
import { shortNumber } from '../../core/text.ts'
import { visibleLine } from '../../core/visible.ts'
import { clipWidth, widthOf } from '../../core/width.ts'
import { readGauge, readHint, writeGauge } from '../../engine/sessions/session-files.ts'
import { windowPressure } from '../../policy/window.ts'

interface World {
  home: string
  nowMs: number
  /** At least 1. */
  columns: number
  env: Environment
  agents: readonly Agent[]
  /** Which status line that was there before is ours to run: a project's by its key, else the user's. */
  key?: string
}

/**
 * The text of the status line for what the client told: how full the window is, how old the last save, and what is
 * worked on. Leaves the gauge for the hooks, which are not told it. Empty inside a chained command, whose caller
 * shows the line itself.
 */
export function renderStatusline(input: string, world: World): string {
  if (world.env[GUARD]) return ''
  const told = readStatus(input, world.agents)
  const sessions = join(world.home, 'sessions')
  // Before anything that may take time: a client that draws again ends this one.
  attempt(() => keepGauge(sessions, told, world.nowMs))
  const ours = lineOf({ ...told, ...savesOf(sessions, told.session) }, world)
  const chain = attempt(() => readChainCommand(world.home, world.key))
  const theirs = chain ? runChain(chain, input, world.env) : null
  return theirs === null ? ours : joinLines(theirs, ours, world.columns)
}

/** A client sends a few thousand; to read more would hold up its screen. */
const MAX_CHARACTERS = 1024 * 1024

/** What a client says at a drawing of its status line. The command names no agent: the one that knows the session is it. */
function readStatus(input: string, agents: readonly Agent[]): StatusInput {
  const payload = input.length > MAX_CHARACTERS ? undefined : parseOrUndefined(input)
  const told = agents.map((agent) => agent.statusOf(payload))
  return (
    told.find(({ session }) => session !== null) ??
    told[0] ?? { session: null, window: null, usedPercent: null }
  )
}

function keepGauge(sessions: string, { session, window, usedPercent }: StatusInput, nowMs: number): void {
  if (session === null || window === null) return
  const kept = attempt(() => readGauge(sessions, session))
  if (kept?.window === window && kept.usedPercent === usedPercent) return
  writeGauge(sessions, session, { window, usedPercent, at: new Date(nowMs).toISOString() })
}

/** What the line shows. */
interface StatuslineContent extends Omit<StatusInput, 'session'> {
  /** Null while nothing was saved; undefined where nobody can say. */
  savedAt: string | null | undefined
  /** Names from outside, the most important first. */
  focus: readonly string[]
}

/** A session without a hint has saved nothing; of a hint that cannot be read, or is of another shape, nothing is said. */
function savesOf(sessions: string, session: SessionKey | null): Pick<StatuslineContent, 'savedAt' | 'focus'> {
  const hint = session === null ? undefined : attempt(() => readHint(sessions, session))
  if (!hint) return { savedAt: hint, focus: [] }
  const { savedAt, focus, stream }: Partial<Record<keyof typeof hint, unknown>> = hint
  const outcomes = Array.isArray(focus) ? focus.filter(isText) : []
  return {
    savedAt: savedAt === null || isText(savedAt) ? savedAt : undefined,
    focus: outcomes.length > 0 ? outcomes : [stream].filter(isText),
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

/** Undefined where the system refuses: a status line has nobody to tell, and `doctor` looks at the home. */
function attempt<Result>(action: () => Result): Result | undefined {
  try {
    return action()
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    return undefined
  }
}

interface Part {
  text: string
  /** Cut to what is left, where that is at least so much; a part without it is shown whole or not at all. */
  least?: number
  colour?: string
}

const SEPARATOR = ' · '

const CELLS = 5
const LEAST_FOCUS = 8
const MOST_FOCUS = 48

const [RESET, RED, YELLOW] = ['\x1b[0m', '\x1b[31m', '\x1b[33m']
const WARNING = {
  low: null,
  medium: { text: 'save soon', colour: YELLOW },
  high: { text: 'save now, then /clear', colour: RED },
} as const

/** One line that fits. What is told first matters most, and what has no room goes with all behind it. */
function lineOf(shown: StatuslineContent, { nowMs, columns, env }: World): string {
  let [line, left] = ['', columns]
  for (const part of partsOf(shown, nowMs)) {
    const lead = line === '' ? '' : SEPARATOR
    const room = left - lead.length
    const width = widthOf(part.text)
    if (room < Math.min(width, part.least ?? width)) break
    const text = clipWidth(part.text, room)
    line += lead + (!env.NO_COLOR && part.colour ? part.colour + text + RESET : text)
    left = room - widthOf(text)
  }
  return line
}

function partsOf({ window, usedPercent, savedAt, focus }: StatuslineContent, nowMs: number): Part[] {
  const warning = usedPercent === null ? null : WARNING[windowPressure(usedPercent)]
  const parts: Part[] = [{ ...warning, text: gaugeOf(usedPercent, window), least: 1 }]
  if (warning) parts.push(warning)
  if (savedAt !== undefined) parts.push({ text: saveOf(savedAt, nowMs) })
  const names = focus.map(visibleLine).join(', ')
  if (names !== '') parts.push({ text: clipWidth(names, MOST_FOCUS), least: LEAST_FOCUS })
  return parts
}

function gaugeOf(usedPercent: number | null, window: number | null): string {
  const filled = Math.round(((usedPercent ?? 0) / 100) * CELLS)
  const bar = '▰'.repeat(filled) + '▱'.repeat(CELLS - filled)
  const used = usedPercent === null ? '?' : `${usedPercent} %`
  return `${bar} ${used}${window === null ? '' : ` of ${shortNumber(window)}`}`
}

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]

function saveOf(savedAt: string | null, nowMs: number): string {
  if (savedAt === null) return 'not saved yet'
  const age = nowMs - Date.parse(savedAt)
  // A clock that went back says nothing about the age.
  if (!(age >= -MINUTE)) return 'saved'
  if (age < MINUTE) return 'saved just now'
  if (age < HOUR) return `saved ${Math.floor(age / MINUTE)} min ago`
  return age < 2 * DAY ? `saved ${Math.floor(age / HOUR)} h ago` : `saved ${Math.floor(age / DAY)} d ago`
}

/** Set for the chained command: a status line inside it leaves the line to the one outside. */
const GUARD = 'SAVEPOINT_STATUSLINE_CHAIN'
const MAX_CHAINED = 64 * 1024

/**
 * The status line that was there before ours, as a shell's command; null where there was none. One of a project has a
 * key, so that it is never run in another.
 */
function readChainCommand(home: string, key = ''): string | null {
  const chains = parseOrUndefined(readFileSync(join(home, 'statusline.json'), 'utf8'))
  const chain = key === '' ? fieldOf(chains, 'chain') : fieldOf(fieldOf(chains, 'chains'), key)
  return typeof chain === 'string' && chain.trim() !== '' && !chain.includes('\0') ? chain : null
}

/** What a chained command prints, in its own colours; null where it fails, says nothing or takes too long. */
export function runChain(
  command: string,
  input: string,
  env: Environment,
  { timeoutMs = 2000 } = {},
): string | null {
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  const { status, stdout, error } = spawnSync(command, {
    shell: true,
    input,
    env: { ...env, [GUARD]: '1' },
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_CHAINED,
    windowsHide: true,
  })
  // Node also reports an error for a command that does not read its input: that one is no failure. A command that said
  // too much may have ended with 0 before Node could end it.
  const saidTooMuch = fieldOf(error, 'code') === 'ENOBUFS'
  const said = status === 0 && !saidTooMuch ? stdout.trimEnd() : ''
  return said === '' ? null : said
}

/** Theirs first. Ours goes behind it, or below where theirs has several lines or leaves no room. */
function joinLines(theirs: string, ours: string, columns: number): string {
  const isRoom = !theirs.includes('\n') && widthOf(bare(theirs + SEPARATOR + ours)) <= columns
  return theirs + (isRoom ? SEPARATOR : '\n') + ours
}

/** Colours and links take no columns. */
const bare = (line: string) => line.replace(SEQUENCES, '')
// biome-ignore lint/suspicious/noControlCharactersInRegex: these sequences begin and end with control characters.
const SEQUENCES = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g
