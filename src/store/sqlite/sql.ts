import { type Database, sqliteCode } from './driver.ts'

export type Value = string | number | boolean | null | Uint8Array

/** A row to be written: its columns by their names. */
export type NewRow = Readonly<Record<string, Value>>

/** Statements of one database, prepared once. */
export class Sql {
  readonly db: Database
  private readonly prepared = new Map<string, ReturnType<Database['prepare']>>()

  constructor(db: Database) {
    this.db = db
  }

  private statement(text: string) {
    const known = this.prepared.get(text)
    if (known) return known
    const made = this.db.prepare(text)
    this.prepared.set(text, made)
    return made
  }

  /** `Row` names the columns of the statement beside it: SQLite gives no types to test. */
  all<Row>(text: string, ...values: Value[]): Row[] {
    return this.statement(text).all(...values.map(storedValue)) as Row[]
  }

  get<Row>(text: string, ...values: Value[]): Row | undefined {
    return this.statement(text).get(...values.map(storedValue)) as Row | undefined
  }

  has(text: string, ...values: Value[]): boolean {
    return this.get(text, ...values) !== undefined
  }

  /** The number of rows that changed. */
  run(text: string, ...values: Value[]): number {
    return Number(this.statement(text).run(...values.map(storedValue)).changes)
  }

  /** Adds a row. `onConflict` says what happens where another has its key: `DO NOTHING`, `(id) DO UPDATE SET …`. */
  insert(table: string, row: NewRow, onConflict?: string): number {
    const conflict = onConflict === undefined ? '' : `ON CONFLICT ${onConflict}`
    return this.run(`INSERT INTO ${table} ${columnsOf(row)} ${conflict}`, ...Object.values(row))
  }

  /** Puts a row in the place of those that have its keys; columns that it does not name take their defaults. */
  replace(table: string, row: NewRow): number {
    return this.run(`REPLACE INTO ${table} ${columnsOf(row)}`, ...Object.values(row))
  }
}

const storedValue = (value: Value) => (typeof value === 'boolean' ? Number(value) : value)

function columnsOf(row: NewRow): string {
  const names = Object.keys(row)
  return `(${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`
}

/** Those conditions that have a value, joined, and their values: `{ 'stream = ?': stream }`. */
export function conditionsOf(asked: Readonly<Record<string, Value | undefined>>): {
  where: string
  values: Value[]
} {
  const given = Object.entries(asked).filter((one): one is [string, Value] => one[1] !== undefined)
  const where = ['true', ...given.map(([condition]) => condition)].join(' AND ')
  return { where, values: given.map(([, value]) => value) }
}

export function transaction<T>(sql: Sql, begin: string, act: (sql: Sql) => T): T {
  sql.db.exec(begin)
  try {
    const value = act(sql)
    sql.db.exec('COMMIT')
    return value
  } catch (error) {
    rollback(sql)
    throw error
  }
}

/** SQLite rolls back by itself after some errors; then there is nothing left to roll back. */
function rollback(sql: Sql): void {
  try {
    sql.db.exec('ROLLBACK')
  } catch (error) {
    if (sqliteCode(error) === undefined) throw error
  }
}
