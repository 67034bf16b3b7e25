import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { assistant, linesOf, text, user } from '../agents/transcript-rows.ts'
import { heard, hookAtOnce, idOf, payload, rowsOf } from '../cli/hook-lab.ts'
import { type Finished, type Sandbox, sandbox } from '../support/sandbox.ts'
import { inStore } from '../support/stored-documents.ts'
import { leastOf, sampleOf } from './sample.ts'
import { hasCompiler, type LoggedCall, type Mode, readLog, watch } from './shim.ts'
import { command, keep, pointsOf, putBack } from './sweep.ts'

const LONG = 240_000
const A = idOf('a')
const NOW = idOf('n')

interface Fault {
  at: number
  mode: Mode
  sticky?: boolean
}

/** A session that ended with something to say; its transcript lies beside the folders that are put back. */
function spoken(): Sandbox {
  const box = sandbox({ git: false })
  const path = transcriptOf(box)
  writeFileSync(
    path,
    linesOf([
      user(1, 'Please move the login to tokens. Always use tabs for indentation.'),
      assistant(2, {
        content: [text('I decided to use JWT instead of cookies because the app has no session.')],
      }),
    ]),
  )
  heard(box, A, 'SessionStart', { transcript_path: path })
  heard(box, A, 'SessionEnd', { reason: 'other' })
  return box
}
const transcriptOf = (box: Sandbox) => join(box.root, 'transcript.jsonl')

interface Scene {
  prepare(): Sandbox
  input(box: Sandbox): string
  /** How many checkpoints of the first session there are when all is over. */
  checkpoints: number
}

const START: Scene = { prepare: spoken, input: (box) => payload(box, NOW, 'SessionStart'), checkpoints: 1 }
const FIRST: Scene = {
  prepare: () => sandbox({ git: false }),
  input: (box) => payload(box, NOW, 'SessionStart'),
  checkpoints: 0,
}
const PROMPT: Scene = {
  prepare() {
    const box = spoken()
    heard(box, NOW, 'SessionStart')
    return box
  },
  input: (box) => payload(box, NOW, 'UserPromptSubmit', { prompt: 'Go' }),
  checkpoints: 1,
}

const run = (box: Sandbox, scene: Scene, log: string, fault?: Fault) =>
  hookAtOnce(box, scene.input(box), { env: watch(box, log, fault) }).done

async function sweep(scene: Scene, choose: (calls: LoggedCall[]) => Fault[]) {
  const box = scene.prepare()
  keep(box, 'pristine')
  const log = join(box.root, 'calls.log')
  expect(await run(box, scene, log)).toMatchObject({ code: 0, stderr: '' })
  const faults = sampleOf(choose(readLog(log).calls))
  const wrong: string[] = []
  for (const fault of faults) {
    putBack(box, 'pristine')
    rmSync(log, { force: true })
    const done = await run(box, scene, log, fault)
    const [hit] = readLog(log).fired
    const where = `${fault.mode} at ${fault.at} (${hit?.call} ${hit?.path.slice(box.root.length)})`
    const all =
      hit === undefined
        ? ['the fault did not fire']
        : [...ending(fault, done), ...(await aftermath(box, scene))]
    wrong.push(...all.map((what) => `${where}: ${what}`))
  }
  expect(wrong).toEqual([])
  return faults.length
}

/** A hook that is not killed is not noticed, whatever fails; what it prints is whole. */
function ending({ mode }: Fault, { code, signal, stdout, stderr }: Finished): string[] {
  if (mode === 'kill' || mode === 'torn') return signal === 'SIGKILL' ? [] : ['it was not killed']
  const wrong = code === 0 && stderr === '' ? [] : [`it ends with ${code} ${signal}: ${stderr}`]
  try {
    if (stdout !== '') JSON.parse(stdout)
  } catch {
    wrong.push(`it prints ${stdout}`)
  }
  return wrong
}

/** The next hook and the next command work, and nothing is counted twice. */
async function aftermath(box: Sandbox, { checkpoints }: Scene): Promise<string[]> {
  const wrong: string[] = []
  const next = heard(box, NOW, 'SessionEnd', { reason: 'logout' })
  if (next.code !== 0 || next.stdout !== '' || next.stderr !== '')
    wrong.push(`the next hook: ${JSON.stringify(next)}`)
  heard(box, idOf('x'), 'SessionStart')
  for (const _ of [1, 2]) {
    const { code, text: said } = await command(box, ['sessions'])
    if (code !== 0) wrong.push(`sessions: ${said}`)
  }
  const rows = await rowsOf(box)
  const row = rows.find(({ id }) => id === NOW)
  const kinds = row?.events.map(({ kind }) => kind) ?? []
  for (const kind of new Set(kinds))
    if (kinds.filter((one) => one === kind).length > 1) wrong.push(`${kind} is there twice: ${kinds}`)
  if (row?.endReason !== 'logout') wrong.push(`the end is lost: ${JSON.stringify(row)}`)
  const found = await inStore(box, async ({ store, identity }) =>
    (await store.acts.listWork(identity.repository, identity.workspace)).reduce(
      (sum, { stream }) => sum + stream.headSequence,
      0,
    ),
  )
  if (found !== checkpoints) wrong.push(`${found} checkpoints`)
  const problems = await inStore(box, async ({ file }) => (await file?.check()) ?? [])
  wrong.push(...problems.map(({ what }) => what))
  return wrong
}

const kills = (every: number) => (calls: LoggedCall[]) =>
  pointsOf(calls)
    .filter((_, index) => index % every === 0)
    .map(({ number }): Fault => ({ at: number, mode: 'kill' }))

test.skipIf(!hasCompiler)(
  'a hook that only writes a line survives every fault',
  { timeout: LONG },
  async () => {
    const modes: Mode[] = ['kill', 'torn', 'EIO', 'ENOSPC', 'EROFS']
    const count = await sweep(PROMPT, (calls) =>
      calls.flatMap(({ number, call }) =>
        modes
          .filter((mode) => mode !== 'torn' || call === 'write')
          .map((mode): Fault => ({ at: number, mode })),
      ),
    )
    expect(count).toBeGreaterThanOrEqual(leastOf(5))
  },
)

test.skipIf(!hasCompiler)(
  'the first hook on an empty home survives a kill at every call',
  { timeout: LONG },
  async () => {
    expect(await sweep(FIRST, kills(2))).toBeGreaterThanOrEqual(leastOf(16))
  },
)

test.skipIf(!hasCompiler)(
  'a start that saves what another session wrote survives a kill at every call',
  { timeout: LONG },
  async () => {
    expect(await sweep(START, kills(1))).toBeGreaterThanOrEqual(leastOf(9))
  },
)

test.skipIf(!hasCompiler)(
  'a start is not noticed on a disk that fails or is full',
  { timeout: LONG },
  async () => {
    const count = await sweep(START, (calls) =>
      pointsOf(calls).map(
        ({ number }, index): Fault => ({
          ...{ at: number, mode: index % 2 === 0 ? 'ENOSPC' : 'EIO', sticky: index % 3 === 0 },
        }),
      ),
    )
    expect(count).toBeGreaterThanOrEqual(leastOf(9))
  },
)
