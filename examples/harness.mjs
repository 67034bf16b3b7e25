// A harness that keeps snapshots of its run. In this repository, after a build: node examples/harness.mjs
import { RunRecorder } from 'savepoint'

const plan = { text: '- [ ] fetch: Fetch the orders\n- [ ] report: Write the report\n' }
const run = await RunRecorder.start({ plan, onNotice: console.error })

for (const id of ['fetch', 'report']) {
  await run.step(id, 'in_progress')
  const started = performance.now()
  // The harness's own work goes here: a tool call, a model turn, a command.
  const duration_ms = performance.now() - started
  await run.command({ kind: 'tool_use', name: id, result: 'PASS', duration_ms, summary: 'worked' })
  await run.step(id, 'done', { contextUsedPercent: 40 })
}

const last = await run.finish()
console.log(`Run ${last.runId} is ${last.status}: ${last.sequence} snapshots, the newest in ${last.latest}`)
