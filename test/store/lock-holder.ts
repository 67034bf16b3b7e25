import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { projectRoot } from '../support/sandbox.ts'

const CHILD = `
const { DatabaseSync } = process.getBuiltinModule('node:sqlite') ?? require('@photostructure/sqlite')
const db = new DatabaseSync(process.argv[1], { timeout: 5000 })
db.exec('BEGIN IMMEDIATE')
console.log('ready')
setInterval(() => db, 1000)
`

/** Another process that holds the write lock of a database file and was stopped by SIGSTOP. */
export async function stoppedHolder(path: string): Promise<{ kill(): Promise<void> }> {
  const child = spawn(process.execPath, ['-e', CHILD, path], {
    cwd: projectRoot,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
  onTestFinished(kill)
  const [said] = await once(child.stdout, 'data')
  if (String(said) !== 'ready\n') throw new Error(`the holder said ${said}`)
  child.kill('SIGSTOP')
  return { kill }
}
