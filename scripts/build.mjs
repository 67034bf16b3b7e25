// Builds dist/: the command line as a small launcher and one CommonJS file (the fastest to start), the library as one ES module with one declaration file.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { bundleTypes } from './bundle-types.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
// Built beside and then swapped in, so that nobody meets half a build.
const out = `dist.${process.pid}.tmp`
rmSync(join(root, out), { recursive: true, force: true })
process.on('exit', () => rmSync(join(root, out), { recursive: true, force: true }))

const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  external: ['@photostructure/sqlite'],
  legalComments: 'none',
  metafile: true,
}

/** Packages that most commands never need are files of their own beside the command line. */
const APART = {
  zod: {
    packages: /^zod\/mini$/,
    contents:
      "export { array, boolean, enum, exactOptional, int, literal, looseObject, maximum, maxLength, minimum, minLength, nullable, number, record, refine, regex, strictObject, string, union, unknown } from 'zod/mini'",
  },
  protocol: {
    packages: /^@modelcontextprotocol\/server(\/stdio)?$/,
    contents: `export { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
      export { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'`,
  },
}

const apart = {
  name: 'apart',
  setup: ({ onResolve }) =>
    Object.entries(APART).map(([name, { packages }]) =>
      onResolve({ filter: packages }, () => ({ path: `./${name}.cjs`, external: true })),
    ),
}

/**
 * A package inside the program that runs only when one of its names is first used. Inside, because what V8 compiled
 * is kept for the program alone.
 */
const late = {
  name: 'late',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^yaml$/ }, ({ path, namespace }) =>
      namespace === 'late' ? undefined : { path, namespace: 'late' },
    )
    onLoad({ filter: /.*/, namespace: 'late' }, async ({ path }) => ({
      contents: `for (const name of ${JSON.stringify(Object.keys(await import(path)))})
        Object.defineProperty(exports, name, { enumerable: true, get: () => require('${path}')[name] })`,
      resolveDir: root,
      loader: 'js',
    }))
  },
}

/** commander can run other programs as subcommands; ours has none, and the module costs time at every start. */
function without(dependant, module) {
  return {
    name: 'without',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: new RegExp(`^${module}$`) }, ({ importer }) =>
        importer.includes(`node_modules/${dependant}/`) ? { path: module, namespace: 'without' } : undefined,
      )
      onLoad({ filter: /.*/, namespace: 'without' }, () => ({
        contents: 'module.exports = {}',
        loader: 'js',
      }))
    },
  }
}

/** The protocol's package brings a validator of schemas for what clients are asked; ours are asked nothing. */
const withoutValidator = {
  name: 'without validator',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, () => ({
      path: 'shims',
      namespace: 'shims',
    }))
    onLoad({ filter: /.*/, namespace: 'shims' }, () => ({
      contents:
        "export { default as process } from 'node:process'; export class DefaultJsonSchemaValidator {}",
      loader: 'js',
    }))
  },
}

const IMPORT = /(?<=^|[;}\n])import(?: ?([\w$]+|\*as [\w$]+)? ?,?(\{[^{}]*\})?from)?"([^"]+)";/g
const LATE_IMPORT = /\bimport\("([^"]+)"\)/g
const EXPORT = /(?<=^|[;}\n])export\{([^{}]*)\};\n$/

/**
 * One ES module of the program as a function that the launcher calls with its loader: it answers what the module exports.
 * Importers take the values at once: nothing that is exported may be assigned to after its module has run.
 */
