export interface Finding {
  /** A note asks for nothing. */
  level: 'error' | 'warning' | 'note'
  what: string
  todo: string
  fixed: string | null
}

export const FIX = 'savepoint doctor --fix'
