import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LOCAL, SetupLab, whats } from './init-lab.ts'

test.each([
  ['comments and odd spaces', '\uFEFF{ /* a */\r\n "b" :1 , // c\r\n}\r\n'],
  ['nothing in it', '{ }'],
  ['no byte', ''],
  ['one line', '{"a":[1,2],"hooks":{"Stop":[]}}'],
  ['commas that trail', '{\n\t"a": 1,\n}'],
])('uninstall gives back the very bytes: %s', (_, text) => {
  const lab = new SetupLab()
  lab.local(text)
  lab.init('--statusline')
  expect(lab.local()).not.toBe(text)
  expect(whats(lab.uninstall())).toEqual([
    `restored ${lab.box.path(LOCAL)}`,
    `changed ${lab.box.path('.git/info/exclude')}`,
    `removed ${lab.launcher}`,
  ])
  expect(lab.local()).toBe(text)
})

test('what init made is gone: the file, its folder, the line for git, the launcher; the store stays', () => {
  const lab = new SetupLab()
  const exclude = readFileSync(lab.box.path('.git/info/exclude'), 'utf8')
  lab.box.json(['save', 'work'])
  lab.init('--statusline')
  const done = lab.box.run(['uninstall'])
  expect(done).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`Your saved work stays in ${lab.box.home}`),
  })
  expect(existsSync(lab.box.path('.claude'))).toBe(false)
  expect(readFileSync(lab.box.path('.git/info/exclude'), 'utf8')).toBe(exclude)
  expect([lab.home('bin'), lab.home('setup.json'), lab.home('statusline.json')].filter(existsSync)).toEqual(
    [],
  )
  expect(lab.box.run(['resume']).stdout).toContain('work')
  expect(lab.uninstall().changes).toEqual([])
})

test('what others wrote since stays, and exactly ours goes', () => {
  const lab = new SetupLab()
  lab.local('{\n  "hooks": {\n    "Stop": []\n  }\n}\n')
  lab.init()
  const theirs = '    "Stop": [ // theirs\n      { "hooks": [{ "type": "command", "command": "x" }] },'
  lab.local(lab.local().replace('    "Stop": [', theirs))
  lab.uninstall()
  expect(lab.local()).toBe(
    '{\n  "hooks": {\n    "Stop": [ // theirs\n      { "hooks": [{ "type": "command", "command": "x" }] }\n    ]\n  }\n}\n',
  )
})

test('a second init after an edit does not bring the edit back', () => {
  const lab = new SetupLab()
  lab.local('{"a": 1, "hooks": {}}')
  lab.init()
  lab.local(lab.local().replace('"a": 1', '"a": 2'))
  lab.init('--statusline')
  lab.uninstall()
  expect(JSON.parse(lab.local())).toEqual({ a: 2, hooks: {} })
})

test('a status line that the user chose after the first init is the one that comes back', () => {
  const lab = new SetupLab()
  lab.local('{"statusLine": {"type": "command", "command": "old.sh"}}')
  lab.init('--statusline')
  const { hooks } = JSON.parse(lab.local())
  lab.local(JSON.stringify({ statusLine: { type: 'command', command: 'new.sh' }, hooks }))
  lab.init('--statusline')
  lab.uninstall()
  expect(JSON.parse(lab.local())).toEqual({ statusLine: { type: 'command', command: 'new.sh' } })
})

test('it works without the note of what was done', () => {
  const lab = new SetupLab()
  lab.local('{"a": 1}')
  lab.init('--statusline')
  rmSync(lab.home('setup.json'))
  lab.uninstall()
  expect(lab.local()).toBe('{"a": 1}')
  // Somebody else may still name it: nobody knows.
  expect(existsSync(lab.launcher)).toBe(true)
})

test('a copy that is damaged is not put back', () => {
  const lab = new SetupLab()
  lab.local('{"a": 1}')
  lab.init()
  const { before } = JSON.parse(readFileSync(lab.home('setup.json'), 'utf8'))
  writeFileSync(before[lab.box.path(LOCAL)].backup, '{"a": 666}')
  lab.uninstall()
  expect(lab.local()).toBe('{"a": 1}')
})

test('what is set up elsewhere keeps the launcher; --scope all takes out everything', () => {
  const lab = new SetupLab()
  lab.init()
  lab.init('--scope', 'user')
  expect(lab.uninstall('--scope', 'user')).toMatchObject({ left: [lab.box.path(LOCAL)] })
  expect(existsSync(lab.launcher)).toBe(true)
  const done = lab.box.run(['uninstall', '--scope', 'all', '--json'], { cwd: join(lab.box.root, 'user') })
  expect(whats(JSON.parse(done.stdout))).toContain(`removed ${lab.box.path(LOCAL)}`)
  expect(existsSync(lab.launcher)).toBe(false)
})

test('a dry run takes nothing out', () => {
  const lab = new SetupLab()
  lab.init()
  const before = lab.local()
  const { changes } = lab.uninstall('--dry-run')
  expect(changes.map(({ what }) => what)).toEqual(['removed', 'changed', 'removed', 'removed'])
  expect([lab.local(), existsSync(lab.launcher)]).toEqual([before, true])
})

test('a status line that was there is run by ours, and comes back', () => {
  const lab = new SetupLab()
  const text = '{\n  "statusLine": {"type": "command", "command": "mine.sh", "padding": 0}\n}\n'
  lab.users(text)
  lab.init('--scope', 'user', '--statusline')
  expect(JSON.parse(lab.users()).statusLine).toEqual({
    type: 'command',
    command: `'${lab.launcher}' statusline`,
    padding: 0,
  })
  expect(JSON.parse(readFileSync(lab.home('statusline.json'), 'utf8'))).toEqual({ chain: 'mine.sh' })
  // The user edits: the bytes cannot come back as they were, the status line can.
  lab.users(lab.users().replace('{\n', '{\n  "model": "opus",\n'))
  lab.uninstall()
  expect(lab.users()).toBe(text.replace('{\n', '{\n  "model": "opus",\n'))
  expect(existsSync(lab.home('statusline.json'))).toBe(false)
})

test("a project's status line runs the user's, and never that of another project", () => {
  const lab = new SetupLab()
  lab.users('{"statusLine": {"type": "command", "command": "mine.sh", "padding": 3}}')
  lab.init('--statusline')
  const { statusLine } = JSON.parse(lab.local())
  expect(statusLine).toMatchObject({ type: 'command', padding: 3 })
  const key = statusLine.command.split(' ').at(-1)
  expect(statusLine.command).toBe(`'${lab.launcher}' statusline ${key}`)
  expect(JSON.parse(readFileSync(lab.home('statusline.json'), 'utf8'))).toEqual({
    chains: { [key]: 'mine.sh' },
  })
  lab.uninstall()
  expect(existsSync(lab.box.path(LOCAL))).toBe(false)
})

test('without a word about it, and without a person to ask, the status line is left alone', () => {
  const lab = new SetupLab()
  expect(lab.init().statusLine).toContain('savepoint init --statusline')
  expect(JSON.parse(lab.local()).statusLine).toBeUndefined()
  lab.local('{"statusLine": {"type": "static"}}')
  expect(lab.init('--statusline').statusLine).toContain('not a command')
  expect(JSON.parse(lab.local()).statusLine).toEqual({ type: 'static' })
})

test('ours in the settings of the user is enough for a project', () => {
  const lab = new SetupLab()
  lab.init('--scope', 'user', '--statusline')
  lab.init('--statusline')
  expect(JSON.parse(lab.local()).statusLine).toBeUndefined()
})
