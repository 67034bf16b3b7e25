/** The program of the command line and of the server; what the other needs is not run. */
export { run } from './cli/entry.ts'

export const serve: typeof import('./mcp/serve.ts').serve = async (...given) =>
  (await import('./mcp/serve.ts')).serve(...given)
