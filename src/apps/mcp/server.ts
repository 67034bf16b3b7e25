import { type ListToolsResult, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import { asReason } from '../../core/reason.ts'
import { afterCommit, type ContextRequest } from '../../engine/context/context.ts'
import { performOnce } from '../../verbs/perform.ts'
import { loadVerbs } from '../../verbs/table.ts'
import type { Turns } from '../process/turns.ts'
import { answerOf, plainAnswerOf, type ToolAnswer, toolRefusalOf } from './answer.ts'
import { INSTRUCTIONS } from './instructions.ts'
import { isTool, readToolArguments, type ToolVerb, toolName, toolOf } from './tool-list.ts'

export type Workplace = Pick<ContextRequest, 'cwd' | 'env' | 'ports'> & { version: string }

/** A server for one connection: the tools are those of the table, and every call performs one verb. */
export function mcpServer(place: Workplace, queue: Turns): Server {
  const { version } = place
  const server = new Server(
    { name: 'savepoint', title: 'Savepoint', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  )
  const tools = async () => (await loadVerbs()).filter(isTool)
  // `as`: our schemas are JSON, which the protocol's own type says with lists that may be changed.
  server.setRequestHandler('tools/list', async () => ({
    tools: (await tools()).map(toolOf) as ListToolsResult['tools'],
  }))
  // A call has its turn from the moment it is heard: whoever ends the server waits for it.
  server.setRequestHandler('tools/call', ({ params }) =>
    queue.take(async () => {
      const verb = (await tools()).find((one) => toolName(one) === params.name)
      if (verb === undefined)
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `Tool not found: ${JSON.stringify(params.name)}`,
        )
      return callTool(verb, params.arguments, place)
    }),
  )
  return server
}

/** One call of a tool. What was done is answered, whatever follows it. */
export async function callTool(verb: ToolVerb, given: unknown, place: Workplace): Promise<ToolAnswer> {
  const notices: string[] = []
  try {
    const input = readToolArguments(verb, given, place.cwd)
    const { cwd, env, ports } = place
    const request = { cwd, env, ports, notices, speaker: 'agent', lasting: true } as const
    const result = await performOnce(verb, request, input)
    const answer = await afterCommit({ notices }, 'Putting the answer into words', async () =>
      answerOf(verb, result, notices),
    )
    return answer ?? plainAnswerOf(verb, result, notices)
  } catch (error) {
    return toolRefusalOf(verb, asReason(error), notices)
  }
}
