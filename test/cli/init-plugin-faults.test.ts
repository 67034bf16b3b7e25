import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hasCompiler, readLog, watch } from '../faults/shim.ts'
import { COMMAND, PluginLab } from './init-plugin-lab.ts'
import { treeOf } from './save-lab.ts'

const MINE = '{"model":   "opus"}'
/** What each step of `init --plugin` puts in its place at last, in their order. */
const STEPS = [
  'bin/savepoint-hook',
  'bin/savepoint-mcp',
  'plugins/claude/LICENSE',
  'plugins/claude/savepoint/.mcp.json',
  '.git/info/exclude',
  'setup.json',
  COMMAND,
  '.claude/settings.local.json',
]

/** A workspace with hooks of an earlier `init`, so that every step has something to do. */
function prepared(): PluginLab {
  const lab = new PluginLab()
  lab.local(MINE)
  lab.init('--statusline')
  for (const name of ['bin/savepoint-hook', 'faults.jsonl'])
    if (existsSync(lab.home(name))) lab.file(lab.home(name), '')
  return lab
}

/** All that matters of what is set up, with nothing that tells one sandbox from another. */
function stateOf(lab: PluginLab): Record<string, unknown> {
  const { hooks, enabledPlugins, statusLine, model } = JSON.parse(lab.local())
  return {
    ...{ hooks, enabledPlugins, model, hasLine: statusLine !== undefined },
    copy: Object.keys(treeOf(lab.copy)),
    command: lab.box.read(COMMAND),
    exclude: lab.file(lab.box.path('.git/info/exclude')),
    noted: JSON.parse(lab.file(lab.home('setup.json'))).setups.length,
  }
}

test.runIf(hasCompiler)(
  'killed at any step, a second init does the rest, and uninstall takes all of it out',
  async () => {
    const clean = prepared()
    const log = join(clean.box.root, 'log')
    expect(clean.box.run(['init', '--plugin'], { env: watch(clean.box, log) }).code).toBe(0)
    const whole = stateOf(clean)
    // The first and the last call that puts it there: with it the step would be done.
    const { calls } = readLog(log)
    const points = STEPS.flatMap((name) => {
      const found = calls.filter(({ call, path }) => /rename|link/.test(call) && path.endsWith(name))
      const numbers = [found[0]?.number ?? 0, found.at(-1)?.number ?? 0]
      return [...new Set(numbers)].map((at) => ({ name, at }))
    })
    expect(points.filter(({ at }) => at === 0)).toEqual([])
    for (const { name, at } of points) {
      const lab = prepared()
      const faults = join(lab.box.root, 'log')
      lab.box.run(['init', '--plugin'], { env: watch(lab.box, faults, { at, mode: 'kill' }) })
      expect(readLog(faults).fired, name).toHaveLength(1)
      lab.init('--plugin')
      expect(stateOf(lab), name).toEqual(whole)
      lab.uninstall()
      expect(lab.local(), name).toBe(MINE)
      expect([lab.copy, lab.launcher, lab.server, lab.box.path(COMMAND)].filter(existsSync), name).toEqual([])
      expect(readFileSync(lab.box.path('.git/info/exclude'), 'utf8'), name).not.toContain('.claude')
    }
  },
  120_000,
)
