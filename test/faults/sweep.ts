import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runCommandLine } from '../../src/apps/cli/main.ts'
import { decodeSnapshot } from '../../src/formats/snapshot/codec.ts'
import { snapshotOfName } from '../../src/formats/snapshot/layout.ts'
import { type Finished, type Sandbox, sandbox } from '../support/sandbox.ts'
import { sampleOf } from './sample.ts'
import { type LoggedCall, type Mode, readLog, watch } from './shim.ts'

/** One command, and the state in which it is failed again and again. */
export interface Scene {
  words: string[]
  /** Makes the state; answers the snapshots that were confirmed. */
  prepare(box: Sandbox): Promise<string[]>
  /** The command may take confirmed snapshots away: that is its job. */
  removes?: boolean
  /** In a git repository; git's own calls count for themselves. */
  git?: boolean
  /** What is wrong after a fault; without it a run is looked at. */
  aftermath?(box: Sandbox, struck: Struck): Promise<string[]>
}

/** A command that suffered a fault. */
export interface Struck {
  done: Finished
  /** The call that was failed first, with its path in the sandbox. */
  hit: LoggedCall | undefined
  /** What a command said that was not killed. */
  answer: Record<string, unknown> | null
}

export interface Fault {
  at: number
  mode: Mode
  sticky?: boolean
}

/** A sandbox whose state is put back before every fault, at the same paths. */
interface Lane {
  scene: Scene
  box: Sandbox
  confirmed: string[]
}

export interface Faulted {
  fault: Fault
  done: Finished
  /** The call that was failed first. */
  hit: LoggedCall | undefined
  /** The reason in the answer of a command that failed. */
  reason: string | undefined
  /** Everything that is not as it must be. */
  wrong: string[]
}

const RUN = 'r1'
const PARTS = ['repo', 'home'] as const

const copy = (from: string, to: string) => cpSync(from, to, { recursive: true, preserveTimestamps: true })

export function keep(box: Sandbox, as: string): void {
  for (const part of PARTS) if (existsSync(box[part])) copy(box[part], join(box.root, as, part))
}

export function putBack(box: Sandbox, as: string): void {
  for (const part of PARTS) {
    rmSync(box[part], { recursive: true, force: true })
    const kept = join(box.root, as, part)
    if (existsSync(kept)) copy(kept, box[part])
  }
}

/** The mutating calls of a command that nothing happens to. The sandbox is then as it was before. */
export async function callsOf(box: Sandbox, words: string[]): Promise<LoggedCall[]> {
  keep(box, 'before')
  const log = join(box.root, 'calls.log')
  const done = await box.spawn([...words, '--json'], { env: watch(box, log) }).done
  if (done.code !== 0) throw new Error(`the command fails by itself: ${done.stdout}${done.stderr}`)
  putBack(box, 'before')
  return readLog(log).calls.map((call) => ({ ...call, path: call.path.slice(box.root.length + 1) }))
}

/** Every call, but of a long row of writes to one file only the first two and the last. */
export function pointsOf(calls: LoggedCall[]): LoggedCall[] {
  const alike = (a: LoggedCall | undefined, b: LoggedCall) => a?.call === b.call && a.path === b.path
  return calls.filter((call, index) => {
    const before = alike(calls[index - 1], call) && alike(calls[index - 2], call)
    const after = calls[index + 1]
    return !before || after === undefined || !alike(after, call)
  })
}

/**
 * Does the command once for every fault, in two sandboxes side by side, and looks at what each left behind.
 * No two sandboxes make quite the same calls, so the faults are chosen from each one's own.
 * `whole`: every chosen fault also where a sample of the others is enough.
 */
export async function sweep(
  scene: Scene,
  choose: (calls: LoggedCall[]) => Fault[],
  { whole = false } = {},
): Promise<Faulted[]> {
  const { git = false } = scene
  const boxes = [sandbox({ git }), sandbox({ git })]
  const lanes = boxes.map(async (box, turn) => {
    const lane: Lane = { scene, box, confirmed: await scene.prepare(box) }
    const chosen = choose(await callsOf(box, scene.words))
    const faults = whole ? chosen : sampleOf(chosen)
    const all: Faulted[] = []
    keep(box, 'pristine')
    for (const fault of faults.filter((_, index) => index % boxes.length === turn))
      all.push(await suffer(lane, fault))
    return all
  })
  return (await Promise.all(lanes)).flat()
}

/** Runs a command with a fault; answers how it ended and the call that was failed first. */
export async function strike(
  box: Sandbox,
  words: string[],
  fault: Fault,
): Promise<{ done: Finished; hit: LoggedCall | undefined }> {
  const log = join(box.root, 'fault.log')
  rmSync(log, { force: true })
  const done = await box.spawn([...words, '--json'], { env: watch(box, log, fault) }).done
  return { done, hit: readLog(log).fired[0] }
}

