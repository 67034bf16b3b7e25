import { countCommits } from '../../src/agents/claude/transcript-commit.ts'
import { typedIn } from '../../src/agents/claude/transcript-prompt.ts'
import { noStatistics } from '../../src/core/session.ts'
import type { Json } from './transcript-rows.ts'

/**
 * The plainest reader there can be: every line is parsed whole, everything is kept. It has no limits and no increments,
 * so it is right for files below the limits; what the real reader says is held against it.
 */
export function referenceOf(content: string) {
  const statistics = noStatistics()
  const usages = new Map<string, { requestId: string; side: boolean; usage: Json }>()
  const calls = new Map<string, Json>()
  const seen = new Set<unknown>()
  const told: string[] = []
  let context: { tokens: number; at: unknown } | null = null
  let compactions = 0
  let lastAt: unknown = null
  const unknown = (kind: string) => {
    statistics.unknownLines[kind] = (statistics.unknownLines[kind] ?? 0) + 1
  }
  for (const line of content.split('\n').slice(0, -1)) {
    if (line.trim() === '') continue
    let row: Json
    try {
      row = JSON.parse(line)
      if (row === null) throw new SyntaxError('no object')
    } catch {
      unknown('malformed')
      continue
    }
    const message = (row.message ?? {}) as { [key: string]: unknown; content?: unknown; usage?: Json }
    const blocks = (Array.isArray(message.content) ? message.content : []) as Json[]
    if (row.type !== 'user' && row.type !== 'assistant' && row.type !== 'system') {
      if (row.type !== 'attachment' && row.type !== 'api-request') unknown(String(row.type))
      continue
    }
    if (seen.has(row.uuid)) continue
    seen.add(row.uuid)
    lastAt = row.timestamp
    const side = row.isSidechain === true
    const texts = [
      ...(typeof message.content === 'string' ? [message.content] : []),
      ...blocks.flatMap(textIn),
    ]
    if (row.type === 'assistant') {
      const real = row.isApiErrorMessage !== true && message.model !== '<synthetic>'
      const usage = message.usage
      if (real && usage && sumOf(usage) > 0) keep(usages, row, message.id as string, side, usage)
      if (real && usage && !side && sumOf(usage) > Number(usage.output_tokens))
        context = { tokens: sumOf(usage) - Number(usage.output_tokens), at: row.timestamp }
      if (!side && row.isApiErrorMessage === true) told.push('halt')
      for (const block of blocks) {
        if (block.type === 'tool_use') {
          const name = String(block.name)
          calls.set(String(block.id), block)
          statistics.toolUsageCounts[name] = (statistics.toolUsageCounts[name] ?? 0) + 1
          if (name === 'Task' || name === 'Agent') statistics.subagentsLaunched += 1
          if (!side && real) told.push(`tool ${name}`)
        } else if (!side && real && texts.length > 0 && String(block.text).trim() !== '')
          told.push(`text ${block.text}`)
      }
    }
    if (row.type === 'user') {
      const results = blocks.filter(({ type }) => type === 'tool_result')
      for (const block of results) {
        const said = String(block.content)
        const call = calls.get(String(block.tool_use_id))
        calls.delete(String(block.tool_use_id))
        const rejected = row.toolDenialKind !== undefined
        if (!side) told.push(`result ${block.is_error === true} ${rejected} ${said.slice(-2_000)}`)
        if (rejected) continue
        if (block.is_error === true) statistics.tasksFailed += 1
        else {
          statistics.tasksCompleted += 1
          const { file_path: path, command } = (call?.input ?? {}) as Json
          if (typeof path === 'string' && ['Write', 'Edit'].includes(String(call?.name)))
            if (!statistics.filesModified.includes(path)) statistics.filesModified.push(path)
          if (typeof command === 'string' && call?.name === 'Bash')
            statistics.gitCommits += countCommits(command)
        }
      }
      const prompt = texts.map(typedIn).filter((part) => part !== '')
      if (!side && row.isMeta !== true && results.length === 0 && prompt.length > 0)
        told.push(`prompt ${prompt.join('\n')}`)
    }
    if (!side && row.subtype === 'compact_boundary') {
      const { postTokens } = row.compactMetadata as Json
      context = context && typeof postTokens === 'number' ? { tokens: postTokens, at: row.timestamp } : null
      compactions += 1
      told.push('boundary')
    }
  }
  const tokens = statistics.tokensConsumed
  statistics.apiCalls = usages.size
  for (const { usage } of usages.values()) {
    tokens.input += Number(usage.input_tokens)
    tokens.output += Number(usage.output_tokens)
    tokens.cacheRead += Number(usage.cache_read_input_tokens)
    tokens.cacheCreation += Number(usage.cache_creation_input_tokens)
  }
  return { statistics, context, compactions, lastAt, told }
}

const textIn = ({ type, text }: Json) => (type === 'text' ? [String(text)] : [])

const sumOf = (usage: Json) =>
  Number(usage.input_tokens) +
  Number(usage.output_tokens) +
  Number(usage.cache_read_input_tokens) +
  Number(usage.cache_creation_input_tokens)

/** The last row of a message counts; one of a side chain only where the main conversation has none. */
function keep(
  usages: Map<string, { requestId: string; side: boolean; usage: Json }>,
  row: Json,
  id: string,
  side: boolean,
  usage: Json,
) {
  const known = usages.get(id)
  if (known && side && !known.side) return
  usages.set(id, { requestId: String(row.requestId), side, usage })
}
