import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../support/sandbox.ts'

const src = join(projectRoot, 'src')

/** What each layer may import, besides itself. */
const LAYERS: Record<string, readonly string[]> = {
  core: [],
  policy: ['core'],
  formats: ['core'],
  agents: ['core'],
  config: ['core'],
  fs: ['core'],
  store: ['core', 'fs'],
  workspace: ['core', 'fs'],
  engine: ['core', 'policy', 'formats', 'agents', 'config', 'fs', 'store', 'workspace'],
  verbs: ['core', 'policy', 'formats', 'agents', 'config', 'store', 'workspace', 'engine'],
  apps: ['core', 'policy', 'formats', 'agents', 'store', 'engine', 'verbs'],
  'index.ts': ['core', 'formats', 'engine', 'apps'],
}

/** The rooms of the engine: each imports only those before it. */
const ROOMS = [
  ...['context', 'trust', 'publish', 'documents', 'surroundings', 'save', 'brief'],
  ...['sessions', 'runs', 'heal', 'import', 'transfer', 'search', 'setup', 'overview'],
]

/** The files that choose which engine holds the store: nobody else knows one, by its name or its types. */
const CHOOSERS = ['engine/context/context.ts']

/** Folders whose parts never reach into each other, and what all of their parts share. */
const APART: Record<string, readonly string[]> = {
  formats: ['markdown'],
  apps: ['process'],
  verbs: ['define', 'say'],
}

/** The only packages and built-in modules that core may use: both are pure. */
const CORE_MODULES = ['node:crypto', 'canonicalize']

