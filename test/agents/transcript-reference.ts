import { noStatistics } from '../../src/core/session.ts'
import { isGitCommit, simpleCommands } from '../../src/core/shell-command.ts'
import { isRejectedRow, ReferenceTeller } from './transcript-reference-entries.ts'
import type { Json } from './transcript-rows.ts'

const countCommits = (command: string) => simpleCommands(command).filter(isGitCommit).length

const SILENT = ['attachment', 'api-request']
const TOLD = ['queued_command', 'task_status']

/**
 * The plainest reader there can be: every line is parsed whole, everything is kept. It has no limits and no increments,
 * so it is right for files below the limits; what the real reader says is held against it.
 */
export function referenceOf(content: string) {
  const statistics = noStatistics()
  const usages = new Map<string, { requestId: string; side: boolean; usage: Json }>()
  const changes = new Map<unknown, { path?: string; commits?: number }>()
  const seen = new Set<unknown>()
  const teller = new ReferenceTeller()
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
    if (row.type === 'queue-operation' || row.type === 'pr-link') {
      teller.tell(row)
      continue
    }
    const isTold =
      row.type === 'attachment'
        ? TOLD.includes(String((row.attachment as Json).type))
        : row.type === 'user' || row.type === 'assistant' || row.type === 'system'
    if (!isTold) {
      if (!SILENT.includes(String(row.type))) unknown(String(row.type))
      continue
    }
    if (seen.has(row.uuid)) continue
    seen.add(row.uuid)
    lastAt = row.timestamp
    const side = row.isSidechain === true
    if (!side) teller.tell(row)
    const message = (row.message ?? {}) as { [key: string]: unknown; content?: unknown; usage?: Json }
    const blocks = (Array.isArray(message.content) ? message.content : []) as Json[]
    if (row.type === 'assistant') {
      const real = row.isApiErrorMessage !== true && message.model !== '<synthetic>'
      const usage = message.usage
      if (real && usage && sumOf(usage) > 0) keep(usages, row, message.id as string, side, usage)
      if (real && usage && !side && sumOf(usage) > Number(usage.output_tokens))
        context = { tokens: sumOf(usage) - Number(usage.output_tokens), at: row.timestamp }
      for (const block of blocks) {
        if (block.type !== 'tool_use') continue
        const name = String(block.name)
        statistics.toolUsageCounts[name] = (statistics.toolUsageCounts[name] ?? 0) + 1
        if (name === 'Task' || name === 'Agent') statistics.subagentsLaunched += 1
        const { file_path: path, command } = block.input as Json
        if (typeof path === 'string' && ['Write', 'Edit'].includes(name)) changes.set(block.id, { path })
        if (typeof command === 'string' && name === 'Bash' && countCommits(command) > 0)
          changes.set(block.id, { commits: countCommits(command) })
      }
    }
    if (row.type === 'user')
      for (const block of blocks) {
        if (block.type !== 'tool_result') continue
        const { path, commits = 0 } = changes.get(block.tool_use_id) ?? {}
        changes.delete(block.tool_use_id)
        if (isRejectedRow(row, block)) continue
        if (block.is_error === true) statistics.tasksFailed += 1
        else {
          statistics.tasksCompleted += 1
          statistics.gitCommits += commits
          if (path !== undefined && !statistics.filesModified.includes(path))
            statistics.filesModified.push(path)
        }
      }
    if (!side && row.subtype === 'compact_boundary') {
      const { postTokens } = row.compactMetadata as Json
      context = context && typeof postTokens === 'number' ? { tokens: postTokens, at: row.timestamp } : null
      compactions += 1
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
  return { statistics, context, compactions, lastAt, told: teller.told }
}

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
