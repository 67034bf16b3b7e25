/** The program of the command line and of the server; what the other needs is not run. */
export { run } from './cli/entry.ts'
/** The command line without its process: the tests give it words, a folder and an environment. */
export { runCommandLine } from './cli/main.ts'

export const serve: typeof import('./mcp/serve.ts').serveWorkspace = async (...given) =>
  (await import('./mcp/serve.ts')).serveWorkspace(...given)
