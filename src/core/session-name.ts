const SHORT_ID = 8

/** How people see and name a session: the first letters of its id. */
export const shortId = (id: string) => id.slice(0, SHORT_ID)

/** Short ids for a list; where two begin alike both are told whole. */
export function sessionNamer(ids: readonly string[]): (id: string) => string {
  const times = new Map<string, number>()
  for (const id of new Set(ids)) times.set(shortId(id), (times.get(shortId(id)) ?? 0) + 1)
  return (id) => ((times.get(shortId(id)) ?? 0) > 1 ? id : shortId(id))
}
