import { asReason, type ReasonError } from '../../core/reason.ts'
import { visibleLines } from '../../core/visible.ts'
import { parseInput } from '../../operations/field.ts'
import type { Failure, Operation } from '../../operations/operation.ts'
import { performOnce } from '../../operations/perform.ts'
import { isOperationName, loadOperation, loadOperations } from '../../operations/table.ts'
import { realPorts } from '../real-ports.ts'
import type { Request } from './command-line.ts'
import { readPlainWords } from './plain-words.ts'

export interface Door {
  words: string[]
  /** Asked for only inside: the folder may be gone. */
  readonly cwd: string
  env: Readonly<Record<string, string | undefined>>
  version: string
  /** Asked for only where help is shown. */
  readonly width: number
  /** How wide a line may be; a file or a pipe has no end. */
  readonly columns: number
  readInput(): Promise<string>
  out(text: string): void
  err(text: string): void
}

/** The command line: parse, one operation, words or JSON, an exit code. */
export async function main(door: Door): Promise<number> {
  const json = door.words.slice(0, beforeDashes(door.words)).includes('--json')
  const notices: string[] = []
  try {
    if (door.words[0] === 'completion' && door.words[1]?.startsWith('-') === false) {
      const { completionScript } = await import('./completion.ts')
      door.out(completionScript(door.words[1], await loadOperations()))
      return 0
    }
    if (door.words.length === 1 && /^(?:-V|--version)$/.test(door.words[0] ?? '')) {
      door.out(`${door.version}\n`)
      return 0
    }
    const asked = await requestOf(door)
    if ('text' in asked) {
      const write = asked.exit === 0 ? door.out : door.err
      write(asked.text)
      return asked.exit
    }
    const { operation, raw } = asked.call
    const input = parseInput(operation.fields, raw)
    const request = { cwd: door.cwd, env: door.env, ports: realPorts, readInput: door.readInput, notices }
    const result = await performOnce(operation, request, input)
    const failure = operation.failure?.(result) ?? null
    for (const notice of new Set(notices)) door.err(`savepoint: ${visibleLines(notice)}\n`)
    if (json) door.out(`${operation.aside ? '\n' : ''}${JSON.stringify(answer(result, failure, notices))}\n`)
    else (operation.aside ? door.err : door.out)(wordsOf(operation, result, door))
    return failure?.exit ?? 0
  } catch (error) {
    const reason = asReason(error)
    for (const notice of new Set(notices)) door.err(`savepoint: ${visibleLines(notice)}\n`)
    if (json) door.out(`${JSON.stringify(refusal(reason, notices))}\n`)
    else door.err(sayFailure(reason, door.env.SAVEPOINT_DEBUG !== undefined))
    return reason.exitCode
  }
}

function wordsOf(operation: Operation, result: unknown, { columns }: Door): string {
  const exact = Number.isFinite(columns) ? null : (operation.exact?.(result) ?? null)
  return exact ?? `${visibleLines(operation.say(result, { columns }))}\n`
}

async function requestOf(door: Door): Promise<Request> {
  const operations = await operationsFor(door.words)
  const [operation] = operations
  const raw = operation && operations.length === 1 ? readPlainWords(door.words, operation) : null
  if (operation && raw) return { call: { operation, raw } }
  const { readCommandLine } = await import('./command-line.ts')
  return readCommandLine(door.words, operations, door)
}

/** The one verb that the words begin with, or all of them where help or a suggestion may be needed. */
async function operationsFor([first = '', second = '']: string[]): Promise<Operation[]> {
  const name = [`${first} ${second}`, first].find(isOperationName)
  return name === undefined ? loadOperations() : [await loadOperation(name)]
}

/** The result as JSON, with the words of a failure where it is bad news. */
function answer(result: unknown, failure: Failure | null, notices: string[]): object {
  const { exit: _exit, ...words } = failure ?? { exit: 0 }
  return { ok: failure === null, ...words, ...Object(result), ...(notices.length > 0 ? { notices } : {}) }
}

const refusal = (reason: ReasonError, notices: string[]) => ({
  ok: false,
  ...reason.toJSON(),
  ...(notices.length > 0 ? { notices } : {}),
})

const beforeDashes = (words: string[]) => {
  const dashes = words.indexOf('--')
  return dashes === -1 ? words.length : dashes
}

function sayFailure(error: ReasonError, debug: boolean): string {
  const trace = debug ? `${(error.cause instanceof Error ? error.cause : error).stack}\n` : ''
  return `savepoint: ${visibleLines(error.message)}\n  ${visibleLines(error.hint)}\n  (${error.reason})\n${trace}`
}
