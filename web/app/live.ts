import { makeCell } from './external-store.ts'
import { refreshViews } from './views.ts'

/** Whether the server is there. */
export const connection = makeCell<'connecting' | 'live' | 'lost'>('connecting')

const GATHER_MS = 60

/** Listens to what hooks and the command line do. Several changes at once are one reading. */
export function listenToServer() {
  const source = new EventSource('/api/events')
  let timer: number | undefined
  const refresh = () => {
    clearTimeout(timer)
    timer = window.setTimeout(refreshViews, GATHER_MS)
  }
  source.addEventListener('open', () => {
    // Whatever happened while nobody listened.
    if (connection.get() === 'lost') refresh()
    connection.set('live')
  })
  source.addEventListener('error', () => connection.set('lost'))
  source.addEventListener('changed', refresh)
}
