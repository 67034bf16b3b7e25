import { useSyncExternalStore } from './external-store.ts'

/** Where the reader is: everything that a reload must bring back stands in the address. */
export interface Place {
  path: string
  query: URLSearchParams
}

const listeners = new Set<() => void>()
let place = readPlace()

function readPlace(): Place {
  return { path: location.pathname, query: new URLSearchParams(location.search) }
}

function movePlace() {
  place = readPlace()
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const usePlace = (): Place => useSyncExternalStore(subscribe, () => place)

/** Goes to an address of the page itself. A reader who only moves a slider must not need ten clicks to go back: `replace`. */
export function goTo(href: string, { replace = false } = {}) {
  if (href === location.pathname + location.search) return
  const samePath = new URL(href, location.href).pathname === location.pathname
  history[replace ? 'replaceState' : 'pushState'](null, '', href)
  movePlace()
  if (!samePath) window.scrollTo(0, 0)
}

/** The address of this page with some of its query changed; an empty value takes a key out. */
export function hrefWith(changes: Record<string, string | null>): string {
  const query = new URLSearchParams(place.query)
  for (const [key, value] of Object.entries(changes))
    if (value === null || value === '') query.delete(key)
    else query.set(key, value)
  const text = query.toString()
  return text === '' ? place.path : `${place.path}?${text}`
}

/** Changes the query alone: a slider or a tab replaces the address instead of adding to the history. */
export const replaceQuery = (changes: Record<string, string | null>) =>
  goTo(hrefWith(changes), { replace: true })

/** Plain clicks on our own links change the place without loading the page anew. */
export function followLinks() {
  window.addEventListener('popstate', movePlace)
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    const link = event.target instanceof Element ? event.target.closest('a') : null
    const href = link?.getAttribute('href')
    if (!link || !href?.startsWith('/') || href.startsWith('//') || link.target !== '') return
    event.preventDefault()
    goTo(href)
  })
}
