import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Sandbox } from '../support/sandbox.ts'
import { leastOf } from './sample.ts'
import { hasCompiler } from './shim.ts'
import { command, lastJson, pointsOf, type Scene, type Struck, sweep } from './sweep.ts'

const COPY = '../copy.db'

const summaries = async (box: Sandbox): Promise<unknown> => {
  const { text } = await command(box, ['show', 'main', '--history'])
  // `as`: the shape is what the verb answers with.
  return ((lastJson(text)?.history ?? []) as Array<{ sequence: number }>).length
}

/** A store of three checkpoints, for which a backup of one is restored. */
const scene: Scene = {
  words: ['backup', '--restore', COPY],
  async prepare(box) {
    rmSync(join(box.root, 'copy.db'), { force: true })
    for (const words of [
      ['save', 'One'],
      ['backup', COPY],
      ['save', 'Two'],
      ['save', 'Three'],
    ]) {
      const { code, text } = await command(box, words)
      expect({ words, code, text }).toMatchObject({ code: 0 })
    }
    return []
  },
  async aftermath(box, { done }: Struck) {
    const wrong: string[] = []
    const length = await summaries(box)
    const isRestored = length === 1
    if (length !== 1 && length !== 3) wrong.push(`the store is neither the old nor the new one: ${length}`)
    if (lastJson(done.stdout)?.ok === true && !isRestored) wrong.push('it was confirmed, and did not happen')
    const saved = lastJson((await command(box, ['save', 'Next'])).text)
    if (saved?.sequence !== (isRestored ? 2 : 4)) wrong.push(`a save after it: ${JSON.stringify(saved)}`)
    const doctor = lastJson((await command(box, ['doctor'])).text)
    if (doctor?.healthy !== true) wrong.push(`doctor: ${JSON.stringify(doctor)}`)
    const aside = join(box.home, 'set-aside')
    // A folder that has no file yet is not waited for.
    const unread = (existsSync(aside) ? readdirSync(aside) : []).filter(
      (name) => name.endsWith('.unread') && existsSync(join(aside, name, 'savepoint.db')),
    )
    if (unread.length > 0) wrong.push(`${unread} waits still`)
    return wrong
  },
}

test.skipIf(!hasCompiler)(
  'a restore survives a kill at every call: the store is the old one or the backup, whole',
  { timeout: 240_000 },
  async () => {
    const all = await sweep(scene, (calls) =>
      pointsOf(calls).map(({ number }) => ({ at: number, mode: 'kill' })),
    )
    expect(all.flatMap(({ wrong }) => wrong)).toEqual([])
    expect(all.length).toBeGreaterThanOrEqual(leastOf(30))
  },
)
