// Makes one declaration file of those that tsc writes: the public names, and every type that they need.
// It reads tsc's own layout, in which a declaration begins at the start of a line. The build checks the result with
// the compiler, so a declaration that was missed fails the build.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const DECLARATION =
  /^(?:export )?(?:declare )?(?:abstract )?(?:const enum|const|let|function|class|interface|type|enum|namespace) ([\w$]+)/
const NAMED = /^(?:import|export) (?:type )?\{([^}]*)\} from '([^']+)';$/s
/** Lines at which a statement begins, with the comment before it. */
const START = /^(?=\/\*\*|\/\/|import |export |declare |interface |type )/m

/** Cuts a text into statements; a comment stays with what follows it. */
function statementsOf(text) {
  const parts = text.split(START)
  return parts.flatMap((part, at) => {
    if (/^\/[*/]/.test(part)) return []
    const before = parts[at - 1] ?? ''
    return [{ code: part.trim(), comment: before.startsWith('/**') ? before.trim() : '' }]
  })
}

/** `A, type B as C` → [['A', 'A'], ['C', 'B']]: the name here, and the name in the other file. */
const namesIn = (list) =>
  list
    .split(',')
    .map((one) => one.trim().replace(/^type /, ''))
    .filter(Boolean)
    .map((one) => {
      const [theirs, ours = theirs] = one.split(' as ')
      return [ours, theirs]
    })

function readModule(file) {
  const declared = new Map()
  const imported = new Map()
  const exported = []
  for (const { code, comment } of statementsOf(readFileSync(file, 'utf8'))) {
    const [, list, from] = NAMED.exec(code) ?? []
    const [, name] = DECLARATION.exec(code) ?? []
    if (list !== undefined && from.startsWith('.')) {
      const target = join(dirname(file), from.replace(/\.ts$/, '.d.ts'))
      for (const [ours, theirs] of namesIn(list)) imported.set(ours, { file: target, name: theirs })
      if (code.startsWith('export')) exported.push(...namesIn(list).map(([ours]) => ours))
    } else if (name !== undefined) {
      // An overloaded function is several statements with one name.
      declared.set(name, [...(declared.get(name) ?? []), { code, comment }])
    } else if (/^import /.test(code)) {
      // A package: refused below, if a public type needs it.
      for (const [word] of code.slice(0, code.indexOf(' from ')).matchAll(/[\w$]+/g))
        if (!['import', 'type', 'as'].includes(word)) imported.set(word, { code })
    } else if (code !== '' && code !== 'export {};') throw new Error(`${file}: cannot bundle: ${code}`)
  }
  return { declared, imported, exported }
}

/** The names that a declaration may use: no comments, no quoted text, no keys. */
const wordsIn = (code) =>
  new Set(
    code
      .replace(/\/\*[\s\S]*?\*\/|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g, ' ')
      .match(/(?<![\w$.])[A-Za-z_$][\w$]*(?![\w$]|\??:)/g) ?? [],
  )

/** The text of one declaration file for what `entry` exports. */
export function bundleTypes(entry) {
  const modules = new Map()
  const moduleOf = (file) => {
    if (!modules.has(file)) modules.set(file, readModule(file))
    return modules.get(file)
  }
  const placed = new Map()
  const texts = []
  /** Adds a name of a file with all that it needs; where it is declared, whatever file imports it on the way. */
  const add = (file, name, askedBy) => {
    const { declared, imported } = moduleOf(file)
    const parts = declared.get(name)
    const from = imported.get(name)
    if (parts === undefined) {
      if (from === undefined) return
      if (from.file === undefined) throw new Error(`${askedBy} needs a package's type: ${from.code}`)
      if (from.name !== name) throw new Error(`${file}: cannot bundle ${from.name} under another name`)
      return add(from.file, name, name)
    }
    const other = placed.get(name)
    if (other === file) return
    if (other !== undefined) throw new Error(`Two public types are called ${name}: ${other}, ${file}`)
    placed.set(name, file)
    for (const { code, comment } of parts)
      texts.push([comment, code.replace(/^export /, '')].filter(Boolean).join('\n'))
    for (const { code } of parts) for (const word of wordsIn(code)) if (word !== name) add(file, word, name)
  }
  const { exported } = moduleOf(entry)
  for (const name of exported) add(entry, name, name)
  return `${texts.join('\n')}\nexport { ${exported.join(', ')} };\n`
}
