import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../support/sandbox.ts'

const src = join(projectRoot, 'src')

const AN_AGENT = /claude|codex|gemini|opencode/i

/** Who may name an agent: its own folder, the table, and the one file that says where documents in its folder lie. */
const MAY_NAME = [/^agents\/claude\//, /^agents\/table\.ts$/, /^core\/layout\.ts$/]

/** Files that still do. */
const STILL: string[] = [
  'core/reason.ts',
  'engine/setup/asked.ts',
  'engine/setup/chain.ts',
  'engine/setup/change.ts',
  'engine/setup/claude-client.ts',
  'engine/setup/claude-places.ts',
  'engine/setup/command-file.ts',
  'engine/setup/examine-launcher.ts',
  'engine/setup/examine-plugin.ts',
  'engine/setup/examine-setup.ts',
  'engine/setup/exclude-line.ts',
  'engine/setup/find-claude.ts',
  'engine/setup/is-set-up.ts',
  'engine/setup/launcher.ts',
  'engine/setup/market.ts',
  'engine/setup/mcp-launcher.ts',
  'engine/setup/plug-in.ts',
  'engine/setup/plugin-commands.ts',
  'engine/setup/plugin-copy.ts',
  'engine/setup/record.ts',
  'engine/setup/remember.ts',
  'engine/setup/said-before.ts',
  'engine/setup/set-up.ts',
  'engine/setup/settings-file.ts',
  'engine/setup/statusline-plan.ts',
  'engine/setup/take-out-hooks.ts',
  'engine/setup/take-out.ts',
  'engine/setup/unplug.ts',
  'engine/setup/wants-plugin.ts',
  'verbs/setup/init.ts',
  'verbs/setup/say-line.ts',
  'verbs/setup/uninstall.ts',
]

test('no other file of the source knows an agent by name', () => {
  const naming = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !MAY_NAME.some((may) => may.test(name)))
    .filter((name) => AN_AGENT.test(name) || AN_AGENT.test(readFileSync(join(src, name), 'utf8')))
  expect(naming.sort()).toEqual(STILL)
})
