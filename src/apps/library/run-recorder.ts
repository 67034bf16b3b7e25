import type { CommandOutcome } from '../../core/checkpoint.ts'
import type { Plan, StepMove } from '../../core/plan.ts'
import type { Ports } from '../../core/ports.ts'
import { describeError, ReasonError } from '../../core/reason.ts'
import { type Context, catchUpQuietly } from '../../engine/context/context.ts'
import { NOTICES } from '../../engine/context/notices.ts'
import { keepBackups, openSound, withHealing } from '../../engine/heal/open-sound.ts'
import { findRun } from '../../engine/runs/find-run.ts'
import { finishRun, moveRunStep, recordError, recordOutcome } from '../../engine/runs/record-event.ts'
import { readPlan, startRun } from '../../engine/runs/start-run.ts'
import { type Receipt, snapshotIfDue, takeSnapshot } from '../../engine/runs/take-snapshot.ts'
import { decodePlan } from '../../formats/plan/codec.ts'
import { HEARTBEAT_MS } from '../../policy/snapshot.ts'
import type { Stream } from '../../store/log.ts'
import { realPorts, workingFolder } from '../process/real-ports.ts'

export interface RecorderOptions {
  /** A plan file, or the plan's Markdown text. */
  plan: string | { text: string }
  runId?: string
  /** The directory being worked in; the process's own without it. */
  cwd?: string
  /** Where the store is; SAVEPOINT_HOME or the platform's default without it. */
  home?: string
  /** Milliseconds between heartbeats while the run is in progress; 0 for none. */
  heartbeatMs?: number
  /** Hears what is worth knowing and no error: retention that could not run, a healed store. */
  onNotice?: (notice: string) => void
  ports?: Partial<Ports>
}

export type ResumeOptions = Omit<RecorderOptions, 'plan' | 'runId'> & { runId: string }

/**
 * Snapshots of a run from inside a harness. Every method resolves when its snapshot is on the disk, and throws
 * a `ReasonError` when it is not. Calls are done one after another in the order they were made.
 */
export class RunRecorder {
  readonly runId: string
  private readonly context: Context
  private readonly run: Stream
  private readonly onNotice: (notice: string) => void
  private readonly timer: NodeJS.Timeout | null
  private last: Promise<unknown> = Promise.resolve()
  private isClosed = false
  private isBeating = false

  private constructor(
    context: Context,
    run: Stream,
    { heartbeatMs = HEARTBEAT_MS, onNotice }: Omit<RecorderOptions, 'plan'>,
  ) {
    this.context = context
    this.run = run
    this.runId = run.name
    this.onNotice = onNotice ?? (() => undefined)
    this.timer =
      heartbeatMs > 0 ? setInterval(() => void this.beat(), Math.min(heartbeatMs, LONGEST_MS)) : null
    // A heartbeat must not keep a harness alive that has nothing else to do.
    this.timer?.unref()
  }

  /** Starts a run; its first snapshot is on the disk when this resolves. */
  static start(options: RecorderOptions): Promise<RunRecorder> {
    return RunRecorder.open(options, async (context) => {
      const plan = planOf(context, options.plan)
      return (await startRun(context, plan, options.runId)).run
    })
  }

  /** Takes up a run that was started before, by this process or another. */
  static resume(options: ResumeOptions): Promise<RunRecorder> {
    return RunRecorder.open(options, (context) => findRun(context, options.runId))
  }

  private static async open(
    options: Omit<RecorderOptions, 'plan'>,
    find: (context: Context) => Promise<Stream>,
  ): Promise<RunRecorder> {
    const { cwd = workingFolder(), home, ports } = options
    const env = home === undefined ? process.env : { ...process.env, SAVEPOINT_HOME: home }
    const context = await openSound({ cwd, env, access: 'write', ports: { ...realPorts, ...ports } })
    try {
      const run = await withHealing(context, () => find(context))
      await catchUpQuietly(context)
      return new RunRecorder(context, run, options)
    } catch (error) {
      await context.store.close()
      throw error
    }
  }

