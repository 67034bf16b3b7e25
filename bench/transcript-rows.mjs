// Rows of a client's transcript: as many turns as make up a size, with a few decisions among them.
import { closeSync, openSync, writeSync } from 'node:fs'

let count = 0
function uuid() {
  count += 1
  return `50000000-0000-4000-8000-${String(count).padStart(12, '0')}`
}
const line = (type, message, at) =>
  `${JSON.stringify({
    parentUuid: null,
    isSidechain: false,
    userType: 'external',
    cwd: '/work',
    version: '2.1.0',
    gitBranch: 'main',
    type,
    message,
    uuid: uuid(),
    timestamp: at.toISOString(),
  })}\n`

export const promptRow = (text, at = new Date()) => line('user', { role: 'user', content: text }, at)

export function assistantRow(text, tool, at = new Date()) {
  const id = `toolu_${count}`
  return line(
    'assistant',
    {
      id: `msg_${count}`,
      role: 'assistant',
      model: 'claude-opus-4-8',
      content: [
        { type: 'text', text },
        { type: 'tool_use', id, name: tool, input: { file_path: `/work/src/part-${count % 12}.ts` } },
      ],
      usage: {
        input_tokens: 4,
        output_tokens: 200,
        cache_creation_input_tokens: 400,
        cache_read_input_tokens: 60_000,
      },
    },
    at,
  )
}

export const resultRow = (text, at = new Date()) =>
  line(
    'user',
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: `toolu_${count - 1}`, content: text }],
    },
    at,
  )

/** Writes turns until the file has so many bytes. */
export function turns(path, bytes, at = new Date()) {
  const file = openSync(path, 'w', 0o600)
  try {
    for (let [size, turn] = [0, 0]; size < bytes; turn += 1) {
      const steps = [0, 1, 2, 3].map(
        (step) =>
          assistantRow(
            `Part ${turn % 12} loses its session, step ${step}`,
            step % 2 === 0 ? 'Read' : 'Edit',
            at,
          ) + resultRow(`export const part = ${turn}\n`.repeat(150), at),
      )
      size += writeSync(file, promptRow(`Go on with part ${turn}`, at) + steps.join(''))
    }
  } finally {
    closeSync(file)
  }
}
