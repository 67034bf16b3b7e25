import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { INDEX, LEDGER_ON, put, tempsIn, treeOf } from '../cli/save-lab.ts'
import type { Sandbox } from '../support/sandbox.ts'
import { inStore } from '../support/stored-documents.ts'
import { leastOf } from './sample.ts'
import { hasCompiler, type LoggedCall } from './shim.ts'
import { command, type Fault, keep, lastJson, pointsOf, putBack, type Scene, sweep } from './sweep.ts'

const LONG = 240_000
const SLOW = { timeout: 100_000, interval: 50 }

/** The bytes of every file of the workspace, but of our own short-lived ones. */
type Files = Map<string, string>
const filesOf = (box: Sandbox): Files =>
  new Map(
    treeOf(box.repo)
      .filter((path) => !path.endsWith('savepoint-tmp'))
      .map((path) => [path, readFileSync(join(box.repo, path), 'latin1')]),
  )
const same = (a: Files, b: Files) => a.size === b.size && [...a].every(([path, text]) => b.get(path) === text)

async function did(box: Sandbox, words: string[]): Promise<void> {
  const { code, text } = await command(box, words)
  expect({ words, code, text }).toMatchObject({ code: 0 })
}

/** The looks of all documents are known, so that the command makes the same calls each time. */
const isSettled = (box: Sandbox) =>
  inStore(box, async ({ store, identity }) =>
    (await store.acts.listWork(identity.repository, identity.workspace)).every(
      ({ view }) => view === null || view.stamp !== null,
    ),
  )

/** An undo of these words, or with `--redo` the redo of them, failed again and again. */
function undoScene(act: string[], { isRedo = false } = {}): Scene {
  const seen = new Map<Sandbox, { old: Files; new: Files }>()
  const [once, back] = isRedo ? [['undo', '--redo'], ['undo']] : [['undo'], ['undo', '--redo']]
  return {
    words: once,
    async prepare(box) {
      put(box, INDEX, '{ "theirs": [1.0, null] }\n')
      writeFileSync(box.path('.agents.yml'), LEDGER_ON)
      await did(box, ['trust'])
      await did(box, ['new', 'auth', '--current'])
      await did(box, ['save', 'First', '--decision', 'One', '--learning', 'Rotate'])
      await did(box, act)
      if (isRedo) await did(box, ['undo'])
      await vi.waitFor(async () => {
        await did(box, ['list'])
        expect(await isSettled(box)).toBe(true)
      }, SLOW)
      const old = filesOf(box)
      keep(box, 'ahead')
      await did(box, once)
      seen.set(box, { old, new: filesOf(box) })
      putBack(box, 'ahead')
      return []
    },
    async aftermath(box) {
      const both = seen.get(box)
      if (!both) throw new Error('the scene was not prepared')
      const wrong: string[] = []
      for (const [path, text] of filesOf(box))
        if (text !== both.old.get(path) && text !== both.new.get(path))
          wrong.push(`${path} is neither old nor new: ${text}`)
      // The next command brings all of it to one side or to the other.
      await did(box, ['list'])
      const isDone = same(filesOf(box), both.new)
      if (!isDone && !same(filesOf(box), both.old)) wrong.push(`a mixture: ${[...filesOf(box).keys()]}`)
      // What was not done can be done, and what was done can be taken back: it happened once, or not at all.
      await did(box, isDone ? back : once)
      if (!same(filesOf(box), isDone ? both.old : both.new)) wrong.push('the way back leads elsewhere')
      if (tempsIn(box.repo).length > 0) wrong.push(`${tempsIn(box.repo)} lie about`)
      const doctor = lastJson((await command(box, ['doctor'])).text)
      if (doctor?.healthy !== true) wrong.push(`doctor: ${JSON.stringify(doctor)}`)
      return wrong
    },
  }
}

const inRepo = ({ path }: LoggedCall) => path.startsWith('repo/')

/** Dead before every call, and in the middle of every write to the workspace. */
const everywhere = (calls: LoggedCall[]): Fault[] => [
  ...[...new Set(pointsOf(calls).map(({ number }) => number))].map((at): Fault => ({ at, mode: 'kill' })),
  ...calls
    .filter((call) => inRepo(call) && call.call === 'write')
    .map(({ number }): Fault => ({ at: number, mode: 'torn' })),
]

const SAVE = ['save', 'Second', '--decision', 'Two', '--next', 'More']
const ARCHIVE = ['archive', 'auth', '--outcome', 'Live', '--learning', 'Tokens rotate']
const SCENES: Array<[string, Scene]> = [
  ['the undo of a save', undoScene(SAVE)],
  ['the redo of a save', undoScene(SAVE, { isRedo: true })],
  ['the undo of an archive', undoScene(ARCHIVE)],
  ['the undo of work that began', undoScene(['new', 'side', '--current'])],
]

test.skipIf(!hasCompiler).each(SCENES)(
  '%s survives a kill at every call: all of it or nothing, and it can be turned again',
  { timeout: LONG },
  async (_, scene) => {
    const all = await sweep(scene, everywhere)
    expect(all.flatMap(({ wrong }) => wrong)).toEqual([])
    expect(all.length).toBeGreaterThanOrEqual(leastOf(25))
    expect(all.filter(({ hit }) => hit?.path.includes('/repo/')).length).toBeGreaterThanOrEqual(leastOf(10))
  },
)
