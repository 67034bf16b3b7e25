import { expect, test } from 'vitest'
import { type Sandbox, sandbox } from '../support/sandbox.ts'

/** Work of two days ago and a save by mistake, in a repository that somebody sees for the first time. */
function strangeRepository(): Sandbox {
  const box = sandbox()
  box.json(['save', 'Moving login', '--decision', 'JWT over cookies because the app has no session'])
  box.json(['save', 'Saved by mistake', '--next', 'Nothing sensible'])
  return box
}

/**
 * A task of somebody who knows only `savepoint --help`: each word that is typed stands in what was read before it.
 * Answers what the last command told.
 */
function follow(box: Sandbox, commands: string[][]): string {
  let read = box.run(['--help']).stdout
  let told = ''
  for (const words of commands) {
    expect(read, `${words[0]} is not told by what was read before`).toContain(` ${words[0]} `)
    const done = box.run(words)
    expect(done.code).toBe(0)
    told = done.stdout
    read += told
  }
  expect(commands.length).toBeLessThanOrEqual(3)
  return told
}

test('from help alone the last save is taken back in one command', () => {
  const box = strangeRepository()
  expect(box.run(['--help']).stdout).toMatch(/^ {2}undo .*(?:[Uu]ndo|[Tt]ake back).*save/m)
  expect(follow(box, [['undo']])).toContain('Undid: save main #2 "Saved by mistake"')
  expect(box.run(['resume']).stdout).not.toContain('Saved by mistake')
})

test('from help alone it is seen what the next session will be told', () => {
  const box = strangeRepository()
  expect(follow(box, [['resume']])).toContain('- JWT over cookies (why: the app has no session)')
})

test('from help alone it is found why something was decided', () => {
  const box = strangeRepository()
  const found = follow(box, [['search', 'cookies']])
  expect(found).toContain('because the app has no session')
  const [, open = ''] = /^ {2}(savepoint show .*)$/m.exec(found) ?? []
  expect(box.run(open.split(' ').slice(1)).stdout).toContain('JWT over cookies')
})
