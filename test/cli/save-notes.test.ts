import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Sandbox, sandbox } from '../support/sandbox.ts'
import { checkpoints, put, workBox } from './document-lab.ts'
import { INDEX, notesIn, piped, save, tempsIn, treeOf, workOf } from './save-lab.ts'
import { slashCommand } from './slash-lab.ts'

const SAID = [
  'Login',
  '--decision',
  'JWT over cookies because no session',
  '--next',
  'Test',
  '--next',
  'Ship',
]

/** A workspace with a folder of the agent's, and an index where a text is given. */
function agentBox(index?: string | Uint8Array): Sandbox {
  const box = sandbox()
  mkdirSync(box.path('.claude'))
  if (index !== undefined) put(box, INDEX, index)
  return box
}

describe('a note', () => {
  test('has exactly the contract’s keys in its order, and holds the carried state [001.10] [001.11] [001.14] [001.16]', () => {
    const box = agentBox()
    save(box, [...SAID, '--blocker', 'Review', '--decision', 'Ask later', '--by', 'agent'])
    const second = save(box, [
      'Refresh',
      '--next',
      'Deploy',
      '--file',
      'src/a.ts: the form',
      '--confirm',
      'jwt',
    ])
    const [, path = ''] = notesIn(box)
    expect(second.views).toEqual([{ kind: 'note', path, state: 'written', problem: null }])
    expect(box.read(path)).toBe(
      `${JSON.stringify(
        {
          timestamp: second.at,
          summary: 'Refresh',
          decisions: ['JWT over cookies because no session', 'Ask later (UNCONFIRMED)'],
          next_action: 'Deploy',
          blockers: ['Review'],
          context: {
            active_plan: null,
            active_plan_stage: null,
            active_tdd_phase: null,
            files_in_progress: ['src/a.ts'],
          },
        },
        null,
        2,
      )}\n`,
    )
  })

  test('goes with the plan that the index names, else to all; what is said about the plan is in it [001.06] [001.07]', () => {
    const box = agentBox('{"active_plan": "big.plan-2", "active_plan_stage": 4, "active_tdd_phase": "red"}')
    const { views, stream } = save(box, SAID)
    const [path = '', ...others] = notesIn(box, '.claude/plans/big.plan-2/checkpoints')
    expect([stream, others, views.map((view) => view.path)]).toEqual(['big.plan-2', [], [path, INDEX]])
    expect(box.readJson(path).context).toMatchObject({
      ...{ active_plan: 'big.plan-2', active_plan_stage: 4, active_tdd_phase: 'red' },
    })
    expect(workOf(box).position).toMatchObject({ planName: 'big.plan-2', stage: '4', tddPhase: 'red' })
    put(box, INDEX, '{"active_plan": null}')
    save(box, ['Elsewhere', '--plan', 'other'])
    expect(notesIn(box)).toHaveLength(1)
    expect(notesIn(box, '.claude/plans/big.plan-2/checkpoints')).toHaveLength(1)
  })

  test('is written without .claude only where somebody asks for it, and its folder is made then [001.08]', () => {
    const box = sandbox()
    expect(save(box, ['One']).views).toEqual([])
    expect(treeOf(box.repo)).toEqual([])
    expect(save(box, ['Two', '--note']).views).toMatchObject([{ kind: 'note', state: 'written' }])
    expect(treeOf(box.repo)).toEqual(notesIn(box))
    expect(notesIn(box)).toHaveLength(1)
  })

  test('/checkpoint makes the folder of the notes, also of a plan, and keeps it out of git [001.08] [001.31]', () => {
    const box = workBox()
    const typed = slashCommand('/checkpoint', ['Login because of phishing', 'A over B because C', 'Test'])
    expect(typed.slice(0, 2)).toEqual(['save', 'Login because of phishing'])
    box.json(typed)
    expect(notesIn(box)).toHaveLength(1)
    expect(box.git('status', '--porcelain')).toBe('')
    put(box, INDEX, '{"active_plan": "auth"}')
    rmSync(box.path('.claude/checkpoints'), { recursive: true })
    box.json(typed)
    expect(notesIn(box, '.claude/plans/auth/checkpoints')).toHaveLength(1)
    expect(readdirSync(box.path('.claude')).toSorted()).toEqual(['plans', 'state-index.json'])
    expect(box.git('status', '--porcelain')).toBe('?? .claude/\n')
    expect(box.git('status', '--porcelain', '-uall')).toBe(`?? ${INDEX}\n`)
  })

  test('is named by its second alone; a second one of that second has a number, and comes behind it [001.09] [001.27]', () => {
    const box = agentBox()
    const folder = '.claude/checkpoints'
    // As another tool writes it, and as ours were called before.
    put(box, `${folder}/20260102T030404Z.json`, '{"timestamp": "2026-01-02T03:04:04Z", "summary": "theirs"}')
    put(
      box,
      `${folder}/20260102T030404Z_678-4f1d9c02ab37.json`,
      '{"timestamp": "2026-01-02T03:04:04.678Z", "summary": "of before"}',
    )
    put(box, '../still.cjs', 'Date.now = () => Date.UTC(2026, 0, 2, 3, 4, 5, 678)\n')
    const env = { NODE_OPTIONS: `--require ${JSON.stringify(join(box.root, 'still.cjs'))}` }
    const still = ['a', 'b', 'c'].map((text) => save(box, [text], { env }).views[0]?.path)
    expect(still).toEqual([
      `${folder}/20260102T030405Z.json`,
      `${folder}/20260102T030405Z_001.json`,
      `${folder}/20260102T030405Z_002.json`,
    ])
    expect(still.map((path) => box.readJson(path ?? '').summary)).toEqual(['a', 'b', 'c'])
    expect(notesIn(box)).toHaveLength(5)
    // `cat *.json | jq -s 'sort_by(.timestamp) | last'`
    const all = notesIn(box).map((path) => box.readJson(path))
    const latest = all.toSorted((a, b) =>
      a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0,
    )
    expect(latest.at(-1).summary).toBe('c')
  })

  test('does not take the name of one that another tool wrote in the same second, nor of one that was removed [001.27]', () => {
    const box = agentBox()
    put(box, '../still.cjs', 'Date.now = () => Date.UTC(2026, 0, 2, 3, 4, 5)\n')
    const env = { NODE_OPTIONS: `--require ${JSON.stringify(join(box.root, 'still.cjs'))}` }
    const [theirs, first, second] = ['', '_001', '_002'].map(
      (more) => `.claude/checkpoints/20260102T030405Z${more}.json`,
    )
    put(box, theirs ?? '', 'theirs')
    expect(save(box, ['a'], { env }).views[0]).toMatchObject({ path: first, state: 'written' })
    rmSync(box.path(first ?? ''))
    expect(save(box, ['b'], { env }).views[0]).toMatchObject({ path: second, state: 'written' })
    expect([box.read(theirs ?? ''), notesIn(box)]).toEqual(['theirs', [theirs, second]])
  })

  test('is never written again: not where it was removed, and not where it was changed [001.27]', () => {
    const box = agentBox('{}')
    for (const text of ['One', 'Two', 'Three']) save(box, [text])
    const [first = '', second = '', third = ''] = notesIn(box)
    const whole = box.read(third)
    rmSync(box.path(first))
    put(box, second, 'changed by hand')
    save(box, ['Four', '--decision', 'D'])
    box.json(['status'])
    expect([box.read(second), box.read(third)]).toEqual(['changed by hand', whole])
    expect(notesIn(box)).toHaveLength(3)
    expect(notesIn(box)).not.toContain(first)
  })

  test('keeps its inode and time through later saves [001.28]', () => {
    const box = agentBox()
    save(box, SAID)
    const [first = ''] = notesIn(box)
    const { mtimeMs, ino } = statSync(box.path(first))
    save(box, ['Second'])
    box.json(['resume'])
    expect(statSync(box.path(first))).toMatchObject({ mtimeMs, ino })
  })

  test('names the uncommitted files of git and those that were named', () => {
    const box = workBox()
    put(box, 'readme.txt', 'two\n')
    put(box, 'src/with space.ts', 'x')
    save(box, ['Login', '--note', '--file', 'docs/plan.md'])
    const [path = ''] = notesIn(box)
    expect(box.readJson(path).context.files_in_progress.toSorted()).toEqual([
      'docs/plan.md',
      'readme.txt',
      'src/with space.ts',
    ])
  })
})