function partOf(text, { imports, exports }) {
  const found = { 'import-statement': 0, 'dynamic-import': 0 }
  const load = (kind, path) => {
    found[kind] += 1
    const part = /^\.\/([\w-]+)\.js$/.exec(path)
    return part ? `program.load("${part[1]}")` : `require("${path}")`
  }
  const code = text
    .replace(IMPORT, (_, name, names, path) => {
      const value = load('import-statement', path)
      const left = [name?.replace('*as ', ''), names?.replaceAll(' as ', ':')].filter(Boolean)
      return left.length === 0 ? `${value};` : `const ${left.map((one) => `${one}=${value}`).join(',')};`
    })
    .replace(LATE_IMPORT, (_, path) => `(async()=>${load('dynamic-import', path)})()`)
    .replace(EXPORT, (_, names) => {
      const pairs = names.split(',').map((one) => one.split(' as '))
      found.exports = pairs.length
      return `return{${pairs.map(([local, name = local]) => `${name}:${local}`).join(',')}}`
    })
    .replaceAll('PROGRAM_URL', 'require("node:url").pathToFileURL(program.file).href')
  const told = (kind) => imports.filter((one) => one.kind === kind).length
  for (const kind of ['import-statement', 'dynamic-import'])
    if (found[kind] < told(kind)) throw new Error(`${found[kind]} of ${told(kind)} ${kind}s were found`)
  if ((found.exports ?? 0) !== exports.length) throw new Error('some exports were not found')
  return inAscii(`(function(program,require){${code}})`)
}

/** The launcher reads ASCII, which is the fastest; esbuild leaves other characters in regular expressions. */
function inAscii(text) {
  if (/String\.raw`[^`]*[^\0-\x7f]/.test(text))
    throw new Error('String.raw can have no other form of a character')
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** The names of the modules that are loaded with one of them. */
function loadedWith(name, imports, found = new Set()) {
  if (found.has(name)) return found
  found.add(name)
  for (const other of imports.get(name)) loadedWith(other, imports, found)
  return found
}

/**
 * Writes the program: a CommonJS file of parts, which are functions by their names. Its first line has the name of the
 * build, which is that of the text, because what is kept compiled belongs to that text alone; and where each part is, so
 * that the launcher can compile those alone that are used. What every start loads is one piece, and so is what comes with
 * a module of `together`.
 */
function writeProgram(file, { outputFiles, metafile }, ...together) {
  const start = basename(file, '.cjs')
  const about = new Map(Object.entries(metafile.outputs).map(([path, one]) => [basename(path, '.js'), one]))
  const imports = new Map(
    [...about].map(([name, one]) => [
      name,
      one.imports
        .filter(({ kind, external }) => kind === 'import-statement' && !external)
        .map(({ path }) => basename(path, '.js')),
    ]),
  )
  const parts = new Map(
    outputFiles.map(({ path, text }) => [
      basename(path, '.js'),
      partOf(text, about.get(basename(path, '.js'))),
    ]),
  )
  const roots = together.map((path) => [...about].find(([, { entryPoint }]) => entryPoint === path)[0])
  const placed = new Set()
  const pieces = [start, ...roots].map((root) => {
    const names = [...loadedWith(root, imports)].filter((name) => !placed.has(name))
    for (const name of names) placed.add(name)
    return names
  })
  for (const name of parts.keys()) if (!placed.has(name)) pieces.push([name])
  let text = 'const parts=Object.assign(\n'
  const places = pieces.flatMap((names) => {
    const piece = `({${names.map((name) => `"${name}":${parts.get(name)}`).join(',\n')}})`
    const line = text.split('\n').length
    const place = `${line}:${text.length}:${piece.length}`
    text += `${piece},\n`
    return names.map((name) => `${name}:${place}`)
  })
  text += `),loaded={},program={file:__filename,load:(name)=>loaded[name]??=parts[name](program,require)};module.exports=program.load("${start}")\n`
  const build = createHash('sha256').update(text).digest('hex').slice(0, 16)
  writeFileSync(join(root, out, file), `//${build} ${places.join(' ')} \n${text}`)
  return { SAVEPOINT_PROGRAM: JSON.stringify({ file, build }) }
}

const parts = await Promise.all(
  Object.entries(APART).map(([name, { contents }]) =>
    build({
      ...shared,
      stdin: { contents, resolveDir: root },
      outfile: `${out}/${name}.cjs`,
      format: 'cjs',
      minify: true,
      plugins: [withoutValidator],
    }),
  ),
)
/**
 * One for commands and one for hooks, each in parts: what one of them loads late, and what several load, stands apart, so
 * that a start reads and compiles nothing that it does not use.
 */
const buildProgram = (entryPoints, plugins) =>
  build({
    ...shared,
    entryPoints,
    outdir: out,
    format: 'esm',
    splitting: true,
    chunkNames: '[hash]',
    write: false,
    minify: true,
    plugins: [...plugins, apart, late, without('commander', 'node:child_process')],
    define: { 'import.meta.url': 'PROGRAM_URL', SAVEPOINT_VERSION: JSON.stringify(version) },
  })

