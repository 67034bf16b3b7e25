import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { cliPath } from '../support/sandbox.ts'
import { claude } from './client.ts'
import { installed, project, shown } from './lab.ts'
import { WITH_PLUGINS } from './plugins.ts'
import { answer, hold, say, use } from './scenario.ts'
import { toldAt } from './told.ts'

const DECISION = 'RS256 over HS256'
const WHY = 'the gateway verifies with a public key'
const NEXT = 'Keep the id of the old token'
const SAVE = 'mcp__plugin_savepoint_savepoint__savepoint_save'

const writes = answer(
  ...Array.from({ length: 12 }, (_, at) => ({
    ...{ use: 'Write', input: { file_path: `token-${at}.js`, content: 'exports.x = 1\n' } },
  })),
)
const TALK = ['Sign the tokens.', 'Shorter.', 'Name them.', 'And the keys?', 'Rotate them.']
const says = TALK.map((request) => say(`Done: ${request}`))

const savesByTool = use(SAVE, {
  ...{ summary: 'Tokens are signed', decision: [`${DECISION} because ${WHY}`], next: [NEXT] },
})
const savesByCommand = use('Bash', {
  command: `node ${cliPath} save --decision "${DECISION} because ${WHY}" --next "${NEXT}"`,
})

test.each([
  [
    'by the tool of the plugin',
    project,
    [...WITH_PLUGINS, '--allowedTools', SAVE],
    savesByTool,
    'call `savepoint_save`',
  ],
  ['by the command, where there are only hooks', installed, [], savesByCommand, 'run `savepoint save'],
])(
  'after much work the agent is asked to save; what it saves %s outlives a kill',
  async (_, make, args, saves, how) => {
    const place = make()
    const first = await claude(place, {
      prompts: [...TALK, 'Go on.'],
      scenario: { turns: [writes, ...says, saves, hold] },
      args,
    })
    expect(first.exit).toBeNull()
    // The first request of the user takes two of the model; the last one is told the line.
    const [before, asked, later] = first.requests.slice(5)
    expect(toldAt('UserPromptSubmit', before)).toBe('')
    const line = toldAt('UserPromptSubmit', asked)
    expect(line).toMatch(/^Savepoint: 6 requests and 12 edits in this session without a save\. /)
    expect(line).toContain(how)
    expect(toldAt('UserPromptSubmit', later)).toBe(line)
    expect(shown(place, first.sessionId)).toMatchObject({ stretch: { requests: 0, isAsked: false } })

    const second = await claude(place, { prompts: ['Go on.'], scenario: { turns: [] }, args })
    const told = toldAt('SessionStart', second.requests[0])
    for (const known of [DECISION, WHY, NEXT]) expect(told).toContain(known)
  },
)

test('an agent that is not to be asked is not', async () => {
  const place = installed()
  writeFileSync(place.path('.agents.local.yml'), 'session:\n  ask_to_save: false\n')
  const run = await claude(place, {
    prompts: [...TALK, 'Go on.', 'And on.'],
    scenario: { turns: [writes, ...says] },
  })
  expect(run.requests).toHaveLength(8)
  expect(toldAt('UserPromptSubmit', run.requests.at(-1))).toBe('')
})
