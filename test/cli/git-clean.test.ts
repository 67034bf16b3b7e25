import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { assistant, call, linesOf, result, text, user } from '../agents/transcript-rows.ts'
import { PLAN, type Sandbox } from '../support/sandbox.ts'
import { commit, elsewhere, put, workBox } from './document-lab.ts'
import { INDEX, LEDGER_ON, notesIn, save } from './save-lab.ts'
import { idOf } from './session-lab.ts'

const status = (box: Sandbox) => box.git('status', '--porcelain', '--untracked-files=all')

/** A day at work: a session with its hooks, an agent's save and the user's, second thoughts, a run. */
function playDay(box: Sandbox, day: number): void {
  const id = idOf(`d${day}`)
  const transcript = join(box.root, `${id}.jsonl`)
  const env = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: id }
  const hear = (name: string, more: object = {}) => {
    const payload = { session_id: id, hook_event_name: name, cwd: box.repo, transcript_path: transcript }
    expect(box.hook(['claude'], { input: JSON.stringify({ ...payload, ...more }) }).code).toBe(0)
  }
  const at = { timestamp: new Date().toISOString() }
  hear('SessionStart', { source: 'startup' })
  appendFileSync(
    transcript,
    linesOf([
      user(1, 'Please mend the login.', at),
      assistant(2, { content: [call('w', 'Bash', { command: 'npm test' })] }, at),
      user(3, [result('w', 'ok')], at),
      assistant(4, { content: [text('Mended.')] }, at),
    ]),
  )
  hear('UserPromptSubmit', { prompt: 'Please mend the login.' })
  hear('PreCompact', { trigger: 'auto' })
  hear('Stop')
  save(box, ['Agent at work', '--decision', `Decision ${day}`, '--fact', `Fact ${day}`], { env })
  save(box, [`Day ${day}`, '--rule', `Rule ${day}`, '--next', `Step ${day}`])
  box.json(['confirm', `Decision ${day}`])
  box.json(['reject', `Fact ${day}`, '--why', 'it was not so'])
  box.json(['run', 'start', 'plan.md', '--run-id', `r${day}`])
  box.json(['run', 'step', `r${day}`, 's1', 'done'])
  hear('SessionEnd', { reason: 'exit' })
  box.json(['resume'])
}

function playDays(box: Sandbox, days: number): void {
  for (let day = 1; day <= days; day += 1) playDay(box, day)
}

/** A repository with a plan and these files committed. */
function repository(files: Record<string, string> = {}): Sandbox {
  const box = workBox()
  put(box, 'plan.md', PLAN)
  for (const [path, content] of Object.entries(files)) put(box, path, content)
  commit(box, 'files')
  return box
}

describe('a week of hooks, saves and runs leaves git status empty', () => {
  test('in a repository without a folder of the agent', () => {
    const box = repository()
    playDays(box, 2)
    expect(status(box)).toBe('')
    expect(notesIn(box)).toEqual([])
  })

  test('in one with it, where notes are written, with a ledger and a plan', () => {
    const box = repository({ '.claude/settings.json': '{}', '.agents.yml': LEDGER_ON })
    playDays(box, 7)
    expect(notesIn(box).length).toBeGreaterThan(7)
    put(box, INDEX, '{"active_plan": "big"}')
    save(box, ['On the plan'])
    expect(notesIn(box, '.claude/plans/big/checkpoints')).toHaveLength(1)
    // The index is another tool's file.
    expect(status(box)).toBe(`?? ${INDEX}\n`)
  })

  test('in a linked worktree', () => {
    const box = repository({ '.claude/settings.json': '{}' })
    const side = elsewhere(box, 'side')
    box.git('worktree', 'add', '--quiet', side.repo)
    playDays(side, 2)
    expect(notesIn(side).length).toBeGreaterThan(2)
    expect([status(side), status(box)]).toEqual(['', ''])
  })

  test('but for an index that git tracks: what is automatic leaves it alone, and a save does not', () => {
    const box = repository({ [INDEX]: '{"active_plan": null}\n' })
    const payload = { session_id: idOf('a'), cwd: box.repo, transcript_path: join(box.root, 'none.jsonl') }
    for (const hook_event_name of ['SessionStart', 'UserPromptSubmit', 'PreCompact', 'Stop', 'SessionEnd'])
      box.hook(['claude'], { input: JSON.stringify({ ...payload, hook_event_name, prompt: 'x' }) })
    box.json(['resume'])
    expect(status(box)).toBe('')
    playDays(box, 2)
    expect(status(box)).toBe(` M ${INDEX}\n`)
  })
})

describe('notes are git’s to see', () => {
  test('where somebody tracks notes already', () => {
    const old = '.claude/checkpoints/20200101T000000Z.json'
    const box = repository({ [old]: '{}' })
    save(box, ['Here'])
    const [, fresh = ''] = notesIn(box)
    expect(status(box)).toBe(`?? ${fresh}\n`)
    put(box, INDEX, '{"active_plan": "big"}')
    save(box, ['On a plan, whose notes nobody tracks'])
    expect(status(box)).not.toContain('plans/big')
  })

  test('where the settings say so', () => {
    const box = repository({
      '.agents.yml': 'session:\n  track_notes: true\n',
      '.claude/settings.json': '{}',
    })
    save(box, ['Here'])
    expect(status(box)).toBe(`?? ${notesIn(box)[0]}\n`)
  })

  test('and --note without the folder is hidden like the others', () => {
    const box = repository()
    save(box, ['Here', '--note'])
    expect([notesIn(box).length, status(box)]).toEqual([1, ''])
  })
})
