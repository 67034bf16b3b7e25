import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { databaseProblem } from '../../src/store/sqlite/backup.ts'
import type { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { freshFolder } from './make.ts'
import { decided, found, says } from './make-search.ts'
import { damageIndex, freshPath, onFile, openAt } from './sqlite-file.ts'

const DAMAGES = {
  'some words are wrong bytes': `UPDATE search_texts_data SET block = x'00112233' WHERE id > 10`,
  'all words are wrong bytes': `UPDATE search_texts_data SET block = x'00112233'`,
  'the words are lost': 'DELETE FROM search_texts_data',
  'the settings are lost': 'DELETE FROM search_texts_config',
  'the settings are of another version': `UPDATE search_texts_config SET v = 99 WHERE k = 'version'`,
  'the texts are lost': 'DELETE FROM search_texts_content',
  'the lengths are lost': 'DELETE FROM search_texts_docsize',
  'the words know no tokenizer': `PRAGMA writable_schema = ON; UPDATE sqlite_master
    SET sql = replace(sql, 'porter', 'nobody') WHERE name = 'search_texts'; PRAGMA schema_version = 99`,
  'the words are not in the schema': `PRAGMA writable_schema = ON; DELETE FROM sqlite_master WHERE name = 'search_texts'; PRAGMA schema_version = 99`,
  'the records are lost': 'DELETE FROM search_records',
  ...Object.fromEntries(
    [
      ...['data', 'idx', 'content', 'docsize', 'config'].map((part) => `search_texts_${part}`),
      ...['search_texts', 'search_records', 'search_superseded', 'search_repositories', 'search_sessions'],
    ].map((table) => [`${table} is gone`, `DROP TABLE ${table}`]),
  ),
}

async function damaged(damage: string): Promise<SqliteStore> {
  const store = openAt(freshPath())
  await says(store, 1, { now: 'Still here', decisions: [decided('Still decided', 'Since then')] })
  expect((await found(store, 'still')).total).toBe(2)
  damageIndex(store.path, damage)
  return store
}

/** Every word of the index is there, and nothing else is lost. */
async function expectSound(store: SqliteStore): Promise<void> {
  expect(await store.check()).toEqual([])
  expect((await found(store, 'decided')).hits).toMatchObject([{ superseded: 'Since then' }])
}

describe.each(Object.entries(DAMAGES))('where %s', (_what, damage) => {
  test('a search makes the index anew, and answers', async () => {
    const store = await damaged(damage)
    expect((await found(store, 'still')).total).toBe(2)
    await expectSound(store)
  })

  test('a search that has something to take in does too', async () => {
    const store = await damaged(damage)
    await says(store, 2, { now: 'Still new' })
    expect((await found(store, 'still')).total).toBe(3)
    await expectSound(store)
  })

  test('the store is sound but for what is derived, and is copied', async () => {
    const store = await damaged(damage)
    expect((await store.check()).filter(({ derived }) => !derived)).toEqual([])
    const copy = join(freshFolder(), 'copy.db')
    await store.copyTo(copy)
    expect([databaseProblem(store.path), databaseProblem(copy)]).toEqual([null, null])
    expect((await found(openAt(copy), 'still')).total).toBe(2)
  })
})

test('the check tells what is derived', async () => {
  for (const damage of [
    'DELETE FROM search_texts_data',
    'DELETE FROM search_texts_config',
    'DROP TABLE search_records',
  ]) {
    const { path } = await damaged(damage)
    expect(await openAt(path).check()).toContainEqual({ what: expect.any(String), derived: true })
  }
})

test('damage of the store is found behind that of the index', async () => {
  const store = await damaged('DELETE FROM search_texts_config')
  onFile(store.path, 'PRAGMA foreign_keys = OFF', `INSERT INTO foreign_marks (checkpoint) VALUES ('nobody')`)
  expect(await store.check()).toContainEqual({ what: 'a row of foreign_marks refers to nothing' })
})

test.each(['DELETE FROM search_texts_data', 'DELETE FROM search_texts_config'])(
  'an index of the store that lacks its rows is damage of the file, also beside: %s',
  async (damage) => {
    const store = await damaged(damage)
    await store.close()
    onFile(store.path, `CREATE INDEX names ON streams (name) WHERE name = ''`)
    damageIndex(
      store.path,
      `PRAGMA writable_schema = ON; UPDATE sqlite_master
        SET sql = 'CREATE INDEX names ON streams (name)' WHERE name = 'names'`,
    )
    expect(databaseProblem(store.path)).toContain('index names')
  },
)

test('an index that cannot be made is told as damage of the store, and tried once', async () => {
  const store = await damaged('DELETE FROM search_texts_data')
  const tries: string[] = []
  const index = Object.assign(Object.create(store.index), {
    search: () => Promise.resolve(null),
    putPart: () => Promise.resolve(null),
    forget: () => {
      tries.push('forgotten')
      return store.index.forget()
    },
  })
  const stuck: SqliteStore = Object.assign(Object.create(store), { index })
  await expect(found(stuck, 'still')).rejects.toMatchObject({ reason: 'store_damaged' })
  expect(tries).toHaveLength(2)
})
