import { asReason, type ReasonError } from '../../core/reason.ts'
import { parseInput } from '../../operations/field.ts'
import type { Failure, Operation } from '../../operations/operation.ts'
import { performOnce } from '../../operations/perform.ts'
import { isOperationName, loadOperation, loadOperations } from '../../operations/table.ts'
import { realPorts } from '../real-ports.ts'
import { readCommandLine } from './command-line.ts'

export interface Door {
  words: string[]
  /** Asked for only inside: the folder may be gone. */
  readonly cwd: string
  env: Readonly<Record<string, string | undefined>>
  version: string
  /** Asked for only where help is shown. */
  readonly width: number
  out(text: string): void
  err(text: string): void
}

/** The command line: parse, one operation, words or JSON, an exit code. */
export async function main(door: Door): Promise<number> {
  const json = door.words.slice(0, beforeDashes(door.words)).includes('--json')
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
    const request = readCommandLine(door.words, await operationsFor(door.words), door)
    if ('text' in request) {
      const write = request.exit === 0 ? door.out : door.err
      write(request.text)
      return request.exit
    }
    const { operation, raw } = request.call
    const input = parseInput(operation.fields, raw)
    const { result, notices } = await performOnce(
      operation,
      { cwd: door.cwd, env: door.env, ports: realPorts },
      input,
    )
    const failure = operation.failure?.(result) ?? null
    for (const notice of notices) door.err(`savepoint: ${notice}\n`)
    if (json) door.out(`${operation.aside ? '\n' : ''}${JSON.stringify(answer(result, failure, notices))}\n`)
    else (operation.aside ? door.err : door.out)(`${operation.say(result)}\n`)
    return failure?.exit ?? 0
  } catch (error) {
    const reason = asReason(error)
    if (json) door.out(`${JSON.stringify({ ok: false, ...reason.toJSON() })}\n`)
    else door.err(sayFailure(reason, door.env.SAVEPOINT_DEBUG !== undefined))
    return reason.exitCode
  }
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

const beforeDashes = (words: string[]) => {
  const dashes = words.indexOf('--')
  return dashes === -1 ? words.length : dashes
}

function sayFailure(error: ReasonError, debug: boolean): string {
  const trace = debug ? `${(error.cause instanceof Error ? error.cause : error).stack}\n` : ''
  return `savepoint: ${error.message}\n  ${error.hint}\n  (${error.reason})\n${trace}`
}
