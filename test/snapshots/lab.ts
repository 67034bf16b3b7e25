import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { type RecorderOptions, RunRecorder } from '../../src/apps/library/run-recorder.ts'
import type { Ports } from '../../src/core/ports.ts'
import { decodeSnapshot } from '../../src/formats/snapshot/codec.ts'
import type { SnapshotDocument } from '../../src/formats/snapshot/document.ts'
import type { Fields, InputOf } from '../../src/verbs/define/field.ts'
import { parseInput } from '../../src/verbs/define/field.ts'
import type { Verb } from '../../src/verbs/define/verb.ts'
import { performOnce } from '../../src/verbs/perform.ts'
import { testPorts } from '../support/ports.ts'
import { PLAN, type Sandbox, sandbox } from '../support/sandbox.ts'

export const SECOND = 1_000
export const DAY = 86_400_000

/** A repository, a home and a clock in this process; everything is closed when the test is over. */
export class Lab {
  readonly box: Sandbox
  readonly notices: string[] = []
  private readonly clock = testPorts()

  constructor(box: Sandbox) {
    this.box = box
  }

  get ports(): Ports {
    const { clock } = this
    return { now: () => clock.time, random: (bytes) => clock.random(bytes), sleep: (ms) => clock.sleep(ms) }
  }

  get time(): number {
    return this.clock.time
  }

  pass(ms: number): void {
    this.clock.time += ms
  }

  async start(options: Partial<RecorderOptions> = {}): Promise<RunRecorder> {
    return this.closing(
      await RunRecorder.start({ plan: { text: PLAN }, runId: 'r1', ...this.options(), ...options }),
    )
  }

  async resume(runId = 'r1', options: Partial<RecorderOptions> = {}): Promise<RunRecorder> {
    return this.closing(await RunRecorder.resume({ ...this.options(), ...options, runId }))
  }

  private options() {
    const { box, ports } = this
    const onNotice = (notice: string) => void this.notices.push(notice)
    return { cwd: box.repo, home: box.home, ports, heartbeatMs: 0, onNotice }
  }

  private closing(recorder: RunRecorder): RunRecorder {
    onTestFinished(() => recorder.close())
    return recorder
  }

  /** One verb, as a door performs it, with this clock. */
  async do<F extends Fields, R>(verb: Verb<F, R>, raw: Readonly<Record<string, unknown>> = {}): Promise<R> {
    const input: InputOf<F> = parseInput(verb.fields, raw)
    const request = { cwd: this.box.repo, env: this.box.env, ports: this.ports, notices: this.notices }
    return performOnce(verb, request, input)
  }

  /** A file of a run, read by the public reader: it throws where the file is not a valid snapshot. */
  latest(run = 'r1'): SnapshotDocument {
    const path = this.box.path('checkpoints', run, 'latest.json')
    return decodeSnapshot(readFileSync(path), path)
  }

  /** The names in a run's history folder, in the order of their sequence. */
  names(run = 'r1'): string[] {
    const folder = this.box.path('checkpoints', run, 'history')
    const order = (name: string) => Number(/_(\d+)-/.exec(name)?.[1] ?? 0)
    return existsSync(folder) ? readdirSync(folder).sort((a, b) => order(a) - order(b)) : []
  }

  history(run = 'r1'): SnapshotDocument[] {
    const folder = this.box.path('checkpoints', run, 'history')
    return this.names(run).map((name) => decodeSnapshot(readFileSync(join(folder, name)), name))
  }
}

/** The user's settings and environment are those of the sandbox, never those of the machine. */
export function lab({ git = true } = {}): Lab {
  const box = sandbox({ git })
  for (const name of ['XDG_CONFIG_HOME', 'HOME', 'SAVEPOINT_HOME'] as const) vi.stubEnv(name, box.env[name])
  onTestFinished(() => void vi.unstubAllEnvs())
  return new Lab(box)
}
