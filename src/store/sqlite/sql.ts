import type { Database } from './driver.ts'

type Value = string | number | null | Uint8Array

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
    return this.statement(text).all(...values) as Row[]
  }

  get<Row>(text: string, ...values: Value[]): Row | undefined {
    return this.statement(text).get(...values) as Row | undefined
  }

  /** The number of rows that changed. */
  run(text: string, ...values: Value[]): number {
    return Number(this.statement(text).run(...values).changes)
  }
}
