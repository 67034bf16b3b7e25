import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ModelRequest, refusal, reply, wordsOf } from './messages-api.ts'
import { DONE, type Scenario, say, type Turn } from './scenario.ts'

/** A model on loopback that says what the scenario says, and keeps all that it was asked. */
export interface Model {
  url: string
  /** The requests of the main conversation, in order. */
  asked: ModelRequest[]
  /** Once a request has met a turn that holds. */
  held: Promise<void>
  close(): void
}

/** A helper's requests are known by this word in its task: everything else in them is as in the main ones. */
export const HELPER_MARK = 'HELPER-TASK'
/** A brief quotes what a helper of an earlier session was told. */
const BRIEF = /<savepoint>[\s\S]*?<\/savepoint>/g
/** The client's words when it wants a summary of the conversation. */
const WANTS_SUMMARY = /detailed summary of the conversation/i

export async function startModel(scenario: Scenario): Promise<Model> {
  let spent = 0
  let serial = 0
  const asked: ModelRequest[] = []
  let hold: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    hold = resolve
  })

  function turnFor(request: ModelRequest): Turn {
    const users = request.messages
      .filter(({ role }) => role === 'user')
      .map(({ content }) => wordsOf(content))
    if (WANTS_SUMMARY.test(users.at(-1) ?? ''))
      return say(
        `<analysis>The conversation.</analysis>\n<summary>\n${scenario.summary ?? 'Nothing.'}\n</summary>`,
      )
    // Titles and the like come without the tools of the agent.
    if ((request.tools ?? []).length < 4) return say('ok')
    if (users[0]?.replaceAll(BRIEF, '').includes(HELPER_MARK)) return scenario.helper ?? DONE
    asked.push(request)
    return scenario.turns[spent++] ?? DONE
  }

  function answerTo(request: ModelRequest, to: ServerResponse) {
    const turn = turnFor(request)
    serial += 1
    if (turn.kind === 'answer') reply(request, turn, serial, to)
    else if (turn.kind === 'refuse') refusal(turn, to)
    else hold()
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const path = request.url ?? ''
      if (path.startsWith('/v1/messages') && !path.includes('count_tokens'))
        // The client is the only one that speaks to this server, and this is its form.
        answerTo(JSON.parse(Buffer.concat(chunks).toString()) as ModelRequest, response)
      else {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end('{"input_tokens":10,"data":[]}')
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    held,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
