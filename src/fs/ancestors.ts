import { dirname } from 'node:path'

/** A path, the folder around it, and so on to the topmost. */
export function* ancestorsOf(path: string): Generator<string> {
  for (let here = path; ; here = dirname(here)) {
    yield here
    if (dirname(here) === here) return
  }
}
