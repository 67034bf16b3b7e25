import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../src/core/canonical.ts'
import { openDatabase } from '../../src/store/sqlite/driver.ts'
import { type Sandbox, sandbox } from '../support/sandbox.ts'
import { damageDatabase, deleteDatabase, doctor } from './ailing.ts'
import { onFile, openAt } from './sqlite-file.ts'

const databaseOf = (box: Sandbox) => join(box.home, 'savepoint.db')
const documentOf = (box: Sandbox, id: string) => box.path(`checkpoints/active/${id}.md`)

interface Listed {
  id: string
  standing: string
  path: string | null
}

// `as`: the answers of commands that are tested elsewhere.
const documentsIn = (box: Sandbox) => box.json(['list', '--all']) as { trusted: boolean; documents: Listed[] }
const listed = (box: Sandbox) =>
  documentsIn(box)
    .documents.map(({ id, standing, path }) => [id, standing, path] as const)
    .toSorted()

/** Every version of every document that the store has, each with its number. */
async function versions(box: Sandbox): Promise<string[]> {
  const store = openAt(databaseOf(box))
  const found: string[] = []
  for (const { id, name } of await store.log.listStreams(null, 'work'))
    for (const { id: checkpoint, sequence } of await store.log.readHistory(id)) {
      const stored = await store.log.readCheckpoint(checkpoint)
      const hash = stored?.state === 'whole' ? (stored.checkpoint.document?.hash ?? '') : ''
      found.push(`${name}@${sequence}: ${await store.log.readText(hash)}`)
    }
  await store.close()
  return found.toSorted()
}

/** What must come back: the list with its focus, the trust, every version, and how `show` tells of them. */
const stateOf = async (box: Sandbox) => ({
  listed: listed(box),
  trusted: documentsIn(box).trusted,
  versions: await versions(box),
  history: box.json(['show', 'auth', '--history']).history,
  first: box.run(['show', 'auth', '--at', '1']).stdout,
})

const settledFiles = (box: Sandbox) => ['auth', 'pay'].map((id) => readFileSync(documentOf(box, id), 'utf8'))

/** Two open documents, the first with edits and in focus, and a third that is archived; a backup knows them all. */
function ready(): Sandbox {
  const box = sandbox()
  for (const id of ['old', 'pay', 'auth']) box.json(['new', id])
  box.json(['delta', 'auth', ...delta('Login works')])
  appendFileSync(documentOf(box, 'auth'), '\nBy hand.\n')
  box.json(['focus', 'auth'])
  box.json(['archive', 'old', '--outcome', 'Done', '--learning', 'Rotate keys'])
  return box
}

const delta = (what: string) => ['--what', what, '--artifact', 'a.ts:created:The form']

/** Makes the next command that writes leave a backup of now. */
function backUp(box: Sandbox): void {
  rmSync(join(box.home, 'backups'), { recursive: true })
  box.json(['focus', 'auth'])
}

/** Breaks the first page of a table, and no other. */
function breakTable(box: Sandbox, table: string): void {
  const path = databaseOf(box)
  onFile(path, 'PRAGMA wal_checkpoint(TRUNCATE)')
  const db = openDatabase(path)
  // `as`: the statement names its one column.
  const row = db.prepare('SELECT rootpage FROM sqlite_master WHERE name = ?').get(table) as {
    rootpage: number
  }
  db.close()
  const at = (row.rootpage - 1) * 4096
  writeFileSync(path, readFileSync(path).fill(0xff, at, at + 100))
}

