// `npm run bench -- <name>`: set up, then measure. Fails where a limit is missed. Without a name: all of them.
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { OPTIONS as RESUME_OPTIONS } from '../bench/resume/options.mjs'
import { setup } from './setup.mjs'

const BENCHES = {
  snapshots: '../bench/snapshots.mjs',
  documents: '../bench/documents.mjs',
  work: '../bench/work.mjs',
  transcripts: '../bench/transcripts.mjs',
  hooks: '../bench/hooks.mjs',
  search: '../bench/search.mjs',
  mcp: '../bench/mcp.mjs',
  dashboard: '../bench/dashboard.mjs',
  resume: '../bench/resume.mjs',
  secrets: '../bench/secrets.mjs',
}

// More certificates triple the start of Node 20, which falsifies what is measured.
if (process.env.NODE_EXTRA_CA_CERTS !== undefined) {
  const { NODE_EXTRA_CA_CERTS: _slow, ...env } = process.env
  const { status } = spawnSync(process.execPath, process.argv.slice(1), { stdio: 'inherit', env })
  process.exit(status ?? 1)
}

const { names, values } = readWords(process.argv.slice(2))
setup()
const results = []
for (const name of names) {
  const start = performance.now()
  const { measure } = await import(BENCHES[name])
  const found = await measure(values)
  // Most benches answer rows of a table; one that says more brings its own words.
  const result = Array.isArray(found) ? { ok: found.every(({ ok }) => ok), rows: found } : found
  results.push({ bench: name, seconds: (performance.now() - start) / 1_000, ...result })
}
const reports = results.map(({ text: _text, report, ...rest }) => ({ ...rest, ...report }))
console.log(values.json ? JSON.stringify(reports, null, 2) : results.map(say).join('\n\n'))
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1

function readWords(words) {
  try {
    const { values, positionals } = parseArgs({
      args: words,
      allowPositionals: true,
      options: { json: { type: 'boolean', default: false }, ...RESUME_OPTIONS },
    })
    for (const name of positionals)
      if (!Object.hasOwn(BENCHES, name))
        throw new Error(`there is no bench "${name}"; there is: ${Object.keys(BENCHES).join(', ')}`)
    const names = positionals.length > 0 ? positionals : Object.keys(BENCHES)
    const special = Object.keys(values).find((option) => Object.hasOwn(RESUME_OPTIONS, option))
    if (special !== undefined && names.join() !== 'resume')
      throw new Error(`--${special} is an option of the bench "resume"`)
    return { names, values }
  } catch (error) {
    console.error(`savepoint: ${error.message}`)
    process.exit(2)
  }
}

function say({ bench, seconds, text, rows }) {
  const title = `bench ${bench} (${seconds.toFixed(0)} s, Node ${process.versions.node})`
  if (text !== undefined) return [title, text].join('\n')
  const head = ['MEASURED', 'MEDIAN', 'AGAINST', 'RATIO', 'LIMIT', '']
  const lines = rows.map(({ what, measured, against, unit, ratio, limit, ok }) => [
    what,
    `${measured.toFixed(2)} ${unit}`,
    `${against.toFixed(2)} ${unit}`,
    ratio.toFixed(2),
    limit === null ? '–' : String(limit),
    ok ? 'ok' : 'MISSED',
  ])
  const widths = head.map((_, column) => Math.max(...[head, ...lines].map((line) => line[column].length)))
  const table = [head, ...lines].map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at]))
      .join('  ')
      .trimEnd(),
  )
  return [title, ...table].join('\n')
}
