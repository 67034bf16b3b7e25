// Reads a scenario: a head of `name: value` lines, then the parts `== talk`, `== summary`, `== facts` and `== traps`.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('./scenarios', import.meta.url))
const HEAD = ['what', 'language', 'version', 'branch', 'start', 'files']
const KINDS = 'goal decision correction rule done state next question failing files deadend'.split(' ')
const FACT = /^(must|also) (\w+)(?: \((cut|whole)\))?: (.+)$/
const TRAP = /^trap(?: \((cut|whole)\))?: (.+)$/

/** All scenarios, by their names. */
export const readScenarios = () =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.txt'))
    .sort()
    .map((name) => readScenario(name.slice(0, -4), readFileSync(join(FOLDER, name), 'utf8')))

/** One scenario; what cannot be read is an error that names its line. */
export function readScenario(id, text) {
  const [head = '', ...parts] = text.split(/^== /m)
  const part = (name) => parts.find((one) => one.startsWith(`${name}\n`))?.slice(name.length + 1) ?? ''
  const fields = Object.fromEntries(
    head
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  )
  for (const name of HEAD) if (!fields[name]) throw new Error(`${id}: no "${name}:" in its head`)
  return {
    id,
    ...fields,
    files: fields.files.split(/,? +/),
    steps: readEntries(part('talk')).map(({ line, body }) => {
      const [, verb, words] = /^(\S+) ?(.*)$/.exec(line)
      return { verb, words, body }
    }),
    summary: part('summary').trim(),
    facts: readClaims(part('facts')).map((claim) => factOf(id, claim)),
    traps: readClaims(part('traps')).map((claim) => trapOf(id, claim)),
  }
}

/** Lines that begin at the margin, each with the indented ones behind it; blank lines count only inside a body. */
function readEntries(text) {
  const entries = []
  let blank = 0
  for (const line of text.split('\n')) {
    if (line.trim() === '') blank += 1
    else if (line.startsWith('  ') && entries.length > 0) {
      const { body } = entries.at(-1)
      body.push(...Array(blank).fill(''), line.slice(2))
      blank = 0
    } else {
      entries.push({ line, body: [] })
      blank = 0
    }
  }
  return entries
}

/** The lines of a part; each tells one thing, and behind ` ~ ` the expressions that show it. */
const readClaims = (text) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' ~ '))

function factOf(id, [line, ...expressions]) {
  const [, rank, kind, when = 'always', fact] = FACT.exec(line) ?? []
  if (!KINDS.includes(kind) || expressions.length === 0) throw new Error(`${id}: this is no fact: ${line}`)
  return { kind, fact, shown_by: expressions, must: rank === 'must', when }
}

function trapOf(id, [line, ...expressions]) {
  const [, when = 'always', fact] = TRAP.exec(line) ?? []
  const isUnless = (one) => one.startsWith('unless ')
  const unless = expressions.filter(isUnless).map((one) => one.slice('unless '.length))
  const shown = expressions.filter((one) => !isUnless(one))
  if (fact === undefined || shown.length === 0) throw new Error(`${id}: this is no trap: ${line}`)
  return { fact, shown_by: shown, unless, when }
}
