// What tools print in a session: code, lists, diffs. The same for the same seed; it tells nothing that a brief must keep.
import { random } from '../measure.mjs'

export const NOUNS =
  'row batch entry window cursor handle bucket token frame slot page region chunk event sample'.split(' ')
export const VERBS =
  'load parse merge split apply store check flush build fetch group sort trim render emit'.split(' ')
const TYPES = ['string', 'number', 'boolean', 'Date', 'unknown', 'Promise<void>', 'readonly string[]']

const seedOf = (text) => {
  let seed = 7
  for (const char of text) seed = (Math.imul(seed, 31) + char.charCodeAt(0)) | 0
  return seed
}

/** A source of chance for one place: picks, and whole numbers below a limit. */
export function chanceOf(text) {
  const next = random(seedOf(text))
  const below = (limit) => Math.floor(next() * limit)
  return { below, pick: (list) => list[below(list.length)] }
}

/** Lines of a program that means nothing. */
function codeOf(path, count) {
  const { below, pick } = chanceOf(path)
  const name = () => `${pick(VERBS)}${pick(NOUNS).replace(/^./, (first) => first.toUpperCase())}`
  const line = [
    () => `  const ${pick(NOUNS)} = ${name()}(${pick(NOUNS)}, ${below(900)})`,
    () => `  if (${pick(NOUNS)}.length > ${below(64)}) return ${name()}(${pick(NOUNS)})`,
    () => `  for (const ${pick(NOUNS)} of ${pick(NOUNS)}s) ${name()}(${pick(NOUNS)})`,
    () => `export function ${name()}(${pick(NOUNS)}: ${pick(TYPES)}): ${pick(TYPES)} {`,
    () => '}',
    () => '',
    () => `  // ${pick(VERBS)} the ${pick(NOUNS)} before the ${pick(NOUNS)}`,
  ]
  return Array.from({ length: count }, () => pick(line)())
}

/** A file as the tool that reads files shows it. */
export const readNoise = (path) =>
  codeOf(path, 40 + chanceOf(`${path} size`).below(90))
    .map((line, at) => `${String(at + 1).padStart(6)}→${line}`)
    .join('\n')

/** The old and the new text of an edit. */
export function editNoise(path, count) {
  const code = codeOf(`${path} ${count}`, 14)
  return { old_string: code.slice(0, 5).join('\n'), new_string: code.slice(3).join('\n') }
}

export const writeNoise = (path) => codeOf(`new ${path}`, 60).join('\n')

/** One of the calls with which an agent looks around: its tool, its input, its answer. */
export function lookAround(files, seed) {
  const { below, pick } = chanceOf(seed)
  const file = pick(files)
  const hits = () => files.map((one) => `${one}:${1 + below(200)}:${codeOf(one + seed, 3)[0]}`).join('\n')
  return pick([
    () => ({ name: 'Read', input: { file_path: file }, result: readNoise(file) }),
    () => ({ name: 'Grep', input: { pattern: pick(NOUNS), output_mode: 'content' }, result: hits() }),
    () => ({ name: 'Glob', input: { pattern: `**/${pick(NOUNS)}*` }, result: files.join('\n') }),
    () => ({
      name: 'Bash',
      input: { command: 'git status --short', description: 'See what changed' },
      result: ` M ${file}`,
    }),
    () => ({
      name: 'Bash',
      input: { command: `git log --oneline -4 -- ${file}`, description: 'See recent commits' },
      result: Array.from(
        { length: 4 },
        () => `${below(0xfffffff).toString(16)} ${pick(VERBS)} ${pick(NOUNS)}`,
      ).join('\n'),
    }),
  ])()
}
