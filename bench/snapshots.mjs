// What a run snapshot costs: a confirmed save, the start of a command, and a run that grows long.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RunRecorder } from '../dist/index.js'
import { root } from '../scripts/setup.mjs'
import { bareProtocol } from './bare-protocol.mjs'
import { inTempFolder, interleaved, median, row, timed, withoutFileSync } from './measure.mjs'

const PLAN = '# Plan\n\n- [ ] s1: First step\n- [ ] s2: Second step\n'
const DOCUMENT_BYTES = 4_096
const SAVES = 300
const STARTS = 40
/** The first and the last saves of a long run that are compared. */
const EARLY = { from: 10, to: 210 }
const LATE = { from: 9_800, to: 10_000 }
/** A disk that cannot take the saves between them in this time has missed the limit. */
const FILL_MS = 90_000
const SETTLING = 20

/** Every limit, measured in one go. */
export async function measure() {
  return [await inTempFolder(costOfSave), await inTempFolder(costOfStart), await inTempFolder(costOfLength)]
}

/** A recorder in a folder without git, with a home and settings of its own. */
async function recorderIn(place) {
  process.env.XDG_CONFIG_HOME = settingsIn(place)
  const cwd = join(place, 'work')
  mkdirSync(cwd, { recursive: true })
  return RunRecorder.start({
    plan: { text: PLAN },
    runId: 'bench',
    cwd,
    home: join(place, 'home'),
    heartbeatMs: 0,
  })
}

/** No retention while we measure: its cost is bounded by its own limits, not by a save's. */
function settingsIn(place) {
  const config = join(place, 'config')
  mkdirSync(join(config, 'savepoint'), { recursive: true })
  const text = 'session:\n  snapshots_per_run: 1000000\n  snapshot_days: 10000\n'
  writeFileSync(join(config, 'savepoint', 'config.yml'), text)
  return config
}

const outcome = (number, summary) => ({
  kind: 'shell',
  name: `command ${number}`,
  result: 'PASS',
  duration_ms: 12,
  summary,
})

/** Fills the next snapshot up to about 4 KB; the outcomes make the save a material one. */
async function fill(recorder) {
  for (let number = 0; number < 5; number += 1) await recorder.command(outcome(number, 'x'.repeat(470)))
}

async function costOfSave(place) {
  const recorder = await recorderIn(place)
  await fill(recorder)
  const { latest } = await recorder.save()
  const bytes = readFileSync(join(place, 'work', latest)).length
  const bare = bareProtocol(join(place, 'bare'), Buffer.alloc(bytes, 'x'))
  const { measured, against } = await interleaved(SAVES, {
    measured: async () => {
      await fill(recorder)
      return timed(() => confirmed(recorder.save()))
    },
    against: () => timed(bare),
  })
  await recorder.close()
  if (Math.abs(bytes - DOCUMENT_BYTES) > 400) throw new Error(`the document has ${bytes} bytes`)
  return row(`save of ${bytes} bytes / bare file protocol`, median(measured), median(against), 2.5)
}

/** Only a snapshot of its own whose files are on the disk counts as a save here. */
async function confirmed(saving) {
  const { coalesced, files } = await saving
  if (coalesced || files !== 'published') throw new Error('a save of the bench made no snapshot of its own')
}

async function costOfStart(place) {
  const repo = join(place, 'work')
  mkdirSync(repo)
  writeFileSync(join(repo, 'plan.md'), PLAN)
  const env = { ...process.env, SAVEPOINT_HOME: join(place, 'home'), XDG_CONFIG_HOME: join(place, 'config') }
  const node = (...args) => {
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: repo, env, encoding: 'utf8' })
    if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}\n${stderr}`)
  }
  const cli = join(root, 'dist/cli.cjs')
  for (const run of ['one', 'two', 'three']) node(cli, 'run', 'start', 'plan.md', '--run-id', run)
  const { measured, against } = await interleaved(STARTS, {
    measured: () => timed(() => node(cli, 'run', 'list')),
    against: () => timed(() => node('-e', '0')),
  })
  return row('savepoint run list / node -e 0', median(measured), median(against), 2)
}

async function costOfLength(place) {
  const recorder = await recorderIn(place)
  const bare = bareProtocol(join(place, 'bare'), Buffer.alloc(1_024, 'x'))
  let saved = 1
  // A change in how full the context is makes every save a snapshot of its own.
  const save = async () => {
    saved += 1
    await confirmed(recorder.save({ contextUsedPercent: saved % 2 === 0 ? 95 : 10 }))
  }
  const upTo = async (number, deadline = Number.POSITIVE_INFINITY) => {
    while (saved < number && performance.now() < deadline) await save()
  }
  const window = async ({ from, to }) => {
    const sides = { measured: () => timed(save), against: () => timed(bare) }
    const { measured, against } = await interleaved(to - from, sides)
    return median(measured) / median(against)
  }
  await upTo(EARLY.from)
  const early = await window(EARLY)
  await withoutFileSync(() => upTo(LATE.from - SETTLING, performance.now() + FILL_MS))
  // What was written without sync is on its way to the disk: let it arrive before the clock runs.
  await upTo(saved + SETTLING)
  const reached = saved
  const late = await window(LATE)
  await recorder.close()
  const what = `saves ${reached}-${saved} / saves ${EARLY.from}-${EARLY.to} (each against bare)`
  const found = { ...row(what, late, early, 1.5), unit: 'x' }
  return { ...found, ok: found.ok && reached >= LATE.from }
}
