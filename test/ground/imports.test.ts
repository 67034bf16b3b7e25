import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../support/sandbox.ts'

const src = join(projectRoot, 'src')

/** What each folder may import, besides itself; the order of the layers is the order of the list. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  core: [],
  policy: ['core'],
  formats: ['core'],
  fs: ['core'],
  config: ['core', 'fs'],
  store: ['core', 'fs'],
  workspace: ['core', 'fs'],
  agents: ['core'],
  operations: ['core', 'policy', 'formats', 'fs', 'config', 'store', 'workspace', 'agents'],
  apps: ['core', 'policy', 'formats', 'store', 'agents', 'operations'],
}

/** The only packages and built-in modules that core may use: both are pure. */
const CORE_MODULES = ['node:crypto', 'canonicalize']

export function violations(file: string, text: string): string[] {
  const [folder = ''] = relative(src, file).split('/')
  const found: string[] = []
  for (const [, target = ''] of text.matchAll(/(?:from|import\(|getBuiltinModule\()\s*'([^']+)'/g)) {
    if (!target.startsWith('.')) {
      if (folder === 'core' && !CORE_MODULES.includes(target)) found.push(`${file}: core imports ${target}`)
      continue
    }
    const [other = ''] = relative(src, resolve(file, '..', target)).split('/')
    const allowed = MAY_IMPORT[folder]
    if (allowed && other !== folder && !allowed.includes(other))
      found.push(`${file}: ${folder} imports ${other}`)
    const sibling = siblingOf(file, target)
    if (sibling) found.push(`${file}: imports its sibling ${sibling}`)
  }
  return found
}

/** Formats and apps are siblings among themselves: one never reaches into another. */
function siblingOf(file: string, target: string): string | null {
  const [folder, mine, ...rest] = relative(src, file).split('/')
  const [other, theirs, ...more] = relative(src, resolve(file, '..', target)).split('/')
  const isPart = (folder === 'formats' || folder === 'apps') && folder === other
  return isPart && rest.length > 0 && more.length > 0 && mine !== theirs ? `${theirs}` : null
}

test('no file imports what its folder may not', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  expect(files.length).toBeGreaterThan(30)
  expect(files.flatMap((name) => violations(join(src, name), readFileSync(join(src, name), 'utf8')))).toEqual(
    [],
  )
})

test.each([
  ['core/a.ts', "import x from 'node:fs'"],
  ['core/a.ts', "import x from '../policy/b.ts'"],
  ['policy/a.ts', "import { x } from '../store/store.ts'"],
  ['store/sqlite/a.ts', "import { x } from '../../workspace/home.ts'"],
  ['formats/plan/codec.ts', "import { x } from '../snapshot/codec.ts'"],
  ['apps/cli/a.ts', "const x = await import('../library/run-recorder.ts')"],
  ['apps/cli/a.ts', "import { x } from '../../workspace/home.ts'"],
])('a forbidden import in %s is found: %s', (name, line) => {
  expect(violations(join(src, name), line)).toHaveLength(1)
})
