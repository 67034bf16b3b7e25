// What the redaction finds and what it takes by mistake, by kind, and how fast it is. docs/security.md has the figures.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { root } from '../scripts/setup.mjs'
import { inTempFolder } from './measure.mjs'

const ROUNDS = 3
const LIMITS = { recall: 0.99, falsePer10MB: 5, falseSentences: 0, speed: 20, hostileMs: 250 }

export function measure() {
  return inTempFolder(async (place) => {
    const redaction = await bundled(place)
    const planted = judgePlanted(redaction)
    const code = judgeCode(redaction)
    const sentences = redaction.ordinarySentences()
    const taken = sentences.filter((one) => redaction.redact(one) !== one).length
    const hostile = slowestHostile(redaction)
    const rows = [
      ['planted secrets', planted.all, ''],
      ['redacted', percent(planted.found / planted.all), planted.found / planted.all >= LIMITS.recall],
      ['code, MB', (code.bytes / 1e6).toFixed(1), ''],
      ['false hits in 10 MB', code.per10MB.toFixed(2), code.per10MB <= LIMITS.falsePer10MB],
      [`sentences of ${sentences.length} that were changed`, taken, taken <= LIMITS.falseSentences],
      ['MB a second, code', code.speed.toFixed(0), code.speed >= LIMITS.speed],
      [
        `ms for the slowest hostile megabyte (${JSON.stringify(hostile.unit)})`,
        hostile.ms.toFixed(0),
        hostile.ms <= LIMITS.hostileMs,
      ],
    ]
    const text = [
      table(
        ['MEASURED', '', 'WITHIN ITS LIMIT'],
        rows.map(([what, value, ok]) => [what, value, ok === '' ? '' : ok ? 'yes' : 'NO']),
      ),
      table(
        ['PLANTED KIND', 'PLANTED', 'REDACTED'],
        planted.byKind.map(({ name, all, found }) => [name, all, percent(found / all)]),
      ),
      table(['MARK', 'RIGHT', 'FALSE', 'PRECISION'], marks(planted, code)),
    ].join('\n\n')
    return { ok: rows.every(([, , ok]) => ok !== false), text, report: { planted, code, taken, hostile } }
  })
}

async function bundled(place) {
  const outfile = join(place, 'redaction.mjs')
  const from = (path) => JSON.stringify(join(root, path))
  const contents = `export { redact } from ${from('src/policy/redact.ts')}
    export { findSecrets } from ${from('src/policy/redact/find-secrets.ts')}
    export { makeRules } from ${from('src/policy/redact/rules.ts')}
    export * from ${from('test/support/secret-corpus.ts')}`
  await build({
    stdin: { resolveDir: root, contents },
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
  })
  return import(pathToFileURL(outfile).href)
}

function judgePlanted({ plantSecrets, redact, findSecrets, isReadable }) {
  const kinds = new Map()
  const marked = new Map()
  let found = 0
  const planted = plantSecrets(ROUNDS)
  for (const { kind, text, secret } of planted) {
    const row = kinds.get(kind) ?? { name: kind, all: 0, found: 0 }
    const isFound = !isReadable(redact(text), secret)
    kinds.set(kind, { ...row, all: row.all + 1, found: row.found + Number(isFound) })
    found += Number(isFound)
    for (const one of findSecrets(text).secrets) marked.set(one.kind, (marked.get(one.kind) ?? 0) + 1)
  }
  return { all: planted.length, found, byKind: [...kinds.values()], marked: Object.fromEntries(marked) }
}

/** All sources that this checkout brings along. */
function judgeCode({ findSecrets }) {
  const falseHits = {}
  let bytes = 0
  let micros = 0
  for (const path of sources()) {
    const text = readFileSync(path, 'utf8')
    bytes += text.length
    const before = process.cpuUsage()
    const { secrets } = findSecrets(text)
    const { user, system } = process.cpuUsage(before)
    micros += user + system
    for (const { kind } of secrets) falseHits[kind] = (falseHits[kind] ?? 0) + 1
  }
  const hits = Object.values(falseHits).reduce((sum, one) => sum + one, 0)
  return { bytes, hits, falseHits, per10MB: hits / (bytes / 1e7), speed: bytes / micros }
}

function sources() {
  return ['node_modules', 'src', 'docs'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile() && /\.(?:[cm]?[jt]s|json|md|ya?ml|css)$/.test(one.name))
      .map((one) => join(one.parentPath, one.name))
      .sort(),
  )
}

/** A megabyte of what each rule begins with, alone and with what its value may be made of. */
function slowestHostile({ makeRules, redact }) {
  const units = [...new Set(makeRules().flatMap(({ at }) => at))].flatMap((at) => [
    at,
    `${at}a1`,
    `-${at}=x `,
  ])
  let slowest = { unit: '', ms: 0 }
  for (const unit of units) {
    const text = unit.repeat(Math.ceil(1e6 / unit.length))
    const times = [1, 2].map(() => {
      const before = process.cpuUsage()
      redact(text)
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1_000
    })
    const ms = Math.min(...times)
    if (ms > slowest.ms) slowest = { unit, ms }
  }
  return slowest
}

const marks = ({ marked }, { falseHits }) =>
  [...new Set([...Object.keys(marked), ...Object.keys(falseHits)])].sort().map((kind) => {
    const [right, wrong] = [marked[kind] ?? 0, falseHits[kind] ?? 0]
    return [kind, right, wrong, percent(right / (right + wrong))]
  })

const percent = (share) => `${(share * 100).toFixed(share === 1 ? 0 : 2)} %`

/** A table as the page has it. */
const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
