import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Sandbox } from '../support/sandbox.ts'
import { leastOf } from './sample.ts'
import { hasCompiler } from './shim.ts'
import { command, lastJson, pointsOf, type Scene, type Struck, sweep } from './sweep.ts'

const COPY = '../copy.db'

const workIn = async (box: Sandbox): Promise<string> => {
  const { text } = await command(box, ['list', '--all'])
  // `as`: the shape is what the verb answers with.
  return ((lastJson(text)?.documents ?? []) as Array<{ id: string }>).map(({ id }) => id).join()
}

/** Neither of store and backup has what the other has: a mixture of both would be seen. */
const scene: Scene = {
  words: ['backup', '--restore', COPY],
  async prepare(box) {
    const perform = async (...words: string[]) => {
      const { code, text } = await command(box, words)
      expect({ words, code, text }).toMatchObject({ code: 0 })
    }
    rmSync(join(box.root, 'copy.db'), { force: true })
    await perform('save', 'One', '--stream', 'restored')
    await perform('backup', COPY)
    rmSync(box.home, { recursive: true })
    await perform('save', 'Two', '--stream', 'before')
    return []
  },
  async aftermath(box, { done }: Struck) {
    const wrong: string[] = []
    const work = await workIn(box)
    if (work !== 'restored' && work !== 'before') wrong.push(`the store is neither of both: ${work}`)
    if (lastJson(done.stdout)?.ok === true && work !== 'restored')
      wrong.push('it was confirmed, and did not happen')
    const saved = lastJson((await command(box, ['save', 'Next', '--stream', work])).text)
    if (saved?.sequence !== 2) wrong.push(`a save after it: ${JSON.stringify(saved)}`)
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
