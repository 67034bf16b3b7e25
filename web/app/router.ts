import { useSyncExternalStore } from './external-store.ts'

/**
 * Where the reader is: everything that a reload must bring back stands in the address, behind the `#`. The server then
 * has one address for the whole page, and never learns what is looked at.
 */
export interface Place {
  path: string
  query: URLSearchParams
}

const listeners = new Set<() => void>()
let place = readPlace()

function readPlace(): Place {
  const [path = '', query = ''] = location.hash.slice(1).split('?')
  return { path: path === '' ? '/' : path, query: new URLSearchParams(query) }
}

function movePlace() {
  const { path } = place
  place = readPlace()
  for (const listener of [...listeners]) listener()
  if (place.path !== path) window.scrollTo(0, 0)
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

const readCurrent = () => place

export const usePlace = (): Place => useSyncExternalStore(subscribe, readCurrent)

/** Goes to an address of the page: `#/work/…`. */
export function goTo(href: string, { replace = false } = {}) {
  if (href === location.hash) return
  history[replace ? 'replaceState' : 'pushState'](null, '', href)
  movePlace()
}

/** The address of this page with some of its query changed; an empty value takes a key out. */
function hrefWith(changes: Record<string, string | null>): string {
  const query = new URLSearchParams(place.query)
  for (const [key, value] of Object.entries(changes))
    if (value === null || value === '') query.delete(key)
    else query.set(key, value)
  const text = query.toString()
  return text === '' ? `#${place.path}` : `#${place.path}?${text}`
}

/** Changes the query alone. A reader who moves a slider must not need ten clicks to go back. */
export const replaceQuery = (changes: Record<string, string | null>) =>
  goTo(hrefWith(changes), { replace: true })

export const followAddress = () => window.addEventListener('hashchange', movePlace)
