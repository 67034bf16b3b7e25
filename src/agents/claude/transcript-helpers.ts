import { join, relative } from 'node:path'
import { entriesIn } from './transcript-lines.ts'

const MAX_DEPTH = 3
const MAX_ENTRIES = 5_000

/** The files of the sub-agents that a session started, as paths below the session's own folder, in a steady order. */
export function helperFiles(transcript: string): Array<{ name: string; path: string }> {
  const folder = join(transcript.replace(/\.jsonl$/, ''), 'subagents')
  const found: Array<{ name: string; path: string }> = []
  let seen = 0
  const visit = (place: string, depth: number) => {
    for (const entry of entriesIn(place)) {
      seen += 1
      if (seen > MAX_ENTRIES) return
      const path = join(place, entry.name)
      if (entry.isDirectory() && depth < MAX_DEPTH) visit(path, depth + 1)
      else if (entry.isFile() && /^agent-.*\.jsonl$/.test(entry.name))
        found.push({ name: relative(folder, path), path })
    }
  }
  if (folder !== join(transcript, 'subagents')) visit(folder, 0)
  return found.sort((a, b) => (a.name < b.name ? -1 : 1))
}
