// Writes rows as the client does: a chain of ids, times that grow, one row for each block of an answer.
import { random } from '../measure.mjs'

export const FOLDER = '/srv/shop'
const MODEL = { old: 'claude-opus-4-6', new: 'claude-opus-4-8' }

/** From this patch of 2.1 on, clients write what is named here. */
const SINCE = { tasks: 20, attachments: 100 }
/** Clients between these patches write what runs as `progress` rows. */
const PROGRESS = { from: 30, to: 70 }

/** `push` adds a row; what it says of ids and times is the client's own business. */
export function writerOf({ id, version, branch, start }) {
  const next = random([...id].reduce((sum, char) => sum * 33 + char.charCodeAt(0), 5))
  const below = (limit) => Math.floor(next() * limit)
  const hex = (count) => Array.from({ length: count }, () => below(16).toString(16)).join('')
  const uuid = () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`
  const [, minor, last] = version.split('.').map(Number)
  const patch = minor === 0 ? 0 : last
  const session = uuid()
  const rows = []
  let [time, parent, message, context] = [Date.parse(start), null, null, 21_000]

  const tick = (seconds) => {
    time += 1_000 * seconds + below(900)
    return new Date(time).toISOString()
  }
  /** A row of the chain. A person takes minutes, a machine seconds. */
  function push(type, fields, { seconds = 1 + below(9), root = false } = {}) {
    const row = {
      parentUuid: root ? null : parent,
      isSidechain: false,
      userType: 'external',
      ...(patch >= SINCE.attachments ? { entrypoint: 'cli' } : {}),
      cwd: FOLDER,
      sessionId: session,
      version,
      gitBranch: branch,
      type,
      ...fields,
      uuid: uuid(),
      timestamp: tick(seconds),
    }
    rows.push(row)
    parent = row.uuid
    if (type !== 'assistant') message = null
    return row
  }
  /** A row beside the chain. */
  const note = (type, fields) => rows.push({ type, ...fields, sessionId: session })
  const wait = (hours) => {
    time += hours * 3_600_000
  }
  /** A block of an answer; blocks that follow each other belong to one call of the model. */
  function answer(block, seconds) {
    if (message === null) {
      context += 300 + below(2_500)
      message = { id: `msg_01${hex(22)}`, request: `req_011C${hex(20)}` }
    }
    const usage = {
      input_tokens: 1 + below(6),
      cache_creation_input_tokens: 200 + below(2_000),
      cache_read_input_tokens: context,
      output_tokens: 20 + below(700),
      service_tier: 'standard',
    }
    return push(
      'assistant',
      {
        message: {
          model: patch >= SINCE.attachments ? MODEL.new : MODEL.old,
          id: message.id,
          type: 'message',
          role: 'assistant',
          content: [block],
          stop_reason: null,
          stop_sequence: null,
          usage,
        },
        requestId: message.request,
      },
      { seconds },
    )
  }
  const user = (content, fields = {}, seconds = 60 + below(200)) =>
    push('user', { message: { role: 'user', content }, ...fields }, { seconds })

  /** A call of a tool, and its result where it came to one. */
  function tool(name, input, { text, details, isError = false, beside = [], isCut = false } = {}) {
    if (below(3) === 0) answer({ type: 'thinking', thinking: '', signature: hex(120) })
    const call = `toolu_01${hex(22)}`
    const { uuid: source } = answer({ type: 'tool_use', id: call, name, input })
    if (isCut) return call
    if (name === 'Bash' && patch >= PROGRESS.from && patch < PROGRESS.to)
      push('progress', {
        data: { type: 'bash_progress', elapsedTimeSeconds: 2, totalLines: 0 },
        toolUseID: call,
      })
    const result = {
      tool_use_id: call,
      type: 'tool_result',
      content: text,
      ...(isError ? { is_error: true } : {}),
    }
    const words = beside.map((one) => ({ type: 'text', text: one }))
    const told = details ?? (isError ? `Error: ${text}` : undefined)
    user([result, ...words], { toolUseResult: told, sourceToolAssistantUUID: source }, 1 + below(30))
    return call
  }
  const shorten = (text) => (text.length > 200 ? `${text.slice(0, 200)}…` : text)
  /** What clients repeat around every prompt. */
  function aroundPrompt(text) {
    const about = { messageId: uuid(), trackedFileBackups: {}, timestamp: tick(1) }
    rows.push({
      type: 'file-history-snapshot',
      messageId: about.messageId,
      snapshot: about,
      isSnapshotUpdate: false,
    })
    if (patch < SINCE.attachments) return
    note('mode', { mode: 'normal' })
    note('last-prompt', { lastPrompt: shorten(text), leafUuid: parent })
  }
  const endTurn = () =>
    push('system', { subtype: 'turn_duration', durationMs: below(300_000), isMeta: false })
  return {
    rows,
    push,
    note,
    wait,
    tick,
    hex,
    below,
    answer,
    user,
    tool,
    aroundPrompt,
    endTurn,
    writesAttachments: patch >= SINCE.attachments,
    writesTasks: patch >= SINCE.tasks,
    lastUuid: () => parent,
  }
}
