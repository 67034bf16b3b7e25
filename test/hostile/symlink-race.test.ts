import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openFolder } from '../../src/fs/disk.ts'
import { findFolder, makeFolders, writeDurably } from '../../src/fs/durable.ts'
import { replaceGuarded } from '../../src/fs/guarded.ts'
import { sandbox } from '../support/sandbox.ts'
import { some } from './sample.ts'

const BYTES = Buffer.from('a document')
const token = 'abcdef012345'

test('a folder that becomes a link while it is written to lets nothing out', {
  timeout: 900_000,
}, async () => {
  const { root, repo } = sandbox({ git: false })
  const outside = join(root, 'outside')
  mkdirSync(join(outside, 'active'), { recursive: true })
  mkdirSync(join(repo, 'checkpoints', 'active'), { recursive: true })
  const racer = fork(join(import.meta.dirname, 'swap-folder.mjs'), [join(repo, 'checkpoints'), outside])
  await once(racer, 'message')
  let written = 0
  let refused = 0
  // On a busy machine the other process may not have had its turn yet.
  for (let count = some(20_000, 1_500); count > 0 || written * refused === 0; count -= 1) {
    try {
      using workspace = openFolder(repo)
      using folder =
        count % 2
          ? makeFolders(workspace, ['checkpoints', 'active'])
          : findFolder(workspace, ['checkpoints', 'active'])
      if (folder === null) continue
      if (count % 3) writeDurably(folder, `${count % 50}.md`, BYTES, { token })
      else replaceGuarded(folder, `${count % 50}.md`, BYTES, { token, expected: null, limit: 1_000 })
      written += 1
    } catch {
      // A link, a folder that is gone, or one that was made anew in its place: whatever it met, it wrote nothing.
      refused += 1
    }
  }
  expect(racer.exitCode).toBeNull()
  racer.kill('SIGKILL')
  await once(racer, 'exit')
  expect(readdirSync(outside, { recursive: true })).toEqual(['active'])
  // The race was one: the writer met the folder and met the link.
  expect([written > 0, refused > 0]).toEqual([true, true])
})
