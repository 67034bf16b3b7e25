import { wellFormed } from '../../core/canonical.ts'
import { isSecretFile, namesSecretFile } from '../../core/secret-file.ts'
import type { TranscriptEntryOf } from '../../core/transcript.ts'
import { redact } from '../redact.ts'
import {
  commitBy,
  commitSubject,
  type Family,
  failingLine,
  judgeFamilies,
  namesCheck,
  notableOf,
  resetBy,
  rewritesHistory,
} from './commands.ts'
import { reachByName, reachByRun } from './outline.ts'
import { quoteOutput, redactToLine, shorten } from './quote.ts'
import { type Check, type Digest, KEEP, keepNewest, type OpenCall, type TouchedFile } from './state.ts'

/** Our own commands: who saves or looks has not gone on with the work by that. */
const OUR_COMMAND =
  /^(?:\S*\/)?(?:savepoint|node \S*\/cli\.cjs) (?:save|resume|status|handoff|search|sessions|info)\b/
const LONGEST = { id: 100, path: 300, what: 200, prompt: 900 }

export function beginCall(digest: Digest, { id, name, does, input, at }: TranscriptEntryOf<'tool'>): void {
  if (does === 'ours' || OUR_COMMAND.test(input.command ?? '')) return
  const { path = '', command = '', description = '', helper = '', prompt = '', task = '' } = input
  const isHelper = does === 'help'
  const isInBackground = input.background === true
  const what = isHelper
    ? [helper, description].filter(Boolean).join(': ')
    : commandLine(command) || path || description
  const { turn } = digest
  const announced = turn.at(-1)
  if (announced && !announced.isFollowedByCall && digest.command) reachByName(digest.command, announced.text)
  if (announced) announced.isFollowedByCall = true
  digest.counts.calls += 1
  digest.lastEvent = 'call'
  const request = digest.requests.at(-1)
  if (request?.effect === 'nothing') request.effect = 'calls'
  if (digest.command && command !== '') reachByRun(digest.command, command)
  const call: OpenCall = {
    id: redactToLine(id, LONGEST.id),
    handle: does === 'look' || does === 'stop' ? redactToLine(task, LONGEST.id) : '',
    at,
    name: redactToLine(name, 60),
    ...(does === undefined ? {} : { does }),
    kind: isHelper ? 'subagent' : isInBackground ? 'background' : 'call',
    isInBackground,
    stoppedBy: '',
    what: redactToLine(what || name, LONGEST.what),
    prompt: isHelper ? redactToLine(prompt, LONGEST.prompt) : '',
    path: does === 'edit' || does === 'write' ? wellFormed(redact(path).slice(0, LONGEST.path)) : '',
    command: wellFormed(redact(command)),
  }
  digest.calls.push(call)
  keepNewest(digest.calls, KEEP.calls)
  if (does !== 'speak')
    digest.lastCall = { at, name: call.name, what: call.what, outcome: 'none', detail: '' }
}

function commandLine(command: string): string {
  const [line = ''] = command.trim().split('\n', 1)
  const subject = notableOf(command.slice(0, 1_000))?.commits ? commitSubject(command) : ''
  return subject === '' ? line : `${shorten(line, 120)} (commit: "${subject}")`
}

/** What a call came to. What it printed tells whether it failed, and nothing of what is to be done. */
export function endCall(digest: Digest, result: TranscriptEntryOf<'result'>): void {
  const { id, failed, refused, text: printed, at } = result
  const call = digest.calls.find((one) => one.id === redactToLine(id, LONGEST.id))
  if (call === undefined) return
  // Before a line of a failure is chosen: one line of a key does not look like a key.
  const text = readsSecretFile(call) ? '' : failed ? redact(printed) : printed
  digest.lastEvent = 'call'
  if (!failed && !refused && (call.isInBackground || result.goesOn)) {
    call.isInBackground = true
    if (call.kind === 'call') call.kind = 'background'
    call.handle = result.handle ?? ''
    return
  }
  // A helper that the provider stopped has not finished, whatever the client calls its result.
  if (call.kind === 'subagent' && result.broke) {
    call.stoppedBy = redactToLine(text.split('\n', 1)[0] ?? '', 200)
    return
  }
  digest.calls.splice(digest.calls.indexOf(call), 1)
  if (!failed && call.does === 'dismiss')
    digest.calls = digest.calls.filter(({ kind }) => kind !== 'subagent')
  // What was stopped came to nothing; what is over says how.
  if (!failed && call.handle !== '' && call.does === 'stop') takeCall(digest, call.handle)
  else if (!failed && call.handle !== '' && result.over)
    finishCall(digest, { id: call.handle, failed: result.over === 'failed', at })
  const { lastCall } = digest
  if (lastCall && lastCall.at === call.at && lastCall.what === call.what) {
    lastCall.outcome = refused ? 'refused' : failed ? 'failed' : 'succeeded'
    lastCall.detail = failed && !refused ? failingLine(text) || lastLine(text) : ''
  }
  if (refused || result.neverRan) return
  // Only of a call that writes the whole of a file its result tells whether that made it.
  const isMade = call.does === 'write' && result.created === true
  if (call.path !== '' && !failed) touchFile(digest, call.path, isMade ? 'created' : 'modified')
  else if (call.command !== '') recordRun(digest, call, { failed, code: result.code ?? null, at }, text)
}

/** What such a call printed may be the secret itself. */
const readsSecretFile = ({ what, command }: OpenCall) => isSecretFile(what) || namesSecretFile(command)

