import type { Ask } from '../../engine/context/context.ts'

/** Whoever sits before the terminal. All is asked for late: to look at a terminal costs time at every start. */
export interface Person {
  /** Keys come in, and what is asked can be seen. */
  readonly isThere: boolean
  /** How wide a line about progress may be; null where nobody watches. */
  readonly columns: number | null
  /** The answers; what was typed besides them is told in the notices. */
  ask(questions: readonly string[], notices: string[]): Promise<string[]>
}

export const NOBODY: Person = {
  isThere: false,
  columns: null,
  ask: () => Promise.reject(new Error('nobody is there to be asked')),
}

interface Asker {
  env: Readonly<Record<string, string | undefined>>
  json: boolean
  input: Readonly<Record<string, unknown>>
  notices: string[]
}

/** Nobody is asked where nobody answers: a program, a build, a screen that cannot be drawn on. */
export function askOf(person: Person, { env, json, input, notices }: Asker): Ask | null {
  if (json || input.stdin === true || env.CI || env.TERM === 'dumb' || !person.isThere) return null
  const given = new Map<string, string[]>()
  return async (questions) => {
    // A verb is performed again where the store had to be healed; the person has said it already.
    const key = JSON.stringify(questions)
    const answers = given.get(key) ?? (await person.ask(questions, notices))
    given.set(key, answers)
    return answers
  }
}
