import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { AGENTS } from '../../src/agents/table.ts'
import { projectRoot } from '../support/sandbox.ts'

const src = join(projectRoot, 'src')

const AN_AGENT = new RegExp([...AGENTS.map(({ name }) => name), 'codex', 'gemini', 'opencode'].join('|'), 'i')

/** Who may name an agent: its own folder, the table, and the one file that says where documents in its folder lie. */
const MAY_NAME = [/^agents\/claude\//, /^agents\/table\.ts$/, /^core\/layout\.ts$/]

test('no other file of the source knows an agent by name', () => {
  const naming = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !MAY_NAME.some((may) => may.test(name)))
    .filter((name) => AN_AGENT.test(name) || AN_AGENT.test(readFileSync(join(src, name), 'utf8')))
  expect(naming).toEqual([])
})

test('every agent of the table has a name and a folder of its own', () => {
  expect(AGENTS.length).toBeGreaterThan(0)
  expect(new Set(AGENTS.map(({ name }) => name)).size).toBe(AGENTS.length)
  const folders = readdirSync(join(src, 'agents'), { withFileTypes: true })
  expect(folders.flatMap((one) => (one.isDirectory() ? [one.name] : []))).toEqual(
    AGENTS.map(({ name }) => name).sort(),
  )
})
