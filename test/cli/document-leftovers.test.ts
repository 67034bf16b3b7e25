import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openDatabase } from '../../src/store/sqlite/driver.ts'
import { active, isKept, put, textOf, workBox } from './document-lab.ts'

test('an edit of an archived document at its old place, which a crash left under its kept name, goes into the store', () => {
  const box = workBox({ auth: textOf('auth') })
  box.json(['archive', 'auth', '--outcome', 'Done'])
  // As a crash leaves it between the rename to the kept name and its end: the old place is still to go.
  const database = openDatabase(box.home.concat('/savepoint.db'))
  database.exec(`INSERT INTO views (workspace, path, stream, checkpoint, hash, content_hash, state, kind)
    SELECT workspace, '${active('auth')}', stream, checkpoint, hash, content_hash, 'leaving', 'document'
    FROM views WHERE path = 'checkpoints/archive/auth.md'`)
  database.close()
  const kept = 'checkpoints/active/.auth.md.0123456789ab.old.savepoint-tmp'
  const edited = textOf('auth', { state: 'edited while it was archived' })
  put(box, kept, edited)
  box.run(['list'])
  expect(isKept(box, edited)).toBe(true)
  expect(existsSync(box.path(kept))).toBe(false)
})