const lastLine = (text: string) => redactToLine(text.trimEnd().split('\n').at(-1) ?? '', 160)

export function finishCall(
  digest: Digest,
  { id, failed, at }: Pick<TranscriptEntryOf<'finished'>, 'id' | 'failed' | 'at'>,
): void {
  const call = takeCall(digest, id)
  if (call && call.command !== '') recordRun(digest, call, { failed, code: null, at }, '')
}

/** The call of that name, which is open no longer. */
function takeCall(digest: Digest, id: string): OpenCall | undefined {
  const name = redactToLine(id, LONGEST.id)
  const isMeant = ({ id: own, handle, isInBackground }: OpenCall) =>
    own === name || (isInBackground && handle === name)
  const at = digest.calls.findIndex(isMeant)
  return at < 0 ? undefined : digest.calls.splice(at, 1)[0]
}

/** What ran in the foreground when the user or the client went on will have no result any more. */
export function dropForeground(digest: Digest): void {
  digest.calls = digest.calls.filter(
    ({ isInBackground, kind, stoppedBy }) => isInBackground || kind === 'background' || stoppedBy !== '',
  )
}

/** The newest is the last. A file that was made here stays one that was made here. */
function touchFile(digest: Digest, path: string, action: TouchedFile['action']): void {
  const { files, counts } = digest
  const known = files.findIndex((one) => one.path === path)
  const [before] = known === -1 ? [] : files.splice(known, 1)
  const isOurs = action === 'modified' && before?.action === 'created'
  files.push({ path, action: isOurs ? 'created' : action })
  keepNewest(files, KEEP.files)
  counts.edits += 1
  markChange(digest)
}

function markChange({ requests }: Digest): void {
  const request = requests.at(-1)
  if (request) request.effect = 'changes'
}

type RunEnd = Pick<Check, 'failed' | 'code' | 'at'>

function recordRun(digest: Digest, call: OpenCall, { failed, code, at }: RunEnd, output: string): void {
  const command = call.command.slice(0, 1_000)
  const notable = notableOf(command)
  if (!failed) forgetCommits(digest, resetBy(command))
  if (rewritesHistory(command)) for (const commit of digest.commits) commit.hash = ''
  if (notable === null) return
  const commit = notable.commits ? commitBy(call.command, failed, output) : null
  if (commit) {
    if (/\s--amend\b/.test(call.command)) forgetCommits(digest, 1)
    digest.commits.push({ at, ...commit })
    markChange(digest)
    keepNewest(digest.commits, KEEP.commits)
  }
  const outcome = judgeFamilies(notable, { failed, code }, output)
  if (outcome === null) return
  const { passed, failing, detail } = outcome
  const ms = Date.parse(at) - Date.parse(call.at)
  const run = { ms: Number.isFinite(ms) && ms > 0 ? ms : 0, at }
  const isRed = failing.length > 0
  recordCheck(digest, passed, { ...run, failed: false, code: null, detail: isRed ? '' : detail })
  recordCheck(digest, failing, { ...run, failed: true, code, detail })
}

/** A commit that was amended or reset is gone: what was said of it does not hold. */
function forgetCommits(digest: Digest, count: number): void {
  for (const { hash } of count > 0 ? digest.commits.splice(-count) : [])
    for (const request of digest.requests)
      if (hash !== '') request.outcome = request.outcome.filter((one) => !one.includes(hash.slice(0, 7)))
}

/** The last outcome of each family. Where several ran and failed, nobody knows which: it is over when each has passed. */
function recordCheck(
  digest: Digest,
  families: readonly Family[],
  outcome: Pick<Check, 'failed' | 'code' | 'detail' | 'ms' | 'at'>,
): void {
  const names = families.map(({ family }) => family)
  // What passed before a run in which something failed is not known to pass any more.
  if (outcome.failed) digest.checks = digest.checks.filter((one) => one.failed || !names.includes(one.family))
  else {
    // What the agent said of a failure that is over is history.
    const red = digest.checks.find((one) => isFailing(one) && names.includes(one.family))
    if (red) digest.turn = digest.turn.filter(({ at }) => at < red.at)
    for (const check of digest.checks)
      check.notPassedSince = check.notPassedSince.filter((name) => !hasPassed(name, names))
  }
  const [first] = families
  if (first === undefined) return
  const told = outcome.failed ? [{ ...first, family: names.join(' && ') }] : families
  for (const { family, kind } of told) {
    const known = digest.checks.findIndex((one) => one.family === family)
    if (known !== -1) digest.checks.splice(known, 1)
    digest.checks.push({ ...outcome, family, kind, notPassedSince: outcome.failed ? names : [] })
  }
  keepNewest(digest.checks, KEEP.checks)
}

/** Whether one of these passed, or one that includes it: `cargo test` is more than `cargo test auth`. */
const hasPassed = (name: string, passed: readonly string[]) =>
  passed.some(
    (one) => name === one || (namesCheck(one) && (name.startsWith(`${one}:`) || name.startsWith(`${one} `))),
  )

/** Whether a check still fails, as far as anybody knows. */
export const isFailing = ({ failed, notPassedSince }: Check) => failed && notPassedSince.length > 0

export const describeFailure = ({ family, code, detail }: Check) =>
  `${family}${code === null ? '' : ` (exit ${code})`}${detail === '' ? '' : `: ${quoteOutput(detail)}`}`
