import { expect, test } from 'vitest'
import { cliPath } from '../support/sandbox.ts'
import { claude, WINDOW } from './client.ts'
import { installed, shown } from './lab.ts'
import { at, say, use } from './scenario.ts'
import { toldAt, toldIn } from './told.ts'

const ASKED = {
  kept: 'Sign the tokens with RS256, so that the gateway can verify them.',
  dropped: 'Never touch the legacy folder, another team owns it.',
}
const DECIDED = {
  kept: 'Store the sessions in Postgres because the team runs it already',
  dropped: 'Limit the rate by address because accounts are shared',
}
const save = `node '${cliPath}' save 'Planning' --decision '${DECIDED.kept}' --decision '${DECIDED.dropped}'`

test('after /compact exactly what the summary dropped comes back, once', async () => {
  const place = installed()
  const run = await claude(place, {
    prompts: [ASKED.kept, ASKED.dropped, '/compact', 'Go on.', 'And then?'],
    scenario: {
      turns: [
        use('Bash', { command: save }),
        ...['It is saved.', 'I leave it alone.', 'I go on.', 'Then this.'].map(say),
      ],
      summary: `1. Primary Request and Intent:\n   Sign the tokens with RS256, so that the gateway can verify them.\n\n2. Key Technical Concepts:\n   - The sessions are stored in Postgres: the team runs it already. We decided to store them there.`,
    },
  })
  expect(run.exit).toBe(0)
  const [afterwards, later] = run.requests.slice(3)
  const back = toldAt('UserPromptSubmit', afterwards)
  expect(back).toContain(`user: "${ASKED.dropped}"`)
  expect(back).toContain('Limit the rate by address (why: accounts are shared)')
  expect(back).not.toMatch(/RS256|Postgres/)
  // The start that follows a compaction comes before the summary is known, and has nothing to say.
  expect(toldIn(afterwards).map(({ event }) => event)).toEqual(['UserPromptSubmit'])
  expect(toldIn(later)).toEqual(toldIn(afterwards))
})

const fill = (percent: number) => (WINDOW * percent) / 100
/** The client would compact by itself before the window is as full as these tests fill it. */
const env = { DISABLE_AUTO_COMPACT: '1' }
const step = (percent: number) => at(fill(percent), use('Bash', { command: 'true' }))

test('a window that fills up is told of once at 70 % and once at 85 %', async () => {
  const place = installed()
  // Several steps at each height: the client writes how full it was a moment after the fact.
  const heights = [40, 72, 72, 72, 73, 86, 86, 87, 88]
  const run = await claude(place, {
    prompts: ['Work.'],
    scenario: { turns: [...heights.map(step), at(fill(88), say('Enough.'))] },
    env,
  })
  expect(run).toMatchObject({ exit: 0, results: ['Enough.'] })
  expect(toldIn(run.requests[1])).toEqual([])
  expect(toldIn(run.requests.at(-1)).map(({ text }) => /\d+ % full/.exec(text)?.[0])).toEqual([
    expect.stringMatching(/^7[23] /),
    expect.stringMatching(/^8[678] /),
  ])
  expect(shown(place, run.sessionId)).toMatchObject({ nudged: ['70', '85'] })
})

test('at the end of a turn the agent is asked to go on once, and never again', async () => {
  const place = installed()
  const run = await claude(place, {
    prompts: ['Work.', 'More.'],
    scenario: { turns: [72, 72, 74, 74, 75].map((percent) => at(fill(percent), say('That is it.'))) },
    env,
  })
  expect(run.exit).toBe(0)
  // One request for each prompt, and one for the single nudge.
  expect(run.requests).toHaveLength(3)
  expect(toldIn(run.requests.at(-1)).map(({ event }) => event)).toEqual(['Stop'])
})
