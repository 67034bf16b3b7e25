import { realpathSync } from 'node:fs'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { clipText } from '../../core/canonical.ts'
import { type Checkpoint, noChange } from '../../core/checkpoint.ts'
import { checkpointId, nameKey, randomId, requireRunName } from '../../core/id.ts'
import type { Plan } from '../../core/plan.ts'
import { instant } from '../../core/ports.ts'
import { describeError, ReasonError } from '../../core/reason.ts'
import { emptyWork } from '../../core/work.ts'
import { decodePlan } from '../../formats/plan/codec.ts'
import { RUNS_FOLDER } from '../../formats/snapshot/layout.ts'
import { openFolder, readPlainFile } from '../../fs/disk.ts'
import { findFolder } from '../../fs/durable.ts'
import { redact } from '../../policy/redact.ts'
import type { NewStream } from '../../store/log.ts'
import { excludeFromGit } from '../../workspace/exclude.ts'
import { afterCommit, type Context } from '../context/context.ts'
import { renderFile } from '../publish/publish-snapshot.ts'
import { owedFiles, publishTaken } from './take-snapshot.ts'

const MAX_PLAN_BYTES = 1024 * 1024

/** Reads a plan file; its path is kept relative to the workspace where it lies inside. */
export function readPlan(context: Context, path: string, cwd: string): Plan {
  const file = resolve(cwd, path)
  try {
    const bytes = readPlainFile(file, MAX_PLAN_BYTES)
    if (bytes === null) throw new Error('file not found')
    return decodePlan(bytes.toString('utf8'), shownPath(context.place.root, file))
  } catch (error) {
    if (error instanceof ReasonError && error.reason === 'plan_invalid') throw error
    throw new ReasonError('plan_unreadable', { path, problem: describeError(error) }, { cause: error })
  }
}

function shownPath(root: string, file: string): string {
  const down = relative(root, realpathSync(file))
  return down.startsWith('..') || isAbsolute(down) ? file : down.split(sep).join('/')
}

/** Begins a run of a plan, in memory or from a file. The first snapshot holds the whole plan. */
export async function startRun(context: Context, given: Plan, wanted?: string) {
  const { store, ports, identity } = context
  const plan = {
    ...given,
    steps: given.steps.map((step) => ({ ...step, title: clipText(redact(step.title, context.mark), 200) })),
  }
  const nowMs = ports.now()
  const name = wanted === undefined ? freshName(plan, nowMs, ports.random) : requireRunName(wanted)
  if ((await store.log.findStream(identity.repository, name)) !== null)
    throw new ReasonError('run_exists', { run: name })
  refuseTakenFolder(context, name)
  const stream: NewStream = {
    id: randomId('run', ports.random),
    repository: identity.repository,
    workspace: identity.workspace,
    kind: 'run',
    name,
  }
  const first = firstCheckpoint(context, stream.id, plan, nowMs)
  const file = renderFile(first, name)
  const appends = [{ checkpoint: first, after: null, foreign: false }]
  const { workspace } = stream
  const views = owedFiles(stream, file)
  if (!(await store.acts.commit({ workspace, begins: [stream], appends, views })).done)
    throw new ReasonError('run_exists', { run: name })
  await hideFromGit(context, name)
  const run = await store.log.findStream(identity.repository, name)
  if (run === null) throw new ReasonError('run_unknown', { run: name })
  const receipt = await publishTaken(context, run, file, { sequence: 1, coalesced: false })
  return { run, started: { ...receipt, planPath: plan.path, steps: plan.steps.length } }
}

/** A name from the plan's file and the time, where the user gave none. */
function freshName(plan: Plan, nowMs: number, random: (bytes: number) => Uint8Array): string {
  const base = plan.path.replace(/^.*[/\\]/, '').replace(/\.[^.]*$/, '')
  const slug =
    base
      .replace(/[^A-Za-z0-9_-]+/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, 60) || 'run'
  const stamp = instant(nowMs).slice(0, 19).replace(/[-:]/g, '')
  return requireRunName(`${slug}-${stamp}-${Buffer.from(random(2)).toString('hex')}`)
}

/** A folder of that name which is not ours must not be filled with our files. */
function refuseTakenFolder(context: Context, name: string): void {
  using root = openFolder(context.place.root)
  using runs = findFolder(root, [RUNS_FOLDER])
  const twin = runs?.names().find((other) => nameKey(other) === nameKey(name))
  if (twin !== undefined) throw new ReasonError('run_folder_taken', { path: `${RUNS_FOLDER}/${twin}` })
}

function firstCheckpoint(context: Context, stream: string, plan: Plan, nowMs: number): Checkpoint {
  const work = emptyWork()
  return {
    id: checkpointId(nowMs, 1, context.ports.random),
    stream,
    parent: null,
    ...(context.session === null ? {} : { session: context.session.id }),
    at: instant(nowMs),
    triggers: [{ kind: 'manual', at: instant(nowMs), note: 'run started' }],
    progress: 'in_progress',
    work: { ...work, position: { ...work.position, plan } },
    change: noChange(),
    health: { pressure: 'low', protected: [], dropped: 0, profile: context.settings.policy_profile },
  }
}

async function hideFromGit(context: Context, name: string): Promise<void> {
  const { place, settings, store, identity } = context
  if (place.git === null || settings.track_runs) return
  const { common } = place.git
  await afterCommit(context, 'Hiding the run folder from git', async () => {
    const release = await store.local.takeLock(`exclude:${identity.repository}`, 2_000)
    try {
      excludeFromGit(common, `/${RUNS_FOLDER}/${name}/`, context.ports)
    } finally {
      release?.()
    }
  })
}