/** Leaves out what would be loaded late by a path: it stays a call that this program never makes. */
const leftOut = (filter) => ({
  name: 'left out',
  setup: ({ onResolve }) =>
    onResolve({ filter }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    ),
})

const program = await buildProgram({ program: 'src/apps/entry.ts' }, [])
// A hook sets no agent up.
const hookProgram = await buildProgram({ 'hook-program': 'src/apps/hook/main.ts' }, [
  leftOut(/\/set-up\.ts$/),
])
mkdirSync(join(root, out), { recursive: true })
const cli = await build({
  ...shared,
  entryPoints: { cli: 'src/apps/cli/launcher.ts' },
  outdir: out,
  outExtension: { '.js': '.cjs' },
  format: 'cjs',
  minify: true,
  // An older Node must get as far as the message that it is too old.
  target: 'node12',
  external: [...shared.external, './hook.cjs'],
  banner: { js: '#!/usr/bin/env node' },
  define: writeProgram('program.cjs', program),
})
const hook = await build({
  ...shared,
  entryPoints: { hook: 'src/apps/hook/launcher.ts' },
  outdir: out,
  outExtension: { '.js': '.cjs' },
  format: 'cjs',
  minify: true,
  // What an agent waits for is mostly its start, which opens the store.
  define: writeProgram('hook-program.cjs', hookProgram, 'src/apps/hook/handle-event.ts'),
})
const library = await build({
  ...shared,
  entryPoints: { index: 'src/index.ts' },
  outdir: out,
  format: 'esm',
  // CommonJS packages inside the bundle ask for Node's own modules by require.
  banner: {
    js: 'import { createRequire as savepointRequire } from "node:module"; const require = savepointRequire(import.meta.url);',
  },
})
chmodSync(join(root, out, 'cli.cjs'), 0o755)

// The page of the dashboard: one script and one style, and nothing that is fetched from elsewhere.
const web = await build({
  ...shared,
  platform: 'browser',
  target: 'es2022',
  entryPoints: { app: 'web/main.tsx' },
  outdir: `${out}/web`,
  format: 'esm',
  minify: true,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  define: { 'process.env.NODE_ENV': '"production"' },
})
for (const name of ['index.html', 'icon.svg'])
  copyFileSync(join(root, 'web', name), join(root, out, 'web', name))

// The packages inside the bundles keep their licences.
const packages = new Set()
for (const { metafile } of [...parts, program, hookProgram, cli, hook, library, web])
  for (const input of Object.keys(metafile.inputs)) {
    const found = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)
    if (found) packages.add(found[1])
  }
const licences = [...packages].sort().map((name) => {
  const folder = join(root, 'node_modules', name)
  const file = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'LICENCE', 'license']
    .map((f) => join(folder, f))
    .find(existsSync)
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return `${name} ${version} (${license})\n\n${file ? readFileSync(file, 'utf8').trim() : `Licence: ${license}`}\n`
})
writeFileSync(join(root, out, 'LICENSES.txt'), licences.join(`\n${'-'.repeat(72)}\n\n`))

/** Runs the compiler; ends the build where it fails. */
function tsc(...args) {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const { status } = spawnSync(process.execPath, [compiler, ...args], { stdio: 'inherit', cwd: root })
  if (status !== 0) process.exit(status ?? 1)
}

// One declaration file, which needs no other: it is checked alone, without the types of Node or of packages.
const types = join(root, out, 'types')
const declarations = join(root, out, 'index.d.ts')
tsc('-p', 'tsconfig.types.json', '--outDir', types)
writeFileSync(declarations, bundleTypes(join(types, 'index.d.ts')))
rmSync(types, { recursive: true })
tsc(
  ...['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', 'false'],
  ...['--module', 'nodenext', '--target', 'es2022', '--types', '', declarations],
)

const old = `${out}.old`
if (existsSync(join(root, 'dist'))) renameSync(join(root, 'dist'), join(root, old))
renameSync(join(root, out), join(root, 'dist'))
rmSync(join(root, old), { recursive: true, force: true })
