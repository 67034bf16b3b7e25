// Runs the built command line and the built hook without a process for each call. Answers one request after another:
// a line of JSON on descriptor 3, the answer as a line on descriptor 4. Ends when nobody can ask any more.
const { existsSync, readdirSync, readlinkSync, readSync, writeSync } = require('node:fs')
const { join } = require('node:path')
const { version } = require('../../package.json')

const dist = join(__dirname, '..', '..', 'dist')

/** As `turned` in resume-lab.ts does it for a process. */
const realNow = Date.now
Date.now = () => realNow() + Number(process.env.TURN_CLOCK_BY ?? 0)
globalThis.Date = class extends Date {
  constructor(...given) {
    super(...(given.length === 0 ? [Date.now()] : given))
  }
}

/** A hook tells how long it took from the start of its process. */
let began = performance.now()
process.uptime = () => (performance.now() - began) / 1_000

let rest = Buffer.alloc(0)
const chunk = Buffer.allocUnsafe(65_536)

function nextRequest() {
  for (;;) {
    const end = rest.indexOf(10)
    if (end !== -1) {
      const line = rest.subarray(0, end).toString('utf8')
      rest = rest.subarray(end + 1)
      return JSON.parse(line)
    }
    const count = readSync(3, chunk)
    if (count === 0) process.exit(0)
    rest = Buffer.concat([rest, chunk.subarray(0, count)])
  }
}

function answer(value) {
  const bytes = Buffer.from(`${JSON.stringify(value)}\n`)
  for (let from = 0; from < bytes.length; ) from += writeSync(4, bytes, from)
}

/** A pipe, with the clock of the process. */
const LOCAL = { offsetMinutes: (ms) => -new Date(ms).getTimezoneOffset() }

/** Nothing is kept compiled. */
const nextStage = () => ({ used: () => null, keep: () => undefined })

async function perform({ program, words, cwd, env, umask, input }) {
  process.chdir(cwd)
  process.umask(umask)
  // The variables of the process itself, which Node and its children look at, too.
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(env, name)) delete process.env[name]
  Object.assign(process.env, env)
  const told = { out: '', err: '' }
  const write = (stream) => (text) => {
    told[stream] += text
  }
  const stdin = () => Buffer.from(input, 'base64').toString('utf8')
  let code = 0
  if (program === 'hook') {
    const { answerHook } = require(join(dist, 'hook-program.cjs'))
    await answerHook(words, nextStage, { readInput: stdin, write: write('out') })
  } else {
    const { runCommandLine: main } = require(join(dist, 'program.cjs'))
    const screen = { version, width: 100, screen: LOCAL, errScreen: LOCAL }
    const readInput = async () => stdin()
    code = await main({
      words,
      cwd,
      env: process.env,
      ...screen,
      readInput,
      out: write('out'),
      err: write('err'),
    })
  }
  return { code, signal: null, stdout: told.out, stderr: told.err }
}

/** Ends of children that are not heard yet come within a moment; what stays is a leak. */
const ENDED_WITHIN_MS = 2_000

/** Our own stderr is a pipe, too, where the tests' is. */
const OWN = process.stderr._handle ? process.getActiveResourcesInfo() : []

/** What a command left running would be met by the next one; a process would have taken it along. */
async function leftOver() {
  for (const until = performance.now() + ENDED_WITHIN_MS; ; ) {
    const left = process.getActiveResourcesInfo().filter((name) => name !== 'Immediate')
    for (const name of OWN) if (left.includes(name)) left.splice(left.indexOf(name), 1)
    if (left.length === 0 || performance.now() > until) return left
    await turn()
  }
}

const FILES = '/proc/self/fd'

/** How many files this process has open, where the system tells it. */
function countOpenFiles() {
  if (!existsSync(FILES)) return 0
  return readdirSync(FILES).filter((name) => isFile(join(FILES, name))).length
}

function isFile(descriptor) {
  try {
    return /^\/(?!dev\/|proc\/)/.test(readlinkSync(descriptor))
  } catch (error) {
    // The one that the list itself was read by.
    if (error.code !== 'ENOENT') throw error
    return false
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

/**
 * Whether a command left files open. SQLite closes a store when the last of its statements is collected, which the end
 * of a process does at once; the next command would else wait for locks that nobody needs any more.
 */
async function keepsFiles(before) {
  // Most statements are young: to collect those alone takes a millisecond, all garbage thirty.
  for (const kind of [{ type: 'minor' }, undefined]) {
    if (countOpenFiles() <= before) return false
    globalThis.gc(kind)
    await turn()
  }
  return countOpenFiles() > before
}

async function serve() {
  for (;;) {
    const request = nextRequest()
    const before = countOpenFiles()
    began = performance.now()
    try {
      const done = await perform(request)
      const left = await leftOver()
      // A server that cannot be cleaned answers, and ends.
      const isSpent = await keepsFiles(before)
      answer({ ...done, left, isSpent })
      if (isSpent) process.exit(0)
    } catch (error) {
      answer({ problem: error instanceof Error ? error.stack : String(error) })
    }
    process.chdir('/')
  }
}

serve()
