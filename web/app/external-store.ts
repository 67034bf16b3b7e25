import { useEffect, useState } from 'preact/hooks'

/** Reads a value that lives outside of components, and draws anew when it changes. */
export function useSyncExternalStore<T>(subscribe: (listener: () => void) => () => void, read: () => T): T {
  const value = read()
  const [, draw] = useState<unknown>(value)
  useEffect(() => {
    // It may have changed between the drawing and now.
    draw(() => read())
    return subscribe(() => draw(() => read()))
  }, [subscribe])
  return value
}

/** A value with listeners: the smallest store that a page of this size needs. */
export interface Cell<T> {
  get(): T
  set(value: T): void
  subscribe(listener: () => void): () => void
}

export function makeCell<T>(first: T): Cell<T> {
  const listeners = new Set<() => void>()
  let value = first
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return
      value = next
      for (const listener of [...listeners]) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}

export const useCell = <T>(cell: Cell<T>): T => useSyncExternalStore(cell.subscribe, cell.get)
