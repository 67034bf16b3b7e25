import type { Log, LogChange } from '../../src/store/log.ts'
import { newWork, step } from './make-work.ts'

/** A work stream with `length` checkpoints, in a log alone; answers its id and theirs. */
export async function growInLog(
  log: Log,
  { name = 'auth', length = 1, from = 1, foreign = false } = {},
): Promise<{ stream: string; ids: string[] }> {
  for (let sequence = from; sequence <= length; sequence += 1) {
    const committed = await log.append(logStep(name, sequence, foreign))
    if (!committed.done) throw new Error(`version ${sequence} of ${name}: ${committed.why}`)
  }
  const stream = newWork(name).id
  return { stream, ids: (await log.readHistory(stream)).map(({ id }) => id) }
}

/** What one more version of a document adds to the log. */
export function logStep(name: string, sequence: number, foreign = false): LogChange {
  const { begins = [], appends = [], texts = [], versions = [] } = step(name, sequence, { foreign })
  return { begins, appends, texts, versions }
}
