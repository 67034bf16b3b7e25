/** The program that both launchers start, each by its own name; what the other needs is not run. */
export { run } from './cli/entry.ts'

export const act: typeof import('./hook/act.ts').act = async (...given) =>
  (await import('./hook/act.ts')).act(...given)
