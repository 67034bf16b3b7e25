import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../support/sandbox.ts'

const ROOTS = ['src', 'web', 'test', 'bench', 'scripts', 'plugins', 'docs', 'examples', 'dist']

/** Every file below the roots, and every folder with a slash behind it. */
const FILES = ROOTS.flatMap((root) =>
  readdirSync(join(projectRoot, root), { recursive: true, withFileTypes: true }).map((entry) => {
    const path = relative(projectRoot, join(entry.parentPath, entry.name))
    return entry.isDirectory() ? `${path}/` : path
  }),
).concat(ROOTS.map((root) => `${root}/`))

/** Pages for contributors: every file that they name is one of ours. In other pages it may be a user's. */
const OURS = /^(?:ARCHITECTURE|CONTRIBUTING|docs\/durability|docs\/decisions\/.+)\.md$/

const pages = () => [
  ...['ARCHITECTURE.md', 'CONTRIBUTING.md'],
  ...FILES.filter((name) => /^docs\/.+\.md$/.test(name)),
]
const read = (page: string) => readFileSync(join(projectRoot, page), 'utf8')

/** A path with `<name>` or `*` in it as an expression; it may be the end of a longer path. */
function patternOf(path: string): RegExp {
  const parts = path.replace(/\/$/, '').split(/<[^>]+>|\*/)
  return new RegExp(`(?:^|/)${parts.map((part) => part.replace(/[.]/g, '\\.')).join('[^/]+')}/?$`)
}
const exists = (path: string) => FILES.some((file) => patternOf(path).test(file))

/** The paths and file names in a page: what stands in code marks, and paths in its drawings. */
function namedIn(page: string, text: string): string[] {
  const isOurs = OURS.test(page)
  const drawn = [...text.matchAll(/^```text[\s\S]*?^```/gm)].flatMap(
    ([drawing]) => drawing.match(/\bsrc\/[\w./-]*\w/g) ?? [],
  )
  const marked = [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`\n]+)`/g)].map(
    ([, code = '']) => code,
  )
  return [
    ...(isOurs ? drawn : []),
    ...marked.filter((code) => {
      if (!/^[\w<*][\w./<>*-]*$/.test(code)) return false
      if (/^(?:src|test|bench|scripts|plugins|docs)\//.test(code)) return isOurs || /^src\/[^/]+\//.test(code)
      return isOurs && /\.(?:ts|mjs|cjs)$/.test(code)
    }),
  ]
}

/** Names that a page says are in a file, `name` in `path` or `name` (`path`), and that are not. */
const missingNames = (text: string): string[] =>
  [...text.matchAll(/`(\w+)`(?: in | \()`(src\/[\w./-]+\.ts)`/g)]
    .filter(([, name = '', path = '']) => exists(path) && !new RegExp(`\\b${name}\\b`).test(read(path)))
    .map(([, name, path]) => `${name} in ${path}`)

const missing = (page: string, text: string): string[] => [
  ...namedIn(page, text).filter((path) => !exists(path)),
  ...missingNames(text),
]

/** Each row of the table of rooms: its folders, and the files to begin with. */
const rooms = (text: string) =>
  [...text.matchAll(/^\| (`src\/[^|]+) \|[^|]+\| ([^|]+) \|$/gm)].map(([, folders = '', files = '']) => ({
    folders: folders.match(/src\/[\w/-]+/g) ?? [],
    files: files.match(/[\w./-]+\.ts/g) ?? [],
  }))

test('every path, file and name of the code in a document exists', () => {
  expect(pages().length).toBeGreaterThan(40)
  expect(pages().flatMap((page) => missing(page, read(page)).map((path) => `${page}: ${path}`))).toEqual([])
})

test('the table of rooms has every folder of the source, with files of it to begin with', () => {
  const table = read('ARCHITECTURE.md').split('## Rooms')[1]?.split('\n## ')[0] ?? ''
  const listed = rooms(table)
  const folders = FILES.filter((name) => /^src\/.+\.ts$/.test(name) && name !== 'src/index.ts').map(dirname)
  // Their few files are told in the rows of the rooms below or above them.
  const alone = ['src/apps', 'src/verbs', 'src/agents/claude']
  const wanted = [...new Set(folders)].filter((folder) => !alone.includes(folder)).sort()
  expect(listed.flatMap((room) => room.folders).sort()).toEqual(wanted)
  const lost = listed.flatMap(({ folders, files }) =>
    files.filter((file) => !folders.some((folder) => FILES.includes(`${folder}/${file}`))),
  )
  expect(lost).toEqual([])
})

test.each([
  ['ARCHITECTURE.md', 'in `src/operations/work/save.ts`', 'src/operations/work/save.ts'],
  ['ARCHITECTURE.md', 'at `no-such-file.ts`', 'no-such-file.ts'],
  ['ARCHITECTURE.md', '```text\n src/operations (verbs)\n```', 'src/operations'],
  ['CONTRIBUTING.md', 'in `src/operations/<group>/<verb>.ts`', 'src/operations/<group>/<verb>.ts'],
  ['docs/save.md', '`CARRY` in `src/policies/carry.ts`', 'src/policies/carry.ts'],
  ['docs/save.md', '`CARRIED` in `src/policy/carry.ts`', 'CARRIED in src/policy/carry.ts'],
])('a name in %s that leads nowhere is found: %s', (page, text, path) => {
  expect(missing(page, text)).toEqual([path])
})

test('a file of a user in a guide is none of ours', () => {
  expect(missing('docs/resume.md', 'In a repository with `src/login.ts`')).toEqual([])
})