  /** Moves a step; one that the plan does not have is refused, unless it is to be added. */
  async step(
    id: string,
    state: StepMove,
    { contextUsedPercent, add = false }: { contextUsedPercent?: number; add?: boolean } = {},
  ): Promise<Receipt> {
    checkUsage(contextUsedPercent)
    return this.next(() => moveRunStep(this.context, this.run, { id, state, add }, { contextUsedPercent }))
  }

  error(reasonCode: string, { recoverable = true, message = '' } = {}): Promise<Receipt> {
    return this.next(() => recordError(this.context, this.run, { reasonCode, recoverable, message }))
  }

  /** Keeps an outcome; it is in the next snapshot. */
  async command(outcome: CommandOutcome): Promise<void> {
    await this.next(() => recordOutcome(this.context, this.run, outcome))
  }

  async save(said: { note?: string; contextUsedPercent?: number } = {}): Promise<Receipt> {
    const { note = '', contextUsedPercent } = said
    checkUsage(contextUsedPercent)
    return this.next(() => takeSnapshot(this.context, this.run, { kind: 'save', note, contextUsedPercent }))
  }

  /** One heartbeat by hand; null where the run is not in progress. */
  heartbeat(): Promise<Receipt | null> {
    return this.next(() => snapshotIfDue(this.context, this.run, { kind: 'heartbeat' }))
  }

  /** Ends the run and closes the recorder. With steps that are not done it is refused, unless `incomplete` says so. */
  async finish({ failed = false, incomplete = false } = {}): Promise<Receipt> {
    const receipt = await this.next(() => finishRun(this.context, this.run, { failed, incomplete }))
    await this.close()
    return receipt
  }

  /** Lets go of the store and leaves the run as it is. */
  async close(): Promise<void> {
    if (this.isClosed) return
    this.isClosed = true
    if (this.timer) clearInterval(this.timer)
    await this.last
    await keepBackups(this.context)
    await this.context.store.close()
  }

  private async beat(): Promise<void> {
    if (this.isBeating) return
    this.isBeating = true
    try {
      await this.heartbeat()
    } catch (error) {
      this.context.notices.push(NOTICES.notSavedBeside(null, describeError(error)))
    } finally {
      this.isBeating = false
    }
  }

  private next<T>(act: () => Promise<T>): Promise<T> {
    if (this.isClosed) return Promise.reject(new ReasonError('recorder_closed', { run: this.runId }))
    const mine = this.last.then(() => withHealing(this.context, act))
    // The next call waits for this one; whether it failed is its own caller's to hear.
    const over = () => undefined
    this.last = mine.then(over, over).then(() => this.settle())
    return mine
  }

  /** After the caller has its answer: the bookkeeping of the save, then what there is to tell. */
  private async settle(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    await catchUpQuietly(this.context)
    for (const notice of this.context.notices.splice(0))
      try {
        this.onNotice(notice)
      } catch (error) {
        // A listener that fails must not keep the next snapshot from being taken; it is told of as a warning.
        process.emitWarning(`onNotice failed: ${describeError(error)}`, 'SavepointWarning')
      }
  }
}

/** Timers take no more than this; a longer wait would become none at all. */
const LONGEST_MS = 2 ** 31 - 1

/** Callers without a compiler may give anything. */
function checkUsage(percent: number | undefined): void {
  if (percent !== undefined && !(percent >= 0 && percent <= 100))
    throw new ReasonError('usage_invalid', { problem: 'contextUsedPercent takes a number from 0 to 100' })
}

function planOf(context: Context, plan: RecorderOptions['plan'] | undefined): Plan {
  if (typeof plan === 'string') return readPlan(context, plan, context.cwd)
  if (typeof plan?.text === 'string') return decodePlan(plan.text, '')
  throw new ReasonError('usage_invalid', { problem: 'plan takes the path of a plan, or its text' })
}
