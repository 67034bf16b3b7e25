/** What the world says about a line: it holds, it does not, nobody can tell, or it is of a file that never was there. */
export type Mark = 'fresh' | 'stale' | 'unverifiable' | 'not found'

export interface PageLine {
  text: string
  /** The reason of a decision. */
  why: string
  unconfirmed: boolean
  mark: Mark | null
  /** Why it is stale or cannot be verified. */
  note: string
}

/** A line that nobody has a reason, a doubt or a mark for. */
export const plainPageLine = (text: string): PageLine => ({
  ...{ text, why: '', unconfirmed: false, mark: null, note: '' },
})

export interface PageSection {
  title: string
  lines: PageLine[]
  /** The line that stands for what is not shown, or nothing. */
  more: string
  /** Its lines are an agent's own words, line by line. */
  quoted?: true
}

/** A brief as it is told: what a renderer needs, and nothing to decide. */
export interface BriefPage {
  /** What it tells of, where nobody saved anything: a session or a file, in words. */
  subject?: string
  stream: string
  age: string
  /** What must be known before all else: sessions that broke off, helpers that may still run. */
  notes?: readonly string[]
  drift: string
  /** What stands above the questions. */
  lead: string
  questions: string[]
  sections: PageSection[]
  /** What was cut, in one line; empty where nothing was. */
  cut: string
  /** The command that shows all that the session said. */
  more?: string
}
