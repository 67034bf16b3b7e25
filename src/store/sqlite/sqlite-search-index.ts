import type { SearchIndex } from '../search-index.ts'
import type { Connection } from './connection.ts'
import { findRecords } from './search.ts'
import { clearSearch, unlessDamaged } from './search-damage.ts'
import { putRecords, readUnsearched } from './search-fill.ts'

export const sqliteSearchIndex = (connection: Connection): SearchIndex => ({
  readUnsearched: (most) => connection.read((sql) => readUnsearched(sql, most)),
  putPart: (part, records) =>
    unlessDamaged(() => connection.writeSoft((sql) => putRecords(sql, part, records))),
  search: (wanted, filter) => unlessDamaged(() => connection.read((sql) => findRecords(sql, wanted, filter))),
  forget: () => connection.writeSoft(clearSearch),
})
