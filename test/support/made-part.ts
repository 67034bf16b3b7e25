import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from './sandbox.ts'

/** The lines of a part of docs/sessions.md that `npm run docs` makes; test/ground/docs.test.ts holds it against the code. */
export function madeLines(name: string): string[] {
  const page = readFileSync(join(projectRoot, 'docs/sessions.md'), 'utf8')
  const [, rest = ''] = page.split(`<!-- ${name}: made by \`npm run docs\` -->`)
  return (rest.split(`<!-- ${name} ends -->`)[0] ?? '').trim().split('\n')
}