describe('a damaged store with documents', () => {
  const ALL = [
    ['auth', 'focused', 'checkpoints/active/auth.md'],
    ['old', 'archived', 'checkpoints/archive/old.md'],
    ['pay', 'open', 'checkpoints/active/pay.md'],
  ]

  test.each([damageDatabase, deleteDatabase])(
    'comes back from its backup with documents, histories, focus and trust: %o',
    async (damage) => {
      const box = ready()
      backUp(box)
      const before = await stateOf(box)
      const files = settledFiles(box)
      expect(before).toMatchObject({ listed: ALL, trusted: true })
      expect(before.versions).toHaveLength(6)
      damage(box)
      const healed = box.run(['list'])
      expect(healed.code, healed.stdout + healed.stderr).toBe(0)
      expect(await stateOf(box)).toEqual(before)
      expect(settledFiles(box)).toEqual(files)
      expect(doctor(box)).toMatchObject({ code: 0, findings: [] })
      expect(box.json(['delta', ...delta('On with it')])).toMatchObject({ id: 'auth' })
    },
  )

  test('takes in from the files what no backup knows', () => {
    const box = ready()
    backUp(box)
    box.json(['delta', 'auth', ...delta('After the backup')])
    box.json(['new', 'late', '--current'])
    box.json(['archive', 'pay', '--outcome', 'Paid'])
    const text = readFileSync(documentOf(box, 'auth'), 'utf8')
    damageDatabase(box)
    expect(listed(box)).toEqual([
      ['auth', 'open', 'checkpoints/active/auth.md'],
      ['late', 'focused', 'checkpoints/active/late.md'],
      ['old', 'archived', 'checkpoints/archive/old.md'],
      ['pay', 'archived', 'checkpoints/archive/pay.md'],
    ])
    expect(box.run(['show', 'auth']).stdout).toBe(text)
    expect(readFileSync(documentOf(box, 'auth'), 'utf8')).toBe(text)
    expect(doctor(box)).toMatchObject({ code: 0, findings: [] })
  })

  const RECORDS = ['standings', 'trust', 'views', 'workspaces', 'foreign_marks']
  const HISTORY = ['texts', 'versions', 'checkpoints', 'streams']

  test.each([...RECORDS, ...HISTORY])(
    'that is broken in %s loses nothing that backup, files and the rest of it have',
    async (table) => {
      const box = ready()
      backUp(box)
      // The backup is older than this: the old place must not come back.
      box.json(['archive', 'pay', '--outcome', 'Paid'])
      const before = listed(box)
      const known = await versions(box)
      breakTable(box, table)
      const healed = box.run(['doctor', '--fix'])
      expect(healed.code, healed.stdout + healed.stderr).toBe(0)
      expect(listed(box)).toEqual(before)
      expect(await versions(box)).toEqual(known)
      expect(box.json(['delta', ...delta('On with it')])).toMatchObject({ id: 'auth' })
      expect(doctor(box)).toMatchObject({ code: 0, findings: [] })
    },
  )

  test('gets damaged texts back from its backup', async () => {
    const box = ready()
    backUp(box)
    const before = await stateOf(box)
    onFile(databaseOf(box), `UPDATE texts SET body = X'00'`)
    const shown = box.run(['show', 'auth', '--at', '1'])
    expect(shown.code).not.toBe(0)
    expect(shown.stderr).toContain('checkpoint_integrity_mismatch')
    const said = doctor(box, '--fix').findings.map(({ what }) => what)
    expect(said.join()).toContain('does not match its checksum')
    expect(await stateOf(box)).toEqual(before)
  })

  test.each(['', 'DELETE FROM views'])(
    'gets a damaged text that no backup has back from the file that shows it: %s',
    async (more) => {
      const box = ready()
      box.json(['focus', 'pay'])
      appendFileSync(documentOf(box, 'auth'), '\nAdopted.\n')
      const known = box.json(['show', 'auth', '--history']).history
      rmSync(join(box.home, 'backups'), { recursive: true })
      const text = readFileSync(documentOf(box, 'auth'), 'utf8')
      onFile(databaseOf(box), `UPDATE texts SET body = X'00' WHERE hash = '${sha256(text)}'`, more)
      doctor(box, '--fix')
      expect(box.run(['show', 'auth']).stdout).toBe(text)
      expect(box.json(['show', 'auth', '--history']).history).toEqual(known)
      expect(box.json(['delta', 'auth', ...delta('On')])).toMatchObject({ id: 'auth' })
      expect(doctor(box)).toMatchObject({ code: 0, findings: [] })
    },
  )

  test('that lost a text it still owed goes on with the file that stands there', () => {
    const box = ready()
    rmSync(join(box.home, 'backups'), { recursive: true })
    const text = readFileSync(documentOf(box, 'auth'), 'utf8')
    const owed = sha256('lost')
    onFile(
      databaseOf(box),
      `INSERT INTO texts VALUES ('${owed}', X'00')`,
      `UPDATE views SET state = 'pending', base = hash, hash = '${owed}' WHERE path LIKE '%active/auth.md'`,
    )
    doctor(box, '--fix')
    expect(box.run(['show', 'auth']).stdout).toBe(text)
    expect(box.json(['delta', 'auth', ...delta('On')])).toMatchObject({ id: 'auth' })
    expect(doctor(box)).toMatchObject({ code: 0, findings: [] })
  })
})

test('trust that was taken does not come back with an older backup', () => {
  const box = ready()
  backUp(box)
  box.json(['untrust'])
  breakTable(box, 'pins')
  box.run(['doctor', '--fix'])
  expect(documentsIn(box).trusted).toBe(false)
})

describe('with the home gone altogether', () => {
  test('documents on the disk are foreign until the workspace is trusted again', () => {
    const box = ready()
    const files = settledFiles(box)
    rmSync(box.home, { recursive: true })
    expect(documentsIn(box).trusted).toBe(false)
    expect(listed(box)).toEqual([
      ['auth', 'foreign', 'checkpoints/active/auth.md'],
      ['old', 'foreign', 'checkpoints/archive/old.md'],
      ['pay', 'foreign', 'checkpoints/active/pay.md'],
    ])
    expect(settledFiles(box)).toEqual(files)
    expect(box.json(['trust'])).toMatchObject({ trusted: true, wasTrusted: false })
    expect(listed(box)).toEqual([
      ['auth', 'focused', 'checkpoints/active/auth.md'],
      ['old', 'archived', 'checkpoints/archive/old.md'],
      ['pay', 'open', 'checkpoints/active/pay.md'],
    ])
    expect(settledFiles(box)).toEqual(files)
    expect(box.run(['show', 'auth']).stdout).toBe(files[0])
    expect(doctor(box)).toMatchObject({ code: 0, findings: [] })
  })
})
