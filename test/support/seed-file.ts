import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from './sandbox.ts'

/** A file as the users of one of the five formats have it. */
export const seedFile = (format: string, name: string) =>
  readFileSync(join(projectRoot, 'test/fixtures/seeds', format, name), 'utf8')
