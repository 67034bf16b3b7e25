import { join } from 'node:path'
import type { AgentSetUp, SettingsFacts } from '../../../src/core/agent-setup.ts'

const EVENTS = ['began', 'asked', 'left']

// Its settings are lines. A hook is one of them: `on began run /home/bin/savepoint-hook tiny`.
const OURS = /^on (\w+) run (\S*\/savepoint-hook) tiny\n/gm

const folderOf = (env: Readonly<Record<string, string | undefined>>) => join(env.HOME ?? '', '.tiny')

export const tinySetUp: AgentSetUp = {
  agent: 'tiny',
  label: 'Tiny Agent',
  programs: () => ({ started: ['tiny'], found: ['tiny'] }),
  folder: folderOf,
  places: (root, env) => [
    { kind: 'user', path: join(folderOf(env), 'settings.txt') },
    { kind: 'local', path: join(root, '.tiny', 'settings.txt') },
  ],
  localFile: '.tiny/settings.txt',
  events: EVENTS,
  settings: {
    read(text): SettingsFacts {
      const ours = [...text.matchAll(OURS)]
      return {
        hooked: ours.map(([, event = '']) => event),
        launchers: [...new Set(ours.map(([, , launcher = '']) => launcher))],
        ...{ isPlain: true, statusLine: { kind: 'strange' }, hooksStoppedBy: null },
        ...{ hooksManagedBy: null, deletesTranscripts: null },
        ...{ plugin: null, plugins: [], market: null, source: null },
      }
    },
    put(text, { hooks }) {
      const bare = text.replace(OURS, '')
      if (hooks === null || hooks === 'out') return { text: hooks === null ? text : bare, changes: [] }
      const lines = EVENTS.map((event) => `on ${event} run ${hooks.command} ${hooks.args.join(' ')}\n`)
      const changes = EVENTS.map((event) => ({ event, what: 'added' as const }))
      return { text: bare + lines.join(''), changes }
    },
    saysTheSame: (before, text) => before === text,
  },
  plugin: null,
}