async function suffer(lane: Lane, fault: Fault): Promise<Faulted> {
  const { box, scene } = lane
  putBack(box, 'pristine')
  const { done, hit } = await strike(box, scene.words, fault)
  const answer = done.code === null ? null : lastJson(done.stdout)
  const reason = typeof answer?.reason === 'string' ? answer.reason : undefined
  const path = hit?.path.slice(box.root.length + 1) ?? ''
  const left = scene.aftermath
    ? scene.aftermath(box, { done, hit: hit && { ...hit, path }, answer })
    : aftermath(lane, receiptOf(done, answer))
  const wrong = [...ending(fault, done, hit, reason), ...(await left)]
  const where = `${fault.mode}${fault.sticky ? ' from' : ' at'} ${fault.at} (${hit?.call} ${path})`
  return { fault, done, hit, reason, wrong: wrong.map((what) => `${where}: ${what}`) }
}

/** A fault that never came proves nothing; an error must be told by its reason. */
function ending({ mode }: Fault, done: Finished, hit: LoggedCall | undefined, reason: string | undefined) {
  if (hit === undefined) return ['the fault did not fire']
  if (mode === 'kill' || mode === 'torn') return done.signal === 'SIGKILL' ? [] : ['it was not killed']
  if (done.signal !== null) return [`it died of ${done.signal}`]
  if (/^\s+at .+:\d+/m.test(done.stderr)) return [`it shows a stack trace: ${done.stderr}`]
  if (done.code === 0) return []
  return reason === undefined || reason === 'internal_error'
    ? [`it ends with ${done.code} and no reason: ${done.stdout.trim()} ${done.stderr.trim()}`]
    : []
}

/** What holds at once, then after the next command, which needs nobody's help. */
async function aftermath(lane: Lane, receipt: string[]): Promise<string[]> {
  const { box, scene, confirmed } = lane
  const promised = [...confirmed, ...receipt]
  const wrong = [...filesOf(box, promised.length > 0), ...(await unseen(lane, promised))]
  const next = await nextCommand(box)
  if (next.code !== 0) wrong.push(`the next command ends with ${next.code}: ${next.text}`)
  const verify = await command(box, ['run', 'verify'])
  if (verify.code !== 0) wrong.push(`verify after the next command: ${verify.text}`)
  if (scene.words[1] === 'prune') {
    const again = await command(box, scene.words)
    if (again.code !== 0) wrong.push(`pruning again ends with ${again.code}: ${again.text}`)
  }
  return [...wrong, ...filesOf(box, true, { single: true }), ...(await unseen(lane, promised))]
}

/** A save; before it a start where the run did not come to be. */
async function nextCommand(box: Sandbox) {
  const save = await command(box, ['run', 'save', RUN])
  if (lastJson(save.text)?.reason !== 'run_unknown') return save
  return command(box, ['run', 'start', 'plan.md', '--run-id', RUN])
}

/** Confirmed snapshots that cannot be shown any more. */
async function unseen({ box, scene }: Lane, promised: string[]): Promise<string[]> {
  const wrong: string[] = []
  for (const id of promised) {
    const { code, text } = await command(box, ['run', 'show', RUN, id])
    const byDesign = scene.removes === true && lastJson(text)?.reason === 'snapshot_removed'
    if (code !== 0 && !byDesign) wrong.push(`confirmed ${id} is not shown: ${text}`)
  }
  return wrong
}

/** Files with a final name that are not valid, and snapshots that still lie there in both forms. */
function filesOf(box: Sandbox, isThere: boolean, { single = false } = {}): string[] {
  const folder = box.path('checkpoints', RUN)
  const history = join(folder, 'history')
  const names = existsSync(history) ? readdirSync(history).filter((name) => snapshotOfName(name)) : []
  const files = names.map((name) => join(history, name))
  const latest = join(folder, 'latest.json')
  if (isThere || existsSync(latest)) files.push(latest)
  const twins = single ? names.filter((name) => names.includes(`${name}.gz`)) : []
  return [...files.flatMap(problemOf), ...twins.map((name) => `${name} lies there in both forms`)]
}

function problemOf(file: string): string[] {
  try {
    decodeSnapshot(readFileSync(file), file)
    return []
  } catch (error) {
    return [`${file} is not valid: ${String(error)}`]
  }
}

/** The same command line without a process of its own: recovery is looked at hundreds of times. */
export async function command(
  box: Sandbox,
  words: string[],
  { json = true } = {},
): Promise<{ code: number; text: string }> {
  let text = ''
  const code = await runCommandLine({
    words: json ? [...words, '--json'] : words,
    cwd: box.repo,
    env: box.env,
    version: 'test',
    width: 100,
    screen: { columns: 100 },
    errScreen: {},
    readInput: () => Promise.reject(new Error('no input')),
    out: (more) => {
      text += more
    },
    err: () => undefined,
  })
  return { code, text: text.trim() }
}

function receiptOf(done: Finished, answer: Record<string, unknown> | null): string[] {
  return done.code === 0 && typeof answer?.snapshotId === 'string' ? [answer.snapshotId] : []
}

export function lastJson(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text.trim().split('\n').at(-1) ?? '')
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
