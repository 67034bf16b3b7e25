import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, onTestFinished } from 'vitest'
import { cliPath, type Sandbox } from '../support/sandbox.ts'

/** What a tool answers. */
export interface Told {
  content: Array<{ type: string; text: string }>
  structuredContent?: Record<string, unknown> & { text: string }
  isError?: boolean
  _meta?: { 'savepoint/reason'?: string }
}

export interface Message {
  jsonrpc: '2.0'
  id?: number | string | null
  result?: Record<string, unknown>
  error?: { code: number; message: string }
}

export interface Ending {
  code: number | null
  signal: NodeJS.Signals | null
}

interface Options {
  env?: NodeJS.ProcessEnv
  /** Another Node, and its options. */
  node?: string[]
  words?: string[]
}

/** The built server, spoken to by lines. */
export class Served {
  readonly child: ChildProcessWithoutNullStreams
  /** Every line that it wrote to stdout. */
  readonly lines: string[] = []
  stderr = ''
  readonly ended: Promise<Ending>
  readonly #waiting = new Map<unknown, (message: Message) => void>()
  #last = 0

  constructor(box: Sandbox, { env = {}, node = [process.execPath], words = ['mcp'] }: Options = {}) {
    // The variables of a client that may run these tests.
    const { CLAUDE_PROJECT_DIR: _project, CLAUDE_CODE_SESSION_ID: _session, ...own } = box.env
    const [command = '', ...options] = node
    this.child = spawn(command, [...options, cliPath, ...words], { cwd: box.repo, env: { ...own, ...env } })
    this.ended = once(this.child, 'exit').then(([code, signal]) => ({ code, signal }))
    this.child.stderr.on('data', (chunk) => {
      this.stderr += chunk
    })
    // Who ends the server while it is written to is told so by the test itself.
    this.child.stdin.on('error', () => undefined)
    createInterface({ input: this.child.stdout }).on('line', (line) => this.#hear(line))
    onTestFinished(async () => void (await this.kill()))
  }

  #hear(line: string): void {
    this.lines.push(line)
    const message = parsed(line)
    this.#waiting.get(message?.id)?.(message ?? { jsonrpc: '2.0' })
    this.#waiting.delete(message?.id)
  }

  /** Writes bytes as they are. */
  write(bytes: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => void this.child.stdin.write(bytes, () => resolve()))
  }

  send(message: object): Promise<void> {
    return this.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  /** A request, and its answer; throws where the server ends before. */
  ask(method: string, params?: object): Promise<Message> {
    this.#last += 1
    const id = `ask-${this.#last}`
    const answer = new Promise<Message>((resolve) => this.#waiting.set(id, resolve))
    void this.send({ id, method, ...(params ? { params } : {}) })
    const gone = this.ended.then(({ code, signal }): never => {
      throw new Error(`the server ended with ${code ?? signal} before it answered ${method}: ${this.stderr}`)
    })
    return Promise.race([answer, gone])
  }

  async greet(protocolVersion = '2025-11-25'): Promise<Message> {
    const answer = await this.ask('initialize', {
      protocolVersion,
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    })
    await this.send({ method: 'notifications/initialized' })
    return answer
  }

  async call(tool: string, given?: unknown): Promise<Told> {
    const { result, error } = await this.ask('tools/call', { name: `savepoint_${tool}`, arguments: given })
    if (!result) throw new Error(`${tool}: ${JSON.stringify(error)}`)
    // `as`: what the tests hold against the promised form.
    return result as unknown as Told
  }

  /** A call that must go well; answers its facts and its words. */
  async did(tool: string, given?: object): Promise<NonNullable<Told['structuredContent']>> {
    const told = await this.call(tool, given)
    expect(told.isError, told.content[0]?.text).toBeUndefined()
    if (!told.structuredContent) throw new Error(`${tool} told no facts`)
    return told.structuredContent
  }

  /** A call that must be refused; answers the reason's code and the words. */
  async refused(tool: string, given?: unknown): Promise<{ reason: string; text: string }> {
    const { isError, content, structuredContent, _meta } = await this.call(tool, given)
    const text = content.map((part) => part.text).join('\n')
    expect({ isError, structuredContent }, text).toEqual({ isError: true, structuredContent: undefined })
    const reason = _meta?.['savepoint/reason'] ?? ''
    expect(text).toContain(`(${reason})`)
    return { reason, text }
  }

  /** The tools, as the bytes that the client gets. */
  async toolList(): Promise<string> {
    return JSON.stringify((await this.ask('tools/list')).result)
  }

  /** Closes stdin, as a client does that leaves. */
  end(): Promise<Ending> {
    this.child.stdin.end()
    return this.ended
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<Ending> {
    this.child.kill(signal)
    return this.ended
  }
}

function parsed(line: string): Message | null {
  try {
    return JSON.parse(line)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return null
  }
}

/** A server that was greeted. */
export async function served(box: Sandbox, options: Options = {}): Promise<Served> {
  const server = new Served(box, options)
  await server.greet()
  return server
}

/** That every line on stdout is a message of the protocol. */
export function expectProtocolOnly({ lines }: Served): void {
  expect(lines.filter((line) => parsed(line)?.jsonrpc !== '2.0')).toEqual([])
}
