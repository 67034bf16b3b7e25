import { fstatSync } from 'node:fs'
import { startProgram } from '../process/program.ts'

/** What the program shows to this launcher. */
interface Program {
  run(): Promise<number>
  serve(folder: string | undefined): Promise<number>
}

/** Has to be readable for an old Node: the build writes this file for Node 12. */
function refuseOldNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  process.stderr.write(`savepoint needs Node 20.19 or newer; this is ${process.version}\n`)
  process.exit(70)
}

/** Hooks and the status line have a small program of their own: they are run every few seconds. */
function isForHook([word = '', ...more]: string[]): boolean {
  return word === 'hook' || (word === 'statusline' && more.length === 0 && isPiped())
}

/** Whether anything can come in: neither from a terminal, nor from the null device. */
function isPiped(): boolean {
  try {
    return !fstatSync(0).isCharacterDevice()
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    return false
  }
}

/** A server stays small: garbage is collected before more room is made for it. */
const SMALL = '--semi-space-growth-factor=1'
/** Over thousands of files or rows once, and done before faster code would pay: a fifth of the time went into making it. */
const UNHURRIED = '--interrupt-budget=500000'
const ONE_PASS = ['list', 'tree', 'delta']
/** A newer V8 does not know that flag, and says so on stderr. */
const knowsUnhurried = process.versions.node.startsWith('20.')

/** What V8 is told before the program is read: what was compiled under other flags is refused. */
function flagFor(word: string, isServer: boolean): string | null {
  if (isServer || word === 'dashboard') return SMALL
  return knowsUnhurried && ONE_PASS.includes(word) ? UNHURRIED : null
}

function start(): void {
  const words = process.argv.slice(2)
  if (isForHook(words)) {
    const hook: { main(words: string[]): void } = require('./hook.cjs')
    hook.main(words[0] === 'hook' ? words.slice(1) : words)
    return
  }
  const word = words[0] ?? ''
  const isServer = word === 'mcp' && words.length <= 2 && words[1]?.startsWith('-') !== true
  const flag = flagFor(word, isServer)
  if (flag !== null) (require('node:v8') as typeof import('node:v8')).setFlagsFromString(flag)
  const { program, keep } = startProgram<Program>(word)
  const work = isServer ? program.serve(words[1]) : program.run()
  work.then((code) => {
    if (code === 0) keep(word)
    // All is written and closed: to leave at once spares taking a large heap apart.
    process.exit(code)
  })
}

refuseOldNode()
start()
