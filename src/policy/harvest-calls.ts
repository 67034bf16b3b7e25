import type { Entry } from '../core/transcript.ts'
import { deadEnd } from './harvest-claims.ts'
import {
  commitSubject,
  describedOf,
  exitCodeOf,
  failedTest,
  failingLine,
  isCommit,
  isFailure,
  type Notable,
  notableOf,
  removedBy,
  revertedBy,
} from './harvest-commands.ts'
import { tidy, tidyLines } from './harvest-sentences.ts'
import { type Call, type Harvest, KEEP, keep, type Run, type Touched } from './harvest-state.ts'

const EDITS = /^(?:Write|Edit|MultiEdit|NotebookEdit)$/
const HELPS = /^(?:Task|Agent)$/
const PATH_LENGTH = 200
const COMMAND_LENGTH = 500

type Told<Kind extends Entry['kind']> = Extract<Entry, { kind: Kind }>

/** Our own tools, by the name that a client gives them: who saves or looks has not gone on with the work by that. */
const OURS = /^mcp_.*_savepoint_[a-z_]+$/

/** A tool was called. */
export function begin(harvest: Harvest, { id, name, input, at }: Told<'tool'>): void {
  if (OURS.test(name)) return
  const { path = '', command = '', description = '', helper = '' } = input
  const isHelper = HELPS.test(name) || helper !== ''
  const isBehind = input.background === true
  const what = isHelper ? [helper, description].filter(Boolean).join(': ') : command || path || description
  harvest.worked = true
  harvest.calls.push({
    id: tidy(id, 100),
    alias: '',
    at,
    name: tidy(name, 60),
    kind: isHelper ? 'subagent' : isBehind ? 'background' : 'call',
    isBehind,
    what: tidy(what || name, 160),
    path: EDITS.test(name) ? tidy(path, PATH_LENGTH) : '',
    command: tidyLines(command, COMMAND_LENGTH),
    notable:
      command === ''
        ? null
        : (notableOf(command.slice(0, 1_000)) ?? describedOf(command.slice(0, 1_000), description)),
  })
  keep(harvest.calls, KEEP.calls)
  harvest.last = 'tool'
}

// The client's own words where a call goes on behind the scenes, and the name that it gives to it.
const STARTED =
  /^(?:Command (?:is )?running in (?:the )?background with ID|Async agent launched|Command was (?:manually|automatically) backgrounded)/i
