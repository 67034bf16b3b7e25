import { renameSync, writeFileSync } from 'node:fs'

/** In place: cut and write anew. By rename: a file beside it, then its name. */
export type Way = 'in place' | 'by rename'

/** What the test asks of the editor. */
export interface Save {
  path: string
  text: string
  way: Way
  /** How long to spin before the save; a timer would be too coarse. */
  spinNs: number
}

/** When it began and ended to give the text its name; the clock is the same in all processes. */
export interface Saved {
  from: bigint
  to: bigint
}

process.on('message', (message) => {
  // `as`: only the test writes into this channel.
  const { path, text, way, spinNs } = message as Save
  const start = process.hrtime.bigint()
  if (way === 'by rename') writeFileSync(`${path}~`, text)
  while (process.hrtime.bigint() - start < spinNs);
  const from = process.hrtime.bigint()
  if (way === 'by rename') renameSync(`${path}~`, path)
  else writeFileSync(path, text)
  process.send?.({ from, to: process.hrtime.bigint() } satisfies Saved)
})
process.send?.('ready')
