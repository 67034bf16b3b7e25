/** The program that the launchers start, each by its own name; what the others need is not run. */
export { run } from './cli/entry.ts'

export const act: typeof import('./hook/act.ts').act = async (...given) =>
  (await import('./hook/act.ts')).act(...given)

export const serve: typeof import('./mcp/serve.ts').serve = async (...given) =>
  (await import('./mcp/serve.ts')).serve(...given)
