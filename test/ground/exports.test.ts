import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { projectRoot } from '../support/sandbox.ts'

test('the library exports exactly these names', async () => {
  const library = await import(pathToFileURL(join(projectRoot, 'dist/index.js')).href)
  expect(Object.keys(library).sort()).toEqual(['REASONS', 'ReasonError', 'RunRecorder', 'decodeSnapshot'])
})

test('the lock file names no place that packages come from', () => {
  const lock = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8'))
  const entries: Array<[string, { resolved?: string; integrity?: string }]> = Object.entries(lock.packages)
  expect(entries.filter(([name, entry]) => name !== '' && (entry.resolved || !entry.integrity))).toEqual([])
})
