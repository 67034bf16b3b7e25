export type Adoption =
  /** The file is as the store has it. */
  | 'in sync'
  /** A write of ours did not reach the disk: it is done now. */
  | 'publish'
  /** A version that was seen before stands there: this workspace goes to its checkpoint. */
  | 'move'
  /** The decoded state is the same in other bytes: only the new hash is stored. */
  | 'remember'
  /** Somebody changed it: that is a checkpoint. */
  | 'append'
  /** Somebody changed it while a write of ours was under way: both are kept. */
  | 'rebase'
  /** It was removed by the user or by git: it comes back only when it is asked for. */
  | 'absent'

export interface AdoptionFacts {
  /** What the store knows of it here; `base` is what a pending write replaces, null where nothing may stand there. */
  view: { hash: string; base: string | null; state: 'pending' | 'published' } | null
  /** The hash of what stands there; null where nothing does. */
  found: string | null
  isKnown: boolean
  /** Whether it says the same as the version that the view names. Asked last: it means reading both. */
  saysTheSame: boolean
}

/** The rule for a shared document. A branch switch, a stash and a formatter make no checkpoint. */
export function decideAdoption({ view, found, isKnown, saysTheSame }: AdoptionFacts): Adoption {
  if (found === null) return view?.state === 'pending' && view.base === null ? 'publish' : 'absent'
  if (view !== null && found === view.hash) return 'in sync'
  if (view?.state === 'pending' && found === view.base) return 'publish'
  if (isKnown) return 'move'
  if (view?.state === 'pending') return 'rebase'
  return saysTheSame ? 'remember' : 'append'
}

export interface FocusFacts {
  focused: string | null
  /** Its document is here, whole, and no longer says `current`. */
  isDropped: boolean
  /** Streams whose documents here say `current`, as the user or git wrote them. Foreign text has no say. */
  currents: readonly string[]
}

/** The focused stream after a survey: the documents decide if exactly one of them says `current`. */
export function followFocus({ focused, isDropped, currents }: FocusFacts): string | null {
  const [only] = currents
  if (only !== undefined && currents.length === 1) return only
  return currents.length === 0 && isDropped ? null : focused
}
