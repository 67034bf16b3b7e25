import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { Refusal, SessionLine, SessionsPage } from '../../src/apps/dashboard/api.ts'
import { useView } from './views.ts'

export interface SessionFilter {
  repository: string
  branch: string
  outcome: string
}

interface SessionList {
  page: SessionsPage | null
  refusal: Refusal | null
  /** Newest first; those that were read so far. */
  sessions: readonly SessionLine[]
  isWhole: boolean
  readMore: () => void
}

const urlOf = (filter: SessionFilter, before: string | null) => {
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries({ ...filter, before: before ?? '' }))
    if (value !== '') query.set(key, value)
  return `/api/sessions?${query}`
}

/**
 * The sessions that match, as far back as somebody looked. The newest are kept up to date; what was read before stays,
 * so that nothing falls between two answers when a new session pushes an old one into the next.
 */
export function useSessions(filter: SessionFilter): SessionList {
  const first = urlOf(filter, null)
  const { data: page, refusal } = useView<SessionsPage>(first)
  const known = useRef({ url: '', byKey: new Map<string, SessionLine>() })
  const [next, setNext] = useState<{ url: string; cursor: string | null } | null>(null)
  const isReading = useRef(false)
  if (known.current.url !== first) known.current = { url: first, byKey: new Map() }
  for (const session of page?.sessions ?? []) known.current.byKey.set(session.key, session)
  const cursor = next?.url === first ? next.cursor : (page?.next ?? null)
  const readMore = useCallback(() => {
    if (cursor === null || isReading.current) return
    isReading.current = true
    const { byKey } = known.current
    fetch(urlOf(filter, cursor), { headers: { accept: 'application/json' } })
      .then(async (answer) => {
        if (!answer.ok) return
        // `as`: the contract of the route.
        const more = (await answer.json()) as SessionsPage
        for (const session of more.sessions) byKey.set(session.key, session)
        setNext({ url: first, cursor: more.next })
      })
      // The server has ended: the live mark says so, and the next scroll asks again.
      .catch((error: unknown) => {
        if (!(error instanceof TypeError)) throw error
      })
      .finally(() => {
        isReading.current = false
      })
  }, [first, cursor])
  const [sorted, setSorted] = useState<readonly SessionLine[]>([])
  useEffect(() => {
    setSorted(
      [...known.current.byKey.values()].sort((a, b) => (a.lastActivityAt < b.lastActivityAt ? 1 : -1)),
    )
  }, [page, next, first])
  return { page, refusal, sessions: sorted, isWhole: page !== null && cursor === null, readMore }
}
