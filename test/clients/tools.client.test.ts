import { expect, test } from 'vitest'
import { claude, type Ran } from './client.ts'
import { project } from './lab.ts'
import { WITH_PLUGINS } from './plugins.ts'
import { hold, say, use } from './scenario.ts'
import { toldAt, words } from './told.ts'

const TOOL = 'mcp__plugin_savepoint_savepoint__savepoint'
const DECISIONS = [
  'RS256 for the tokens because the gateway verifies with a public key',
  'Rotate on every refresh because a stolen token must die',
]
const NEXT = 'Keep the id of the old token'
const KNOWN = [
  'RS256 for the tokens',
  'the gateway verifies with a public key',
  'Rotate on every refresh',
  'a stolen token must die',
  NEXT,
]

const saves = use(`${TOOL}_save`, { summary: 'Signing tokens', decision: DECISIONS, next: [NEXT] })
const args = [...WITH_PLUGINS, '--allowedTools', 'mcp__plugin_savepoint_savepoint']

/** What the model was given back for the tool that it called before a request. */
function given({ requests }: Ran, at: number): string {
  const last = requests[at]?.messages.at(-1)
  if (!last) throw new Error(`There is no request ${at}.`)
  return words({ model: '', messages: [last] })
}

const search = use(`${TOOL}_search`, { words: ['token*'], kind: 'decision' })

test.each([
  ['by the tool', 'Sign the tokens of the gateway.', args],
  ['by a slash command', '/savepoint:checkpoint Signing tokens', WITH_PLUGINS],
])(
  'what a model saved %s reaches the next session after a kill, and a search finds it',
  async (_, prompt, how) => {
    const place = project()
    const first = await claude(place, { prompts: [prompt], scenario: { turns: [saves, hold] }, args: how })
    expect(first.exit).toBeNull()
    expect(given(first, 1)).toContain('Saved main #1')

    const scenario = { turns: [search, say('Found.')] }
    const second = await claude(place, { prompts: ['Go on.'], scenario, args })
    const told = toldAt('SessionStart', second.requests[0])
    for (const known of KNOWN) expect(told).toContain(known)
    // The words that were found are marked in the answer.
    const found = given(second, 1).replaceAll('*', '')
    for (const decision of DECISIONS) expect(found).toContain(decision.slice(0, 20))
    expect(second.results).toEqual(['Found.'])
  },
)

test.each(['status', 'resume'])(
  'a session that calls %s goes on: nothing says that it was interrupted',
  async (tool) => {
    const place = project()
    const look = use(`${TOOL}_${tool}`, {})
    const scenario = { turns: [look, say('Nothing is saved yet. I sign them with RS256.')] }
    const first = await claude(place, { prompts: ['Sign the tokens of the gateway.'], scenario, args })
    expect(given(first, 1)).not.toMatch(/Interrupted|broke off|the last session worked on/)
    const second = await claude(place, { prompts: ['Go on.'], scenario: { turns: [] }, args })
    expect(toldAt('SessionStart', second.requests[0])).not.toMatch(/Interrupted|broke off/)
  },
)