describe('the index', () => {
  test.each([
    ['a name', '"green phase"'],
    ['a number', '4'],
    ['null', 'null'],
    ['a fraction that no parser keeps', '4.000000000000000000001'],
    ['an object', '{"n": [1, 2 ]}'],
  ])('keeps every byte but last_checkpoint, with a stage that is %s', (_, stage) => {
    const index = (time: string) =>
      `\uFEFF{\r\n\t"b": [1.0,  2e3],"active_plan_stage" : ${stage},\r\n\t"last_checkpoint":"${time}" ,\n "z":"\\u00e9é", "b": 7 }\r\n\r\n`
    const box = agentBox(index('2020-01-01T00:00:00Z'))
    const { at, views } = save(box, SAID)
    expect(views).toContainEqual({ kind: 'index', path: INDEX, state: 'written', problem: null })
    expect(box.read(INDEX)).toBe(index(`${at.slice(0, 19)}Z`))
    expect(tempsIn(box.repo)).toEqual([])
  })

  test('gets the key where it has none, and keeps the mode of its file [001.20]', () => {
    const box = agentBox('{"active_plan_stage": "3"}')
    const before = statSync(box.path(INDEX)).mode
    const { at } = save(box, SAID)
    expect(box.read(INDEX)).toBe(`{"active_plan_stage": "3","last_checkpoint": "${at.slice(0, 19)}Z"}`)
    expect(statSync(box.path(INDEX)).mode).toBe(before)
  })

  test('that is not there is not made, nor comes back', () => {
    const box = agentBox()
    expect(save(box, SAID).views.map(({ kind }) => kind)).toEqual(['note'])
    expect(readdirSync(box.path('.claude'))).toEqual(['checkpoints'])
    put(box, INDEX, '{}')
    save(box, ['x'])
    rmSync(box.path(INDEX))
    save(box, ['y'])
    box.json(['status'])
    expect(readdirSync(box.path('.claude'))).toEqual(['checkpoints'])
  })

  test.each([
    ['empty', '', 'it is empty'],
    ['half of it', '{"active_plan": "x", "a', 'it is not JSON'],
    ['a list', '[1, 2]', 'it is not a JSON object'],
    ['a text', '"x"', 'it is not a JSON object'],
    ['two objects', '{}{}', 'it is not JSON'],
  ])(
    'that is %s is reported and left alone; the note is written, and the save succeeds',
    (_, bytes, problem) => {
      const box = agentBox(bytes)
      const done = box.run(['save', ...SAID, '--json'])
      expect(done.code).toBe(0)
      expect(`${done.stdout}${done.stderr}`).toContain(problem)
      expect(box.read(INDEX)).toBe(bytes)
      expect(notesIn(box)).toHaveLength(1)
      expect(workOf(box).now).toBe('Login')
      expect(box.run(['save', 'again']).stdout).toMatch(/^ {2}\.claude\/state-index\.json left as it is: /m)
    },
  )

  test('that is not UTF-8 is reported and left alone; the note is written, and the save succeeds [001.22]', () => {
    const bytes = Buffer.from('7b2261223a2022ff227d', 'hex')
    const box = agentBox(bytes)
    const done = box.run(['save', ...SAID, '--json'])
    expect(done.code).toBe(0)
    expect(`${done.stdout}${done.stderr}`).toContain('it is not UTF-8')
    expect(readFileSync(box.path(INDEX))).toEqual(bytes)
    expect(notesIn(box)).toHaveLength(1)
  })

  test('that is no longer UTF-8 when its turn comes is left alone, too', () => {
    const box = agentBox('{}')
    const merge = box.path('.git/MERGE_HEAD')
    writeFileSync(merge, `${'0'.repeat(40)}\n`)
    save(box, SAID)
    const bytes = Buffer.from('7b2261223a2022ff227d', 'hex')
    writeFileSync(box.path(INDEX), bytes)
    rmSync(merge)
    const done = box.run(['list'])
    expect(done.stderr).toContain('it is not UTF-8')
    expect(readFileSync(box.path(INDEX))).toEqual(bytes)
  })

  test('that is mended is written by the next save', () => {
    const box = agentBox('{')
    save(box, SAID)
    put(box, INDEX, '{}')
    const { at } = save(box, ['x'])
    expect(box.readJson(INDEX)).toEqual({ last_checkpoint: `${at.slice(0, 19)}Z` })
  })
})

