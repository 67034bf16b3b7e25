import { expect, test } from 'vitest'
import { claude, WINDOW } from './client.ts'
import { installed, shown } from './lab.ts'
import { answer, at, say, use } from './scenario.ts'
import { toldAt, toldIn } from './told.ts'

const DECISIONS = {
  kept: [
    "I'll use RS256 for the tokens because the gateway verifies with a public key.",
    "I'll store the sessions in Postgres because the team runs it already.",
  ],
  dropped: [
    'I decided to limit the rate by address because accounts are shared.',
    "I'll keep the refresh token in an HttpOnly cookie because scripts must not read it.",
  ],
}

test('after /compact exactly what the summary dropped comes back, once', async () => {
  const place = installed()
  const run = await claude(place, {
    prompts: ['Plan the sign-in.', '/compact', 'Go on.', 'And then?'],
    scenario: {
      turns: [
        answer(...[...DECISIONS.kept, ...DECISIONS.dropped].map((text) => ({ say: text }))),
        say('I go on.'),
        say('Then this.'),
      ],
      summary: `1. Primary Request and Intent:\n   Plan the sign-in.\n\n2. Key Technical Concepts:\n   - Tokens are signed with RS256 because the gateway verifies with a public key.\n   - Sessions are stored in Postgres, which the team runs already.`,
    },
  })
  expect(run.exit).toBe(0)
  const [, afterwards, later] = run.requests
  const back = toldAt('UserPromptSubmit', afterwards)
  expect(back).toContain('limit the rate by address')
  expect(back).toContain('HttpOnly cookie')
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
