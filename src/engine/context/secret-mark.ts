import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Ports } from '../../core/ports.ts'
import { errorCode, unlessRefused } from '../../core/reason.ts'
import { markKind, type SecretMark } from '../../policy/redact.ts'

const KEY_BYTES = 32

/**
 * Marks secrets so that equal ones are seen to be equal, by a key that never leaves the home: without it nobody can
 * try values against a mark. The key is read, or made, when the first secret is met; where it cannot be, a mark says
 * the kind alone.
 */
export function secretMarkIn(home: string, random: Ports['random']): SecretMark {
  let key: Uint8Array | null | undefined
  return (kind, secret) => {
    if (key === undefined) key = readKey(home) ?? makeKey(home, random)
    if (key === null) return markKind(kind, secret)
    const { createHmac } = process.getBuiltinModule('node:crypto')
    return `[redacted:${kind}:${createHmac('sha256', key).update(secret).digest('hex').slice(0, 8)}]`
  }
}

const keyPath = (home: string) => join(home, 'redaction.key')

function readKey(home: string): Uint8Array | null {
  const key = unlessRefused(() => readFileSync(keyPath(home)))
  return key?.length === KEY_BYTES ? key : null
}

/** Whoever links first has made it: half a key is never seen, and two processes get the same one. */
function makeKey(home: string, random: Ports['random']): Uint8Array | null {
  const temporary = `${keyPath(home)}.${Buffer.from(random(6)).toString('hex')}.tmp`
  return unlessRefused(() => {
    writeFileSync(temporary, random(KEY_BYTES), { flag: 'wx', mode: 0o600 })
    try {
      linkSync(temporary, keyPath(home))
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
    } finally {
      unlinkSync(temporary)
    }
    return readKey(home)
  })
}
