import { runProgram } from './cli/entry.ts'

/** The program of the command line and of the server; what the other needs is not run. */
export const run = () =>
  runProgram(async (...given) => (await import('./dashboard/serve.ts')).serveDashboard(...given))
/** The command line without its process: the tests give it words, a folder and an environment. */
export { runCommandLine } from './cli/main.ts'

export const serve: typeof import('./mcp/serve.ts').serveWorkspace = async (...given) =>
  (await import('./mcp/serve.ts')).serveWorkspace(...given)
