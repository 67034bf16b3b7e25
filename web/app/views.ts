import { useEffect } from 'preact/hooks'
import type { Refusal } from '../../src/apps/dashboard/api.ts'
import { type Cell, makeCell, useCell } from './external-store.ts'
import { readRefusal } from './refusal.ts'

/** What a view of the server is known as: its data, or why there is none. Old data stays until new data is there. */
export interface ViewState<T> {
  data: T | null
  refusal: Refusal | null
}

interface Entry {
  cell: Cell<ViewState<unknown>>
  /** The text that the data was made of: an answer that says the same draws nothing. */
  text: string
  readers: number
  /** A read is under way; and whether something changed since it began. */
  isReading: boolean
  isOutdated: boolean
  usedAt: number
}

const entries = new Map<string, Entry>()
const MOST_KEPT = 40

function entryOf(url: string): Entry {
  const known = entries.get(url)
  if (known) return known
  const entry: Entry = {
    cell: makeCell<ViewState<unknown>>({ data: null, refusal: null }),
    ...{ text: '', readers: 0, isReading: false, isOutdated: false, usedAt: 0 },
  }
  entries.set(url, entry)
  return entry
}

async function readView(url: string, entry: Entry) {
  if (entry.isReading) {
    entry.isOutdated = true
    return
  }
  entry.isReading = true
  entry.isOutdated = false
  try {
    const answer = await fetch(url, { headers: { accept: 'application/json' } })
    const text = await answer.text()
    if (text !== entry.text) {
      entry.text = text
      if (answer.ok) entry.cell.set({ data: JSON.parse(text), refusal: null })
      else entry.cell.set({ data: entry.cell.get().data, refusal: readRefusal(text, answer.status) })
    }
  } catch (error) {
    // The server has ended, or the machine slept: the page goes on with what it has, and the live mark says so.
    if (!(error instanceof TypeError)) throw error
  } finally {
    entry.isReading = false
  }
  if (entry.isOutdated) await readView(url, entry)
}

/** The data of a GET, kept up to date while it is on the screen. Null as address: nothing is read. */
export function useView<T>(url: string | null): ViewState<T> {
  const entry = entryOf(url ?? '')
  // `as`: who asks knows the type of the address, by the contract.
  const state = useCell(entry.cell) as ViewState<T>
  useEffect(() => {
    if (url === null) return undefined
    entry.readers += 1
    entry.usedAt = performance.now()
    void readView(url, entry)
    return () => {
      entry.readers -= 1
      forgetOldest()
    }
  }, [url])
  return state
}

function forgetOldest() {
  const idle = [...entries].filter(([, { readers }]) => readers === 0)
  if (idle.length <= MOST_KEPT) return
  idle.sort(([, a], [, b]) => a.usedAt - b.usedAt)
  for (const [url] of idle.slice(0, idle.length - MOST_KEPT)) entries.delete(url)
}

/** Something was written: what is on the screen is read anew. What is not is read when it is shown again. */
export function refreshViews() {
  for (const [url, entry] of entries) if (entry.readers > 0) void readView(url, entry)
}
