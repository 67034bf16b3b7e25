// Does the next session know what it must? Made-up sessions, or a folder of real ones, are fed to the built program;
// what the next one is told at its start is held against facts that a colleague would need, and against two baselines.
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { root } from '../scripts/setup.mjs'
import { inTempFolder } from './measure.mjs'
import { curveText, writeCurve } from './resume/curve.mjs'
import { readScenarios } from './resume/read-scenario.mjs'
import { sayScenarios, saySessions } from './resume/report.mjs'
import { inTurn, measureRun, measureSession, plannedRuns, SITUATIONS } from './resume/runs.mjs'
import { readSessions } from './resume/sessions.mjs'
import { tally, tallyBy, verdicts } from './resume/tally.mjs'

const CURVE = [500, 1_000, 1_500, 2_000]

/** The program's own estimate of tokens, and what it allows a brief by default. */
async function budgetRules(place) {
  const outfile = join(place, 'budget.mjs')
  const contents =
    "export { estimateTokens } from './src/core/tokens.ts'\nexport { SETTINGS } from './src/config/settings.ts'"
  await build({
    absWorkingDir: root,
    stdin: { resolveDir: root, contents },
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    logLevel: 'error',
  })
  const { estimateTokens, SETTINGS } = await import(pathToFileURL(outfile).href)
  return { estimate: estimateTokens, byDefault: SETTINGS.brief_tokens.default }
}

/** Everything that was asked for, at one budget. */
async function measureAll(values, { place, tokens, estimate }) {
  const isWanted = (id) => values.only === undefined || values.only.split(',').includes(id)
  const workers = availableParallelism()
  const means = { place, tokens, estimate }
  if (values.sessions !== undefined) {
    const sessions = readSessions(resolve(values.sessions)).filter(({ id }) => isWanted(id))
    const situations = ['plain', ...(values.situations ? ['saved', 'small', 'alone', 'before'] : [])]
    const list = situations.flatMap((situation) => sessions.map((session) => ({ session, situation })))
    return inTurn(list, workers, ({ session, situation }) => measureSession(session, situation, means))
  }
  const planned = plannedRuns(readScenarios(), values).filter(({ scenario }) => isWanted(scenario.id))
  // The curve is about sizes: what came with a session is measured without it.
  const runs = values.curve ? planned.filter(({ situation }) => !SITUATIONS.includes(situation)) : planned
  return inTurn(runs, workers, (run) => measureRun(run, means))
}

/** Measures, and says it. `ok` is false where an own scenario breaks what must hold. */
export function measure(values = {}) {
  return inTempFolder(async (place) => {
    const { estimate, byDefault } = await budgetRules(place)
    const wanted = values.tokens === undefined ? undefined : Number(values.tokens)
    if (wanted !== undefined && !(wanted >= 200)) throw new Error('--tokens is a number from 200 on')
    if (values.curve) return measureCurve(values, { place, estimate })
    const runs = await measureAll(values, { place, tokens: wanted, estimate })
    if (runs.length === 0) throw new Error(`nothing is called ${values.only}`)
    if (values.out !== undefined) keepTexts(resolve(values.out), runs)
    const budget = wanted ?? byDefault
    const isOwn = values.sessions === undefined
    const held = isOwn ? verdicts(runs, budget) : []
    const result = { runs, verdicts: held }
    return {
      ok: held.every(({ ok }) => ok),
      text: isOwn ? sayScenarios(result, values) : saySessions(result, values),
      report: { budget, verdicts: held, ...reportOf(runs) },
    }
  })
}

async function measureCurve(values, { place, estimate }) {
  const points = []
  for (const tokens of CURVE) {
    const runs = await measureAll(values, { place: join(place, String(tokens)), tokens, estimate })
    points.push({ budget: tokens, ...tally(runs.filter(({ situation }) => situation === 'plain')) })
  }
  const isOwn = values.sessions === undefined
  const folder = values.out === undefined ? join(root, 'docs') : resolve(values.out)
  if (isOwn || values.out !== undefined) writeCurve(folder, points, { isOwn })
  return { ok: true, text: curveText(points), report: { points } }
}

/** The texts are for reading, the figures for programs. */
const reportOf = (runs) => ({
  total: tally(runs),
  ends: tallyBy(runs, 'end'),
  situations: tallyBy(runs, 'situation'),
  runs: runs.map(({ texts: _texts, ...run }) => run),
})

function keepTexts(folder, runs) {
  mkdirSync(folder, { recursive: true })
  for (const { id, texts } of runs)
    for (const [who, text] of Object.entries(texts))
      writeFileSync(join(folder, `${id}.${who}.md`), `${text}\n`)
}
