import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { claude } from './client.ts'
import { fire } from './hook-command.ts'
import { installed, shown } from './lab.ts'
import { say, use } from './scenario.ts'
import { words } from './told.ts'

test('50 sessions that start at once are all recorded', async () => {
  const place = installed()
  const ids = Array.from({ length: 50 }, () => randomUUID())
  const codes = await Promise.all(ids.map((id) => fire(place, 'SessionStart', id, { source: 'startup' })))
  expect(codes).toEqual(ids.map(() => 0))
  const recorded = sessionsOf(place.json(['sessions', '--all']))
  expect(recorded.map(({ id }) => id).sort()).toEqual(ids.sort())
})

test('two sessions in one repository at once: each has its own end', async () => {
  const place = installed()
  const one = (name: string) =>
    claude(place, {
      prompts: [`Write ${name}.`],
      scenario: {
        turns: [use('Write', { file_path: place.path(name), content: name }), say(`${name} is written.`)],
      },
    })
  const runs = await Promise.all([one('first.txt'), one('second.txt')])
  expect(runs.map(({ exit }) => exit)).toEqual([0, 0])
  for (const [index, { sessionId }] of runs.entries())
    expect(shown(place, sessionId)).toMatchObject({
      phase: 'recent',
      endReason: 'other',
      endedAt: expect.any(String),
      statistics: { filesModified: [index === 0 ? 'first.txt' : 'second.txt'] },
    })
})

test('every /clear is linked to the session before it, in whatever order hooks left their files', async () => {
  const place = installed()
  for (let times = 0; times < 6; times++) {
    const [before, after] = [randomUUID(), randomUUID()]
    await fire(place, 'SessionStart', before, { source: 'startup' })
    await fire(place, 'SessionEnd', before, { reason: 'clear' })
    await fire(place, 'SessionStart', after, { source: 'clear' })
    expect(shown(place, after)).toMatchObject({ parent: before })
  }
})

test("200 git commands of the agent's own do not fail while hooks run", async () => {
  const place = installed()
  const loop = [
    'set -e',
    'for i in $(seq 1 50); do',
    '  echo $i >> log.txt; git add log.txt; git commit -q -m "Step $i"; git status --short >/dev/null; git diff HEAD~1 --stat >/dev/null',
    'done',
    'echo "$(git rev-list --count HEAD) commits"',
  ].join('\n')
  const id = randomUUID()
  let isOver = false
  let fired = 0
  // One hook of another session at a time, over and over, beside those of the client.
  const others = async () => {
    expect(await fire(place, 'SessionStart', id, { source: 'startup' })).toBe(0)
    while (!isOver) {
      expect(await fire(place, fired % 2 ? 'PreCompact' : 'SessionStart', id, { source: 'resume' })).toBe(0)
      fired += 1
    }
  }
  const agent = claude(place, {
    prompts: ['Commit a lot.'],
    scenario: { turns: [use('Bash', { command: loop }), say('All is committed.')] },
  }).finally(() => {
    isOver = true
  })
  const [run] = await Promise.all([agent, others(), others()])
  expect(run).toMatchObject({ exit: 0, results: ['All is committed.'] })
  expect(words(run.requests[1] ?? { model: '', messages: [] })).toContain('51 commits')
  expect(fired).toBeGreaterThan(5)
})

/** The rows of `savepoint sessions`. */
function sessionsOf(answer: Record<string, unknown>): Array<{ id: string }> {
  // Tests read what the command says; a form that is not this fails them.
  return answer.sessions as Array<{ id: string }>
}
