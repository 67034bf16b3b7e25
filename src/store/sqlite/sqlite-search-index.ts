import type {
  IndexPart,
  SearchAnswer,
  SearchFilter,
  SearchIndex,
  SearchRecord,
  SearchWanted,
} from '../search-index.ts'
import type { Connection } from './connection.ts'
import { findRecords } from './search.ts'
import { clearSearch, unlessDamaged } from './search-damage.ts'
import { putRecords, readUnsearched } from './search-fill.ts'

export class SqliteSearchIndex implements SearchIndex {
  private readonly connection: Connection

  constructor(connection: Connection) {
    this.connection = connection
  }

  readUnsearched(most: number): Promise<IndexPart> {
    return this.connection.read((sql) => readUnsearched(sql, most))
  }

  putPart(part: IndexPart, records: readonly SearchRecord[]): Promise<boolean | null> {
    return unlessDamaged(() => this.connection.writeSoft((sql) => putRecords(sql, part, records)))
  }

  search(wanted: SearchWanted, filter: SearchFilter): Promise<SearchAnswer | null> {
    return unlessDamaged(() => this.connection.read((sql) => findRecords(sql, wanted, filter)))
  }

  async forget(): Promise<void> {
    await this.connection.writeSoft(clearSearch)
  }
}
