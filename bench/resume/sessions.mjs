// Sessions of others, in a folder: facts.json, and a transcript for each of its names.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** facts.json: {id: {what, facts: [{kind, fact, shown_by}], traps: [{fact, shown_by, unless}]}}. */
export function readSessions(folder) {
  const all = JSON.parse(readFileSync(join(folder, 'facts.json'), 'utf8'))
  return Object.entries(all).map(([id, { what, facts, traps = [] }]) => {
    const plain = join(folder, `${id}.jsonl`)
    const text = existsSync(plain)
      ? readFileSync(plain, 'utf8')
      : gunzipSync(readFileSync(`${plain}.gz`)).toString('utf8')
    return { id, what, facts, traps, lines: text.split('\n').filter((line) => line !== '') }
  })
}
