import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { ReasonError } from '../../core/reason.ts'
import { defineVerb } from '../define/verb.ts'

export const backup = defineVerb({
  name: 'backup',
  summary: 'Copy the store to a file',
  detail: 'The copy is consistent while others write, and checked before it gets its name.',
  fields: { file: { kind: 'text', at: 0, required: true, about: 'a file that does not exist yet' } },
  examples: ['savepoint backup ~/savepoint-backup.db'],
  access: 'write',
  async perform(context, { file }) {
    if (context.file === null) {
      const path = context.home.database
      throw new ReasonError('store_unavailable', { path, problem: 'there is no store yet' })
    }
    const path = resolve(context.cwd, file)
    await context.file.copyTo(path)
    return { path, bytes: statSync(path).size }
  },
  say: ({ path, bytes }) => `The store is copied to ${path} (${bytes} bytes).`,
})
