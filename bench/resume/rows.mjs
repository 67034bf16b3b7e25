// What a transcript's rows hold, as a plain reader sees it: no knowledge of the product is used.

/** Rows of a transcript; null where a line is no JSON object. */
export const rowsOf = (lines) =>
  lines.map((line) => {
    try {
      const row = JSON.parse(line)
      return row !== null && typeof row === 'object' && !Array.isArray(row) ? row : null
    } catch (error) {
      if (error instanceof SyntaxError) return null
      throw error
    }
  })

const contentOf = (row) => (typeof row.message === 'object' ? row.message?.content : undefined)

function blocksOf(row, kind) {
  const content = contentOf(row)
  return Array.isArray(content) ? content.filter((block) => block?.type === kind) : []
}

/** What was said in a row, without its tools. */
export function wordsOf(row) {
  const content = contentOf(row)
  if (typeof content === 'string') return content
  return blocksOf(row, 'text')
    .map(({ text = '' }) => text)
    .join('\n')
}

const isApart = (row) => Boolean(row.isSidechain || row.isMeta || row.isCompactSummary)

/** Both sides' rows of the main talk, without what the client put in between. */
export const spokenRows = (rows) =>
  rows.filter((row) => row && (row.type === 'user' || row.type === 'assistant') && !isApart(row))

/** Files that were written, in order, and all that a file tool named. */
export function filesIn(rows) {
  const failed = new Set(
    rows
      .filter((row) => row?.type === 'user')
      .flatMap((row) => blocksOf(row, 'tool_result'))
      .filter(({ is_error }) => is_error)
      .map(({ tool_use_id }) => tool_use_id),
  )
  let written = []
  const named = []
  for (const row of rows)
    for (const { id, name, input } of row?.type === 'assistant' ? blocksOf(row, 'tool_use') : []) {
      const file = input?.file_path
      if (typeof file !== 'string' || file === '') continue
      named.push(file)
      if (['Write', 'Edit', 'MultiEdit'].includes(name) && !failed.has(id))
        written = [...written.filter((other) => other !== file), file]
    }
  return { written, named }
}

/** The last thing that the user typed: its row, its words, its time. */
export function lastPrompt(rows) {
  for (let at = rows.length - 1; at >= 0; at -= 1) {
    const row = rows[at]
    if (row?.type !== 'user' || isApart(row)) continue
    const text = wordsOf(row)
    if (text !== '' && !text.startsWith('<') && !text.startsWith('[Request'))
      return { at, text, time: Date.parse(row.timestamp) }
  }
  return null
}