describe('what leads out of the workspace', () => {
  const outside = (box: Sandbox) => {
    const folder = join(box.root, 'outside')
    mkdirSync(folder)
    writeFileSync(join(folder, 'state-index.json'), '{"active_plan": "theirs"}')
    return folder
  }
  const untouched = (folder: string) => {
    expect(treeOf(folder)).toEqual(['state-index.json'])
    expect(readFileSync(join(folder, 'state-index.json'), 'utf8')).toBe('{"active_plan": "theirs"}')
  }

  test.each([[[]], [['--note']]])('.claude is a link, with %j: nothing is read or written there', (flags) => {
    const box = sandbox()
    const folder = outside(box)
    symlinkSync(folder, box.path('.claude'))
    const done = box.run(['save', ...SAID, ...flags, '--json'])
    expect(done.code).toBe(0)
    expect(`${done.stdout}${done.stderr}`).toContain('.claude')
    expect(JSON.parse(done.stdout)).toMatchObject({ stream: expect.not.stringMatching('theirs') })
    untouched(folder)
    expect(workOf(box).now).toBe('Login')
    expect(checkpoints(box)).toBe(1)
  })

  test.each(['.claude/checkpoints', '.claude/plans', '.claude/plans/p', '.claude/plans/p/checkpoints'])(
    '%s is a link: the receipt says that the note is not written',
    (path) => {
      const box = agentBox(path.includes('plans') ? '{"active_plan": "p"}' : '{}')
      const folder = outside(box)
      mkdirSync(join(box.path(path), '..'), { recursive: true })
      symlinkSync(folder, box.path(path))
      const { views } = save(box, SAID)
      expect(views.find(({ kind }) => kind === 'note')).toMatchObject({
        ...{ state: 'pending', problem: expect.stringContaining('not safe to use') },
      })
      untouched(folder)
      expect(box.readJson(INDEX).last_checkpoint).toBeDefined()
      rmSync(box.path(path))
      box.json(['status'])
      const place = path.includes('plans') ? '.claude/plans/p/checkpoints' : '.claude/checkpoints'
      expect(notesIn(box, place)).toHaveLength(1)
    },
  )

  test('the index is a link: it is neither read nor written', () => {
    const box = agentBox()
    const folder = outside(box)
    symlinkSync(join(folder, 'state-index.json'), box.path(INDEX))
    const { views, stream } = save(box, SAID)
    expect(stream).not.toBe('theirs')
    expect(views).toMatchObject([
      { kind: 'note', state: 'written' },
      { kind: 'index', state: 'left' },
    ])
    untouched(folder)
  })

  test.each(['../../x', '/tmp/x', 'a/b', '.git', 'CON', 'x'.repeat(300)])(
    'a plan that is named %s names no folder: the note goes to all',
    (plan) => {
      const box = agentBox(JSON.stringify({ active_plan: plan }))
      const receipt = save(box, SAID)
      expect(receipt.notices?.join()).toContain('cannot be a folder name')
      const [path = '', ...others] = notesIn(box)
      expect([others, treeOf(box.repo)]).toEqual([[], [path, INDEX].toSorted()])
      expect(box.readJson(path).context.active_plan).toBe(plan)
      expect(workOf(box, [receipt.stream]).now).toBe('Login')
    },
  )

  test('a plan with control characters cannot drive a terminal', () => {
    const box = agentBox(JSON.stringify({ active_plan: '\u001b]0;x\u0007\u009b31m' }))
    const done = piped(box, ['save', 'x'], '')
    expect(done.code).toBe(0)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
    expect(`${done.stdout}${done.stderr}`).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
  })
})
