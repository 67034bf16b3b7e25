import { mkdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { workBox } from './document-lab.ts'
import { pipe, put, save, told, workOf } from './save-lab.ts'

const filesOf = (text: string) =>
  text.split('\n').filter((line) => /^- .*(?:\.ts|\.txt|more uncommitted)/.test(line))

test('a file that never was is told as not found; one that is gone since, and one that came, as what they are', () => {
  const box = workBox()
  put(box, 'src/a.ts', 'a')
  box.git('add', '--all')
  box.git('commit', '--quiet', '-m', 'a')
  save(box, ['Login', '--file', 'ghost.ts', '--file', 'soon.ts: to be written', '--file', 'src/a.ts'])
  expect(filesOf(told(box).text)).toEqual([
    '- ghost.ts [not found]',
    '- soon.ts: to be written [not found]',
    '- src/a.ts, modified [fresh]',
  ])
  put(box, 'soon.ts', 'here')
  box.git('rm', '--quiet', 'src/a.ts')
  expect(filesOf(told(box).text)).toEqual([
    '- ghost.ts [not found]',
    '- soon.ts: to be written [stale: changed since]',
    '- src/a.ts, modified [stale: missing]',
  ])
  save(box, ['Go on', '--file', 'src/a.ts', '--file', 'soon.ts'])
  expect(filesOf(told(box).text)).toEqual([
    '- ghost.ts [not found]',
    '- src/a.ts, deleted [fresh]',
    '- soon.ts, created: to be written [fresh]',
  ])
})

test('a path means the folder in which it is typed, and is kept from the root', () => {
  const box = workBox()
  put(box, 'src/a.ts', 'a')
  put(box, 'b.ts', 'b')
  mkdirSync(box.path('src/deep'))
  const paths = (cwd: string, ...files: string[]) => {
    save(box, ['x', '--stream', cwd, ...files.flatMap((file) => ['--file', file])], { cwd: box.path(cwd) })
    const named = workOf(box, [cwd]).artifacts.slice(-files.length)
    return named.map(({ path }) => path)
  }
  expect(paths('src', 'a.ts', '../b.ts', './deep/new.ts')).toEqual(['src/a.ts', 'b.ts', 'src/deep/new.ts'])
  expect(paths('src', box.path('src/a.ts'))).toEqual(['src/a.ts'])
  // A work state that was told has its paths from the root, wherever it is piped in again.
  expect(
    pipe(box, { summary: 'y', files: ['src/a.ts'], unlisted: 3, corrected: [] }, ['--stream', 'src']),
  ).toBeDefined()
  expect(workOf(box, ['src']).artifacts.at(-1)?.path).toBe('src/a.ts')
})

test('a path outside of the workspace is kept as it was said, and cannot be verified', () => {
  const box = workBox()
  save(box, ['x', '--file', '../../other/c.ts', '--file', '/etc/hosts.txt'])
  expect(filesOf(told(box).text)).toEqual([
    '- ../../other/c.ts [unverifiable: not readable]',
    '- /etc/hosts.txt [unverifiable: not readable]',
  ])
})

test('uncommitted files that a save does not list are counted, in the receipt and in the brief', () => {
  const box = workBox()
  for (let number = 100; number < 399; number += 1) put(box, `src/f${number}.ts`, 'x')
  expect(box.run(['save', 'Renamed all']).stdout).toContain('  249 more uncommitted files not listed')
  expect(told(box).text).toContain('- +249 more uncommitted files\n')
  const receipt = save(box, ['Named', '--file', 'src/f101.ts', '--file', 'src/f100.ts'])
  expect(receipt.unlisted).toBe(247)
  box.git('add', '--all')
  box.git('commit', '--quiet', '-m', 'all')
  expect(save(box, ['Committed']).unlisted).toBe(0)
  expect(workOf(box).unlisted).toBeUndefined()
})