/** The targets of all imports of a text: static, of types, re-exports, dynamic and `typeof import`. */
const targetsIn = (text: string) =>
  [...text.matchAll(/(?:from|import|import\(|getBuiltinModule\()\s*'([^']+)'/g)].map(([, to = '']) => to)

export function violations(file: string, text: string): string[] {
  const from = relative(src, file).split('/')
  const [layer = ''] = from
  const found: string[] = []
  const refuse = (what: string) => found.push(`${relative(src, file)}: ${what}`)
  for (const target of targetsIn(text)) {
    if (!target.startsWith('.')) {
      if (layer === 'core' && !CORE_MODULES.includes(target)) refuse(`core imports ${target}`)
      continue
    }
    const to = relative(src, resolve(dirname(file), target)).split('/')
    const [other = ''] = to
    if (other !== layer && !LAYERS[layer]?.includes(other)) refuse(`${layer} imports ${other}`)
    const [engine] = to[0] === 'store' && to.length > 2 ? to.slice(1) : []
    if (engine !== undefined && from[1] !== engine && !CHOOSERS.includes(from.join('/')))
      refuse(`only ${CHOOSERS} may choose store/${engine}`)
    if (other !== layer || from.length < 3 || to.length < 3 || from[1] === to[1]) continue
    const [mine = '', theirs = ''] = [from[1], to[1]]
    if (layer === 'engine' && !(ROOMS.indexOf(theirs) >= 0 && ROOMS.indexOf(theirs) < ROOMS.indexOf(mine)))
      refuse(`the room ${mine} imports the later room ${theirs}`)
    if (APART[layer]?.includes(theirs) === false) refuse(`${layer}/${mine} imports its sibling ${theirs}`)
  }
  return found
}

/** What a file needs before it can run: neither types, nor what it loads late. */
const neededIn = (text: string) =>
  [...text.matchAll(/^(?:import|export) (?!type )([^'"]*?)from '([^']+)'/gm)]
    .filter(([, names = '']) => !/^\{(?:\s*type [^,}]+,?)+\s*\} $/.test(names))
    .map(([, , target = '']) => target)

/** Folders, or files, that import each other, directly or by way of others. */
function cycles(files: ReadonlyMap<string, string>, of = dirname, targets = targetsIn): string[][] {
  const to = new Map<string, Set<string>>()
  for (const [file, text] of files)
    for (const target of targets(text).filter((one) => one.startsWith('.'))) {
      const [a, b] = [of(file), of(resolve(dirname(file), target))]
      if (a !== b) to.set(a, (to.get(a) ?? new Set()).add(b))
    }
  const reached = (start: string) => {
    const seen = new Set<string>()
    const open = [start]
    for (let at = open.pop(); at !== undefined; at = open.pop())
      for (const next of to.get(at) ?? []) if (!seen.has(next)) open.push(seen.add(next) && next)
    return seen
  }
  const all = new Map([...to.keys()].map((folder) => [folder, reached(folder)]))
  const groups = [...all]
    .filter(([folder, seen]) => seen.has(folder))
    .map(([folder, seen]) =>
      [...seen]
        .filter((one) => all.get(one)?.has(folder))
        .sort()
        .join(' '),
    )
  return [...new Set(groups)].map((group) => group.split(' ').map((folder) => relative(src, folder)))
}

const sources = () =>
  new Map(
    readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => [join(src, name), readFileSync(join(src, name), 'utf8')]),
  )

test('no file imports what its layer or its room may not', () => {
  const files = sources()
  expect(files.size).toBeGreaterThan(30)
  expect([...files].flatMap(([file, text]) => violations(file, text))).toEqual([])
})

test('no two folders import each other, by whatever way', () => {
  expect(cycles(sources())).toEqual([])
})

test('no two files need each other to run: the built program would meet a name without a value', () => {
  expect(cycles(sources(), String, neededIn)).toEqual([])
})

test('a cycle of files is found through values, and not through types or what is loaded late', () => {
  const cycleWith = (line: string) =>
    cycles(
      new Map([
        [join(src, 'a/x.ts'), "import { y } from './y.ts'"],
        [join(src, 'a/y.ts'), line],
      ]),
      String,
      neededIn,
    )
  expect(cycleWith("import { type Z, x } from './x.ts'")).toEqual([['a/x.ts', 'a/y.ts']])
  for (const line of ["import type { X } from './x.ts'", "import { type X } from './x.ts'"])
    expect(cycleWith(line)).toEqual([])
  expect(cycleWith("const x = await import('./x.ts')")).toEqual([])
})

test('every room of the engine has its place in the order', () => {
  const rooms = readdirSync(join(src, 'engine'), { withFileTypes: true })
  expect(rooms.map(({ name }) => name).sort()).toEqual([...ROOMS].sort())
})

test.each([
  ['core/a.ts', "import x from 'node:fs'"],
  ['core/a.ts', "import x from '../policy/b.ts'"],
  ['policy/a.ts', "import { x } from '../store/store.ts'"],
  ['config/a.ts', "import { x } from '../fs/disk.ts'"],
  ['store/sqlite/a.ts', "import { x } from '../../workspace/home.ts'"],
  ['formats/plan/codec.ts', "import { x } from '../snapshot/codec.ts'"],
  ['apps/cli/a.ts', "const x = await import('../library/run-recorder.ts')"],
  ['apps/cli/a.ts', "import { x } from '../../workspace/home.ts'"],
  ['engine/save/a.ts', "import type { X } from '../sessions/follow.ts'"],
  ['engine/publish/a.ts', "const x = await import('../documents/rebase.ts')"],
  ['engine/save/a.ts', "import { x } from '../../verbs/work/save.ts'"],
  ['verbs/sessions/a.ts', "import { x } from '../work/resume.ts'"],
  ['verbs/setup/a.ts', "import { x } from '../../store/sqlite/backup.ts'"],
  ['engine/heal/a.ts', "import type { X } from '../../store/sqlite/restore.ts'"],
  ['store/a.ts', "import { x } from './sqlite/rows.ts'"],
  ['store/postgres/a.ts', "import { x } from '../sqlite/rows.ts'"],
])('a forbidden import in %s is found: %s', (name, line) => {
  expect(violations(join(src, name), line)).toHaveLength(1)
})

test('a cycle is found through a type and through a dynamic import', () => {
  const files = new Map([
    [join(src, 'a/x.ts'), "import type { Y } from '../b/y.ts'"],
    [join(src, 'b/y.ts'), "const z = await import('../c/z.ts')"],
    [join(src, 'c/z.ts'), "export { x } from '../a/x.ts'"],
  ])
  expect(cycles(files)).toEqual([['a', 'b', 'c']])
})
