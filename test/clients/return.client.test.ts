import { expect, test } from 'vitest'
import { cliPath } from '../support/sandbox.ts'
import { claude } from './client.ts'
import { has, installed, journalOf, shown } from './lab.ts'
import { HELPER_MARK } from './model-server.ts'
import { hold, refuse, say, use } from './scenario.ts'
import { toldAt, toldIn } from './told.ts'

test('a session that is resumed is told only what changed meanwhile', async () => {
  const place = installed()
  // The agent saves, so that the session goes on in a stream that others can save to.
  const save = `node '${cliPath}' save 'Tokens are signed' --decision 'RS256 because the gateway verifies with a public key'`
  const first = await claude(place, {
    prompts: ['Sign the tokens.'],
    scenario: { turns: [use('Bash', { command: save }), say('It is saved.')] },
  })
  const again = async () => {
    const run = await claude(place, {
      prompts: ['Go on.'],
      scenario: { turns: [say('Yes.')] },
      resume: first.sessionId,
    })
    expect(run).toMatchObject({ exit: 0, sessionId: first.sessionId })
    return toldIn(run.requests[0])
  }
  expect(await again()).toEqual([])

  place.json(['save', 'Keys have a place', '--decision', 'Keys in the vault because the disk is shared'])
  const saved = await again()
  expect(saved).toHaveLength(1)
  expect(saved[0]?.text).toContain('Keys in the vault')
  expect(saved[0]?.text).not.toContain('RS256')

  // What was told stays in the conversation, and is told no second time.
  expect(await again()).toEqual(saved)

  place.git('commit', '--quiet', '--allow-empty', '-m', 'Elsewhere')
  const [, committed] = await again()
  expect(committed?.text).toContain('1 commit')
  expect(committed?.text).not.toMatch(/vault|RS256/)
})

test('a helper that runs when the client is killed is named in the next brief', async () => {
  const place = installed()
  const first = await claude(place, {
    prompts: ['Find out how the parsers work.'],
    scenario: {
      turns: [
        use('Agent', {
          description: 'Survey the parsers',
          prompt: `${HELPER_MARK} Look at every parser.`,
          subagent_type: 'general-purpose',
        }),
      ],
      helper: hold,
    },
    killOnce: 'Survey the parsers',
  })
  expect(first.exit).toBeNull()
  const second = await claude(place, { prompts: ['Go on.'], scenario: { turns: [] } })
  expect(toldAt('SessionStart', second.requests[0])).toMatch(
    /Was still running: subagent general-purpose: Survey the parsers, told: ".* Look at every parser\."/,
  )
})

test.each([
  [429, 'rate_limit_error', 'rate_limit'],
  [529, 'overloaded_error', 'server_error'],
])('a session that the provider stops with %i is paused, with the reason', async (code, type, reason) => {
  const place = installed()
  const run = await claude(place, {
    prompts: ['Sign the tokens. Never touch the legacy folder.'],
    scenario: { turns: Array.from({ length: 10 }, () => refuse(code, type)) },
    stayUntil: (session) => has(journalOf(place, session), '"failure"'),
  })
  expect(run.exit).toBe(1)
  expect(shown(place, run.sessionId)).toMatchObject({ paused: { reason } })
  const next = await claude(place, { prompts: ['Go on.'], scenario: { turns: [] } })
  expect(toldAt('SessionStart', next.requests[0])).toContain('Never touch the legacy folder')
})

test('a client that ends with the refusal, before its hook is done, still leaves the reason', async () => {
  const place = installed()
  const scenario = { turns: Array.from({ length: 10 }, () => refuse(429, 'rate_limit_error')) }
  expect((await claude(place, { prompts: ['Sign the tokens.'], scenario })).exit).toBe(1)
  const next = await claude(place, { prompts: ['Go on.'], scenario: { turns: [] } })
  expect(toldAt('SessionStart', next.requests[0])).toContain('Stopped by the provider: "API Error: ')
})
