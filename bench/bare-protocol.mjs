// The cheapest honest way to put one document into two places for good: what every save is measured against.
import { closeSync, constants, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const { O_WRONLY, O_CREAT, O_EXCL } = constants

/** Answers a function that writes the bytes into two folders: a new file in one, the same file in the other. */
export function bareProtocol(place, bytes) {
  const history = join(place, 'history')
  mkdirSync(history, { recursive: true })
  let round = 0
  return () => {
    round += 1
    writeDurably(history, `${round}.json`, bytes)
    writeDurably(place, 'latest.json', bytes)
  }
}

/** Temp file, fsync, rename, fsync of the folder. */
export function writeDurably(folder, name, bytes) {
  const temp = join(folder, `.${name}.tmp`)
  const file = openSync(temp, O_WRONLY | O_CREAT | O_EXCL, 0o666)
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written)
  fsyncSync(file)
  closeSync(file)
  renameSync(temp, join(folder, name))
  const parent = openSync(folder, 'r')
  fsyncSync(parent)
  closeSync(parent)
}