const ALIAS = /\b(?:ID|agentId|task_id)[:=] ?`?([A-Za-z0-9_-]{3,80})/

/** What a call came to. What it printed tells whether it failed, and nothing of what is to be done. */
export function settle(harvest: Harvest, { id, failed, rejected, text, at }: Told<'result'>): void {
  harvest.last = 'tool'
  const call = harvest.calls.find((one) => one.id === tidy(id, 100))
  if (call === undefined) return
  if (!failed && !rejected && (call.isBehind || STARTED.test(text))) {
    call.isBehind = true
    if (call.kind === 'call') call.kind = 'background'
    call.alias = ALIAS.exec(text)?.[1] ?? ''
    return
  }
  harvest.calls.splice(harvest.calls.indexOf(call), 1)
  if (rejected) refuse(harvest, call, at)
  else if (call.path !== '' && !failed) touch(harvest, call.path, actionOf(call.name, text), at)
  else if (call.command !== '') ran(harvest, call, failed, text, at)
}

/** Something in the background came to its end. */
export function finish(harvest: Harvest, { id, failed, at }: Told<'finished'>): void {
  const name = tidy(id, 100)
  const call = harvest.calls.find((one) => one.id === name || (one.alias !== '' && one.alias === name))
  if (call === undefined) return
  harvest.calls.splice(harvest.calls.indexOf(call), 1)
  if (call.command !== '') ran(harvest, call, failed, '', at)
}

/** These have an entry of their own that tells what the user said to them. */
const SPEAK = /^(?:ExitPlanMode|AskUserQuestion|TodoWrite|Task(?:Create|Update|List|Get))$/

function refuse(harvest: Harvest, { name, what }: Call, at: string): void {
  if (SPEAK.test(name)) return
  deadEnd(harvest, `the user refused ${name}: ${what}`, { origin: 'user', confirmed: true, at })
}

const actionOf = (name: string, text: string) =>
  name === 'Write' && /\bcreated\b/i.test(text.slice(0, 200)) ? 'created' : 'modified'

/** The newest is the last. A file that was made here stays one that was made here. */
function touch({ files }: Harvest, path: string, action: Touched['action'], at: string): void {
  const known = files.findIndex((one) => one.path === path)
  const [before] = known === -1 ? [] : files.splice(known, 1)
  const isOurs = action === 'modified' && before !== undefined && before.action !== 'modified'
  files.push({ path, action: isOurs ? 'created' : action, at })
  keep(files, KEEP.files)
}

function ran(harvest: Harvest, call: Call, failed: boolean, output: string, at: string): void {
  const { command } = call
  // A command that failed as a test does is one, and so is the run of it that passes.
  const asTest = failed ? failedTest(command, output) : knownRun(harvest, command)
  const notable = call.notable ?? asTest
  if (!failed) {
    for (const { path, byGit } of removedBy(command)) remove(harvest, tidy(path, PATH_LENGTH), byGit, at)
    for (const path of revertedBy(command)) revert(harvest, tidy(path, PATH_LENGTH), at)
  }
  if (notable === null) return
  const isWrong = isFailure(notable, failed, output)
  if (notable.commits && isCommit(failed, output) && !(isWrong && notable.kind !== 'commit'))
    accomplish(harvest, `${COMMITTED}${commitSubject(command)}`, at)
  const ms = Date.parse(at) - Date.parse(call.at)
  record(harvest, notable, {
    name: notable.name,
    kind: notable.kind,
    failed: isWrong,
    cleared: false,
    code: isWrong ? exitCodeOf(output) : null,
    detail: isWrong ? failingLine(output) : '',
    ms: Number.isFinite(ms) && ms > 0 ? ms : 0,
    at,
  })
}

const knownRun = ({ runs }: Harvest, command: string): Notable | null => {
  const name = tidy(command, 120)
  return runs.some((one) => one.name === name)
    ? { kind: 'test', name, isMasked: false, commits: false }
    : null
}

export const COMMITTED = 'Committed: '

export function accomplish({ done }: Harvest, text: string, at: string): void {
  const said = tidy(text, 200)
  if (said !== '' && !done.some((one) => one.text === said)) done.push({ text: said, at })
  keep(done, KEEP.done)
}

/** The last outcome of each command. A run that passes clears its own failure and those of parts of it. */
function record(harvest: Harvest, { name, kind }: Notable, run: Run): void {
  const { runs } = harvest
  const wasRed = runs.some((one) => one.failed && !one.cleared && one.name === name)
  if (!run.failed)
    for (const one of runs) if (one.failed && !one.cleared && covers(name, one.name)) one.cleared = true
  const known = runs.findIndex((one) => one.name === name)
  if (known !== -1) runs.splice(known, 1)
  runs.push(run)
  keep(runs, KEEP.runs)
  if (!run.failed && wasRed && kind === 'test') accomplish(harvest, `Passing again: ${name}`, run.at)
}

const covers = (whole: string, part: string) => {
  const parts = whole.split(' && ')
  return part.split(' && ').every((one) => parts.some((by) => one === by || one.startsWith(`${by} `)))
}

const MADE =
  /(?:^|\/)(?:node_modules|dist|build|out|target|tmp|\.cache|coverage|__pycache__)(?:\/|$)|^\/tmp\//

/** Only what was a file of the work: one that was touched or tracked, or that looks like a source. */
function remove(harvest: Harvest, path: string, byGit: boolean, at: string): void {
  const known = harvest.files.find((one) => one.path === path || one.path.endsWith(`/${path}`))
  const isFile = /\.[A-Za-z][A-Za-z0-9]{0,9}$/.test(path) && !MADE.test(path)
  if (known || byGit || isFile) touch(harvest, known?.path ?? path, 'deleted', at)
}

function revert(harvest: Harvest, path: string, at: string): void {
  const known = harvest.files.find((one) => one.path === path || one.path.endsWith(`/${path}`))
  if (known)
    deadEnd(harvest, `the changes to ${path} were taken back`, { origin: 'inferred', confirmed: false, at })
}
