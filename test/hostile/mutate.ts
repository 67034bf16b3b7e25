import { numbers } from '../mcp/frames.ts'

/** What breaks parsers: depth, size, names of objects' own, half letters, ends of lines, marks of other formats. */
const SCRAPS = [
  '__proto__',
  'constructor',
  '{"__proto__":{"polluted":1}}',
  '['.repeat(5_000),
  '{"a":'.repeat(5_000),
  '\u0000',
  '\ud83d',
  '\u202e',
  '\r',
  '\r\n\r\n',
  '---\n',
  '---js\n',
  '```',
  '<!--',
  '-->',
  '| a | b |\n|---|---|\n',
  '## Delta: 2026-01-01T00:00:00Z\n',
  '&a [*a, *a]\n',
  '!!js/function x\n',
  ' '.repeat(3_000),
  '#'.repeat(3_000),
  '- '.repeat(2_000),
  '9'.repeat(400),
  '-1e999',
  'true',
  'null',
  '""',
]

/** Endless changes of some texts, from a seed: bytes, pieces taken out, doubled, put together, and scraps put in. */
export function* mutationsOf(seeds: readonly Buffer[], seed: number): Generator<Buffer, never> {
  const next = numbers(seed)
  const whole = (most: number) => Math.floor(next() * most)
  const pick = <T>(list: readonly T[]): T => list[whole(list.length)] as T
  const changes: Array<(text: Buffer) => Buffer> = [
    (text) => {
      const changed = Buffer.from(text)
      for (let count = 1 + whole(4); count > 0 && changed.length > 0; count -= 1)
        changed[whole(changed.length)] = whole(256)
      return changed
    },
    (text) => text.subarray(0, whole(text.length + 1)),
    (text) => {
      const [from, to] = [whole(text.length + 1), whole(text.length + 1)].sort((a, b) => a - b)
      return Buffer.concat([text.subarray(0, from), text.subarray(to)])
    },
    (text) => {
      const [from, to] = [whole(text.length + 1), whole(text.length + 1)].sort((a, b) => a - b)
      const piece = text.subarray(from, to)
      return Buffer.concat([text.subarray(0, to), ...Array(whole(20)).fill(piece), text.subarray(to)])
    },
    (text) => {
      const at = whole(text.length + 1)
      return Buffer.concat([text.subarray(0, at), Buffer.from(pick(SCRAPS)), text.subarray(at)])
    },
    (text) => {
      const other = pick(seeds)
      return Buffer.concat([
        text.subarray(0, whole(text.length + 1)),
        other.subarray(whole(other.length + 1)),
      ])
    },
  ]
  for (;;) {
    let text = pick(seeds)
    for (let count = 1 + whole(3); count > 0; count -= 1) text = pick(changes)(text)
    yield text.subarray(0, 256 * 1024)
  }
}
