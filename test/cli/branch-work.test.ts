import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Sandbox } from '../support/sandbox.ts'
import {
  active,
  checkpoints,
  commit,
  elsewhere,
  history,
  listed,
  put,
  reasonFor,
  refusal,
  standings,
  textOf,
  workBox,
} from './document-lab.ts'
import { save, told, workOf } from './save-lab.ts'
import { exported, firstMachine, otherMachine } from './transfer-lab.ts'

const cut = (box: Sandbox, name: string) => box.git('checkout', '--quiet', '-b', name)
const go = (box: Sandbox, name: string) => box.git('checkout', '--quiet', name)
const textsOf = (items: ReadonlyArray<{ text: string }>) => items.map(({ text }) => text)
const start = (box: Sandbox) =>
  box.hook(['claude'], {
    input: JSON.stringify({
      ...{ session_id: 'aaaa0000-aaaa-4bbb-8ccc-000000000000', hook_event_name: 'SessionStart' },
      ...{ source: 'startup', cwd: box.repo, transcript_path: join(box.root, 'none.jsonl') },
    }),
  }).stdout

/** Main knows a decision and a rule; the branch of a webhook one more of each, with a commit. */
function webhookBox(): Sandbox {
  const box = workBox()
  save(box, ['On main', '--decision', 'Tokens over cookies', '--rule', 'Short commits', '--next', 'Ship'])
  cut(box, 'feature/webhook')
  save(box, ['Webhooks', '--decision', 'Sign with HMAC', '--rule', 'Log no bodies', '--next', 'Retry'])
  put(box, 'hook.txt', 'one\n')
  commit(box, 'hook one')
  put(box, 'hook.txt', 'one\ntwo\n')
  put(box, 'retry.txt', 'one\n')
  commit(box, 'hook two')
  return box
}

/** Main goes on by a commit of its own, so that nothing can be a fast-forward. */
function moveMain(box: Sandbox): void {
  go(box, 'main')
  put(box, 'main.txt', 'more\n')
  commit(box, 'main goes on')
}

describe('a new branch', () => {
  test('the third one inherits too: from the branch that it was cut from', () => {
    const box = webhookBox()
    go(box, 'main')
    cut(box, 'fix-tax')
    const tax = told(box)
    expect(tax).toMatchObject({ kind: 'brief', stream: 'main', why: 'origin' })
    expect(tax.work).toMatchObject({ now: '', next: [], decisions: [{ text: 'Tokens over cookies' }] })
    expect(tax.text).toContain('Nothing is saved on this branch yet: this comes from main.')
    expect(tax.text).not.toContain('Ship')
    expect(start(box)).toContain('Tokens over cookies')
    expect(save(box, ['Tax'])).toMatchObject({
      ...{ stream: 'fix-tax', began: true, origin: 'main', hasOthers: false },
      inherited: { decisions: 1, rejections: 0, rules: 1, constraints: 0, facts: 0, learnings: 0 },
    })
    go(box, 'feature/webhook')
    cut(box, 'feature/retries')
    expect(box.run(['save', 'Retries']).stdout).toContain(
      'Started feature-retries; inherited 2 decisions and 2 rules from feature-webhook',
    )
    expect(workOf(box)).toMatchObject({ now: 'Retries', next: [] })
  })

  test('in a worktree, by another branch, by its remote, and by its old name', () => {
    const box = webhookBox()
    box.git('branch', 'by-name', 'feature/webhook')
    go(box, 'main')
    go(box, 'by-name')
    expect(save(box, ['Named'])).toMatchObject({ origin: 'feature-webhook' })
    go(box, 'feature/webhook')
    put(box, 'more.txt', 'more\n')
    commit(box, 'only here')
    box.git('worktree', 'add', '--quiet', '-b', 'in-tree', join(box.root, 'tree'))
    expect(save(elsewhere(box, 'tree'), ['In a worktree'])).toMatchObject({ origin: 'feature-webhook' })
    box.git('branch', '-m', 'feature/hooks')
    expect(save(box, ['Renamed'])).toMatchObject({ stream: 'feature-hooks', origin: 'feature-webhook' })
    box.git('update-ref', 'refs/remotes/origin/develop', 'HEAD')
    box.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/develop')
    box.git('checkout', '--quiet', '-b', 'develop', 'main')
    save(box, ['The default branch', '--decision', 'Develop is home'])
    box.git('checkout', '--quiet', '--detach')
    box.git('switch', '--quiet', '-c', 'from-nowhere')
    expect(save(box, ['Detached before'])).toMatchObject({ origin: 'develop' })
  })

  test('that there is nothing to inherit is said', () => {
    const box = workBox()
    expect(box.run(['save', 'First']).stdout).not.toContain('Started')
    cut(box, 'one')
    expect(box.run(['save', 'One']).stdout).toContain('Started one; nothing to inherit from main')
    expect(box.run(['save', 'Named', '--stream', 'docs']).stdout).toContain('Started docs, empty')
  })
})

describe('after a merge', () => {
  const ways: Array<[string, (box: Sandbox) => void]> = [
    [
      'a fast-forward',
      (box) => {
        go(box, 'main')
        box.git('merge', '--quiet', '--ff-only', 'feature/webhook')
      },
    ],
    [
      'a merge commit',
      (box) => {
        moveMain(box)
        box.git('merge', '--quiet', '--no-ff', '--no-edit', 'feature/webhook')
      },
    ],
    [
      'a squash',
      (box) => {
        moveMain(box)
        box.git('merge', '--quiet', '--squash', 'feature/webhook')
        commit(box, 'webhooks (#1)')
      },
    ],
    [
      'a squash, and a later change of the same files',
      (box) => {
        moveMain(box)
        box.git('merge', '--quiet', '--squash', 'feature/webhook')
        commit(box, 'webhooks (#1)')
        put(box, 'hook.txt', 'zero\none\ntwo\n')
        commit(box, 'later')
      },
    ],
    [
      'a rebase',
      (box) => {
        moveMain(box)
        box.git('cherry-pick', 'main..feature/webhook')
        put(box, 'hook.txt', 'zero\none\ntwo\n')
        commit(box, 'later')
      },
    ],
    [
      'a merge, and the branch is deleted',
      (box) => {
        go(box, 'main')
        box.git('merge', '--quiet', '--no-ff', '--no-edit', 'feature/webhook')
        box.git('branch', '--quiet', '-d', 'feature/webhook')
      },
    ],
    [
      'a squash, and the branch is deleted',
      (box) => {
        moveMain(box)
        box.git('merge', '--quiet', '--squash', 'feature/webhook')
        commit(box, 'webhooks (#1)')
        box.git('branch', '--quiet', '-D', 'feature/webhook')
      },
    ],
  ]

  test.each(ways)('%s: offered, joined by the next save, and closed', (_, merge) => {
    const box = webhookBox()
    merge(box)
    const offered = told(box)
    expect(offered).toMatchObject({ stream: 'main', why: 'main' })
    expect(offered.text).toContain(
      '## From feature-webhook, merged (the next save includes it)\n> Decided: Sign with HMAC\n> Rule: Log no bodies\n',
    )
    expect(offered.text).not.toContain('Retry')
    // A brief takes nothing over.
    expect(textsOf(offered.work.decisions)).toEqual(['Tokens over cookies'])
    expect(start(box)).toContain('Sign with HMAC')
    const saved = save(box, ['Back on main'])
    expect(saved.joined).toEqual([
      {
        ...{ stream: 'feature-webhook', decisions: 1, rules: 1, constraints: 0, facts: 0, learnings: 0 },
        ...{ rejections: 0, corrections: 0, closed: true },
      },
    ])
    expect(saved.decisions).toEqual({ new: 0, total: 2, unconfirmed: 0 })
    const after = told(box)
    expect(textsOf(after.work.rules)).toEqual(['Short commits', 'Log no bodies'])
    expect(after.work).toMatchObject({ now: 'Back on main', next: [{ text: 'Ship' }] })
    expect(after.text).not.toContain('merged')
    expect(standings(box)).toEqual({ main: 'open' })
    expect(standings(box, '--all')).toEqual({ main: 'open', 'feature-webhook': 'archived' })
    expect(save(box, ['Again'])).toMatchObject({ joined: [] })
  })

  test('in words, and a decision that the branch replaced is replaced', () => {
    const box = webhookBox()
    save(box, ['--decision', 'Passkeys', '--supersedes', 'Tokens over cookies'])
    go(box, 'main')
    box.git('merge', '--quiet', '--no-ff', '--no-edit', 'feature/webhook')
    expect(box.run(['save', 'Back']).stdout).toContain(
      'Joined 2 decisions and 1 rule from feature-webhook (merged)',
    )
    expect(workOf(box).decisions).toMatchObject([
      { text: 'Tokens over cookies', supersededBy: 'Passkeys' },
      { text: 'Sign with HMAC', supersededBy: null },
      { text: 'Passkeys', supersededBy: null },
    ])
  })

  test('the work is open again on its branch, and a second merge joins what is new since', () => {
    const box = webhookBox()
    moveMain(box)
    box.git('merge', '--quiet', '--squash', 'feature/webhook')
    commit(box, 'webhooks (#1)')
    save(box, ['Back on main'])
    expect(standings(box)).toEqual({ main: 'open' })
    go(box, 'feature/webhook')
    expect(standings(box)).toEqual({ main: 'open', 'feature-webhook': 'open' })
    expect(told(box)).toMatchObject({ stream: 'feature-webhook', why: 'branch', work: { now: 'Webhooks' } })
    expect(save(box, ['More', '--decision', 'Queue in Redis'])).toMatchObject({
      ...{ stream: 'feature-webhook', began: false, sequence: 3 },
    })
    put(box, 'queue.txt', 'one\n')
    commit(box, 'queue')
    go(box, 'main')
    expect(standings(box)).toEqual({ main: 'open', 'feature-webhook': 'open' })
    box.git('merge', '--quiet', '--squash', '-Xtheirs', 'feature/webhook')
    commit(box, 'webhooks (#2)')
    expect(save(box, ['Back again']).joined).toMatchObject([
      { stream: 'feature-webhook', decisions: 1, rules: 0, closed: true },
    ])
    expect(save(box, ['Once']).joined).toEqual([])
  })

  test('a new branch of the same name begins new work; one that is fetched again does not', () => {
    const box = workBox()
    save(box, ['On main'])
    box.env.GIT_COMMITTER_DATE = '2020-01-01T00:00:00Z'
    cut(box, 'feature/webhook')
    put(box, 'hook.txt', 'one\n')
    commit(box, 'hook')
    const tip = box.git('rev-parse', 'HEAD').trim()
    save(box, ['Webhooks'])
    go(box, 'main')
    box.git('merge', '--quiet', '--no-ff', '--no-edit', 'feature/webhook')
    box.git('branch', '--quiet', '-d', 'feature/webhook')
    expect(save(box, ['Back on main'])).toMatchObject({ joined: [{ stream: 'feature-webhook' }] })
    box.env.GIT_COMMITTER_DATE = '2099-01-01T00:00:00Z'
    box.git('checkout', '--quiet', '-b', 'feature/webhook')
    expect(save(box, ['Anew'])).toMatchObject({ stream: 'feature-webhook-2', origin: 'main' })
    go(box, 'main')
    box.git('branch', '--quiet', '-D', 'feature/webhook')
    // The commits of the first branch prove no merge of the second.
    expect(save(box, ['Thrown away'])).toMatchObject({ joined: [] })
    box.json(['archive', 'feature-webhook-2', '--outcome', 'Dropped'])
    box.git('update-ref', 'refs/remotes/origin/feature/webhook', tip)
    box.git('checkout', '--quiet', '-b', 'feature/webhook', 'refs/remotes/origin/feature/webhook')
    expect(told(box)).toMatchObject({ stream: 'feature-webhook' })
  })

  test('second thoughts of the branch hold', () => {
    const box = workBox()
    const agent = ['--by', 'agent']
    save(box, ['On main', '--decision', 'Tokens', '--decision', 'Kafka', '--rule', 'Tabs', '--rule', 'Pull'])
    save(box, ['Heard', '--constraint', 'Node 20', '--decision', 'Redis', ...agent])
    cut(box, 'side')
    save(box, ['Side'])
    box.json(['confirm', 'Node 20'])
    box.json(['reject', 'Kafka', '--why', 'too large'])
    box.json(['reword', 'Tabs', '--to', 'Tabs in Go'])
    box.json(['remove', 'Pull'])
    put(box, 'side.txt', 'side\n')
    commit(box, 'side')
    go(box, 'main')
    box.git('merge', '--quiet', '--no-ff', '--no-edit', 'side')
    expect(told(box).text).toContain('> Rejected: Kafka (why: too large)')
    expect(box.run(['save', 'Back']).stdout).toContain(
      'Joined 1 rejection and 3 corrections from side (merged)',
    )
    expect(workOf(box)).toMatchObject({
      decisions: [
        { text: 'Tokens', supersededBy: null },
        { text: 'Kafka', rejected: 'too large' },
        { text: 'Redis', confirmed: false },
      ],
      constraints: [{ text: 'Node 20', confirmed: true }],
    })
    expect(textsOf(workOf(box).rules)).toEqual(['Tabs in Go'])
  })

  test('work with a document is joined once, and its file stays', () => {
    const box = webhookBox()
    box.json(['new', 'feature-webhook'])
    commit(box, 'document')
    const text = box.read(active('feature-webhook'))
    go(box, 'main')
    box.git('merge', '--quiet', '--no-ff', '--no-edit', 'feature/webhook')
    const { stdout } = box.run(['save', 'Back on main'])
    expect(stdout).toContain('Joined 1 decision and 1 rule from feature-webhook (merged)')
    expect(stdout).toContain('To close it: savepoint archive feature-webhook --outcome "…"')
    expect(box.read(active('feature-webhook'))).toBe(text)
    expect(save(box, ['Again'])).toMatchObject({ joined: [] })
    expect(told(box).text).not.toContain('merged')
  })

  test('work that is named takes nothing over, and neither does work of another branch', () => {
    const box = webhookBox()
    go(box, 'main')
    box.git('merge', '--quiet', '--no-ff', '--no-edit', 'feature/webhook')
    expect(save(box, ['Docs', '--stream', 'docs'])).toMatchObject({ joined: [] })
    expect(told(box, ['docs']).text).not.toContain('merged')
    cut(box, 'side')
    expect(save(box, ['Side'])).toMatchObject({ joined: [] })
    go(box, 'main')
    expect(save(box, ['Main'])).toMatchObject({ joined: [{ stream: 'feature-webhook' }] })
  })
})

describe('no merge', () => {
  test('a branch without a commit of its own, and one that is cut from another', () => {
    const box = workBox()
    save(box, ['On main'])
    cut(box, 'empty')
    save(box, ['Nothing committed yet', '--decision', 'D'])
    go(box, 'main')
    put(box, 'main.txt', 'more\n')
    commit(box, 'main goes on')
    expect(save(box, ['Main again'])).toMatchObject({ joined: [] })
    go(box, 'empty')
    put(box, 'own.txt', 'own\n')
    commit(box, 'own')
    save(box, ['Committed'])
    cut(box, 'stacked')
    put(box, 'top.txt', 'top\n')
    commit(box, 'top')
    expect(save(box, ['On top'])).toMatchObject({ origin: 'empty', joined: [] })
    expect(save(box, ['Still on top'])).toMatchObject({ joined: [] })
  })

  test('the trunk that is merged into a branch goes on, and so does the branch that this one was cut from', () => {
    const box = webhookBox()
    moveMain(box)
    save(box, ['Main moved', '--decision', 'Later'])
    go(box, 'feature/webhook')
    box.git('merge', '--quiet', '--no-edit', 'main')
    expect(save(box, ['Up to date'])).toMatchObject({ joined: [] })
    expect(standings(box)).toMatchObject({ main: 'open', 'feature-webhook': 'open' })
  })

  test('a sibling that is merged into a branch goes on, as long as it is there', () => {
    const box = webhookBox()
    go(box, 'main')
    cut(box, 'sibling')
    save(box, ['Sibling'])
    box.git('merge', '--quiet', '--no-ff', '--no-edit', 'feature/webhook')
    expect(save(box, ['With the webhook'])).toMatchObject({ joined: [] })
    box.git('branch', '--quiet', '-d', 'feature/webhook')
    expect(save(box, ['Now it is over'])).toMatchObject({ joined: [{ stream: 'feature-webhook' }] })
  })

  test('a branch that is gone is named once, with what to do', () => {
    const box = webhookBox()
    go(box, 'main')
    box.git('branch', '--quiet', '-D', 'feature/webhook')
    const left = 'feature-webhook: its branch was deleted without a merge.'
    expect(save(box, ['On main again'])).toMatchObject({ joined: [] })
    const { text } = told(box)
    expect(text).toContain(left)
    expect(text).toContain('savepoint resume feature-webhook')
    expect(text).toContain('savepoint archive feature-webhook --outcome')
    expect(told(box).text).not.toContain(left)
    expect(standings(box)).toMatchObject({ 'feature-webhook': 'open' })
    expect(told(box, ['feature-webhook']).work).toMatchObject({ now: 'Webhooks' })
  })

  /** Work of a worktree that is gone with its branch, and with all that git knew about it. */
  function abandoned(before: (tree: Sandbox) => void, after: (tree: Sandbox) => void): Sandbox {
    const box = workBox()
    save(box, ['On main'])
    box.git('worktree', 'add', '--quiet', '-b', 'idea', join(box.root, 'tree'))
    const tree = elsewhere(box, 'tree')
    before(tree)
    save(tree, ['Only an idea', '--decision', 'Kafka over cron'])
    after(tree)
    box.git('worktree', 'remove', '--force', join(box.root, 'tree'))
    box.git('branch', '--quiet', '-D', 'idea')
    return box
  }
  const commitIdea = (tree: Sandbox) => {
    put(tree, 'idea.txt', 'idea\n')
    commit(tree, 'idea')
  }

  test.each([
    ['nothing committed', () => undefined, () => undefined],
    ['a commit after the save', () => undefined, commitIdea],
    ['a commit before it', commitIdea, () => undefined],
  ])('a worktree that is thrown away with its branch: %s', (_, before, after) => {
    const box = abandoned(before, after)
    expect(save(box, ['Main again'])).toMatchObject({ joined: [] })
    expect(told(box).text).toContain('idea: its branch was deleted without a merge.')
    put(box, 'main.txt', 'more\n')
    commit(box, 'main goes on')
    expect(save(box, ['Main still'])).toMatchObject({ joined: [] })
    expect(standings(box)).toEqual({ main: 'open', idea: 'open' })
  })

  test('but one that was merged before is joined', () => {
    const box = abandoned(commitIdea, (tree) => {
      put(tree, '../repo/main.txt', 'more\n')
      commit(elsewhere(tree, 'repo'), 'main goes on')
      elsewhere(tree, 'repo').git('merge', '--quiet', '--squash', 'idea')
      commit(elsewhere(tree, 'repo'), 'idea (#1)')
    })
    expect(save(box, ['Main again'])).toMatchObject({ joined: [{ stream: 'idea', decisions: 1 }] })
  })

  test('a branch that was only brought up to date, or whose commits were thrown away', () => {
    const box = workBox()
    save(box, ['On main'])
    cut(box, 'behind')
    save(box, ['Behind', '--decision', 'D'])
    moveMain(box)
    go(box, 'behind')
    box.git('merge', '--quiet', '--ff-only', 'main')
    go(box, 'main')
    expect(save(box, ['Main again'])).toMatchObject({ joined: [] })
    go(box, 'behind')
    put(box, 'own.txt', 'own\n')
    commit(box, 'own')
    box.git('reset', '--quiet', '--hard', 'main')
    go(box, 'main')
    box.git('branch', '--quiet', '-D', 'behind')
    expect(save(box, ['Main at last'])).toMatchObject({ joined: [] })
    expect(told(box).text).toContain('behind: its branch was deleted')
  })

  test('on another machine, which never saw the branch, nothing is said; nor where the remote has it', () => {
    const box = firstMachine()
    save(box, ['On main'])
    cut(box, 'lives')
    save(box, ['It lives', '--decision', 'L'])
    commitIdea(box)
    go(box, 'main')
    cut(box, 'dropped')
    save(box, ['Dropped', '--decision', 'D'])
    go(box, 'main')
    box.git('branch', '--quiet', '-D', 'dropped')
    const other = otherMachine(box)
    other.json(['import', exported(box), '--adopt', 'repo'])
    other.git('config', 'user.name', 'Me')
    other.git('config', 'user.email', 'me@example.org')
    for (const remote of [true, false]) {
      if (!remote) other.git('update-ref', '-d', 'refs/remotes/origin/lives')
      put(other, 'main.txt', `more ${remote}\n`)
      commit(other, 'main goes on')
      expect(save(other, ['Here'])).toMatchObject({ joined: [] })
      expect(told(other).text).not.toContain('gone')
    }
    box.git('update-ref', 'refs/remotes/origin/lives', 'lives')
    box.git('branch', '--quiet', '-D', 'lives')
    box.git('pack-refs', '--all')
    const { text } = told(box)
    expect(text).toContain('dropped: its branch was deleted')
    expect(text).not.toContain('lives: its branch')
  })

  test('a branch that was merged on the remote, and deleted here before the pull, waits', () => {
    const box = webhookBox()
    box.git('update-ref', 'refs/remotes/origin/main', 'HEAD')
    box.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main')
    go(box, 'main')
    box.git('branch', '--quiet', '-D', 'feature/webhook')
    expect(told(box).text).not.toContain('gone')
    box.git('merge', '--quiet', '--ff-only', 'origin/main')
    expect(save(box, ['Pulled'])).toMatchObject({ joined: [{ stream: 'feature-webhook' }] })
  })

  test('without trust git is not run, and nothing is offered or joined', () => {
    const box = webhookBox()
    go(box, 'main')
    box.git('merge', '--quiet', '--no-ff', '--no-edit', 'feature/webhook')
    box.json(['untrust'])
    const trap = join(box.root, 'bin')
    put(box, '../bin/git', `#!/bin/sh\necho "$@" >> ${join(box.root, 'ran')}\nexit 1\n`)
    box.git('update-index', '--refresh')
    chmodSync(join(trap, 'git'), 0o755)
    const env = { PATH: `${trap}:${process.env.PATH}` }
    expect(told(box, [], { env }).text).not.toContain('merged')
    expect(save(box, ['Untrusted'], { env })).toMatchObject({ joined: [] })
    expect(existsSync(join(box.root, 'ran'))).toBe(false)
    expect(listed(box).map(({ id }) => id)).toContain('feature-webhook')
  })

  test('text that nobody reviewed is not joined', () => {
    const box = webhookBox()
    box.json(['new', 'feature-webhook'])
    commit(box, 'document')
    box.git('config', 'user.name', 'Stranger')
    put(
      box,
      active('feature-webhook'),
      box.read(active('feature-webhook')).replace('Sign with HMAC', 'Trust all'),
    )
    box.git('commit', '--quiet', '--all', '-m', 'theirs')
    const theirs = box.git('rev-parse', 'HEAD').trim()
    box.git('reset', '--quiet', '--hard', 'HEAD~1')
    box.git('reflog', 'expire', '--expire=now', '--all')
    go(box, 'main')
    box.git('merge', '--quiet', '--no-ff', '--no-edit', theirs)
    expect(told(box).text).not.toContain('Trust all')
    expect(save(box, ['Back'])).toMatchObject({ joined: [] })
    expect(JSON.stringify(workOf(box))).not.toContain('Trust all')
  })
})

test('without a branch the words are right', () => {
  const box = workBox()
  save(box, ['On main'])
  box.git('checkout', '--quiet', '--detach')
  expect(told(box)).toMatchObject({ stream: 'main', why: 'unbranched' })
  expect(box.run(['resume']).stderr).toContain('Work: main (no branch is checked out)')
  expect(box.run(['status']).stdout).toMatch(/Branch +none \(detached at [0-9a-f]{10}\)/)
  expect(box.run(['status']).stdout).not.toContain('main branch')
})

describe('names as people type them', () => {
  test('a branch, the beginning of an id, and a slip of the pen', () => {
    const box = webhookBox()
    for (const typed of ['feature/webhook', 'feature-w', 'FEATURE-webhook'])
      expect(told(box, [typed])).toMatchObject({ stream: 'feature-webhook', why: 'named' })
    expect(box.json(['show', 'feature/webhook'])).toMatchObject({ id: 'feature-webhook' })
    expect(refusal(box, 'resume', 'featre-webhook')).toMatchObject({
      ...{ reason: 'stream_unknown', message: 'No work named featre-webhook. Did you mean feature-webhook?' },
    })
    go(box, 'main')
    cut(box, 'feature/retries')
    save(box, ['Retries'])
    expect(refusal(box, 'show', 'feature')).toMatchObject({
      message: 'No work named feature. It could be feature-retries, feature-webhook.',
    })
  })

  test('what begins work takes no beginning for it', () => {
    const box = webhookBox()
    expect(save(box, ['Another', '--stream', 'feature-web'])).toMatchObject({
      stream: 'feature-web',
      began: true,
    })
    expect(box.json(['new', 'feature'])).toMatchObject({ id: 'feature' })
    expect(reasonFor(box, 'save', 'x', '--stream', 'feature/webhook')).toBe('id_invalid')
  })
})

describe('work without a document', () => {
  test('can be put in focus, and a save goes there', () => {
    const box = webhookBox()
    go(box, 'main')
    expect(box.json(['focus', 'feature/webhook'])).toMatchObject({ id: 'feature-webhook', path: null })
    expect(box.run(['focus']).stdout).toBe('In focus: feature-webhook\n')
    expect(save(box, ['On it'])).toMatchObject({ stream: 'feature-webhook', why: 'focused' })
    box.json(['new', 'auth', '--current'])
    expect(box.json(['focus'])).toMatchObject({ id: 'auth' })
    box.json(['focus', 'feature-webhook'])
    expect(box.read(active('auth'))).toContain('status: active')
    expect(box.json(['focus'])).toMatchObject({ id: 'feature-webhook' })
  })

  test('can be archived: nothing is put into the repository, and what it taught is told', () => {
    const box = webhookBox()
    save(box, ['Taught', '--learning', 'Retries need a cap'])
    go(box, 'main')
    expect(reasonFor(box, 'archive', 'feature-webhook')).toBe('usage_invalid')
    const done = ['archive', 'feature-webhook', '--outcome', 'Live', '--learning', 'Sign early']
    expect(box.run(done).stdout).toBe('Archived feature-webhook\n  2 learnings kept\n')
    expect(box.json(done)).toMatchObject({ already: true, outcome: 'Live', path: null })
    expect(reasonFor(box, 'archive', 'feature-webhook', '--outcome', 'Other')).toBe('stream_archived')
    expect(existsSync(box.path('checkpoints'))).toBe(false)
    expect(standings(box)).toEqual({ main: 'open' })
    expect(told(box).text).toContain('Retries need a cap')
    expect(told(box).text).toContain('Sign early')
  })

  test('can be forked', () => {
    const box = webhookBox()
    expect(box.json(['fork', 'feature-webhook', 'queue'])).toMatchObject({
      id: 'queue',
      parent: 'feature-webhook',
    })
    expect(box.read(active('queue'))).toContain('Sign with HMAC')
    expect(box.json(['tree'])).toMatchObject({ missing: [] })
  })
})

describe('a rename', () => {
  test('of work without a document keeps its history, and its session', () => {
    const box = webhookBox()
    expect(box.run(['rename', 'feature-webhook', 'hooks']).stdout).toBe('Renamed feature-webhook to hooks\n')
    expect(told(box, ['hooks'])).toMatchObject({ stream: 'hooks', work: { now: 'Webhooks' } })
    expect(save(box, ['Still on the branch'])).toMatchObject({ stream: 'hooks', why: 'branch', began: false })
    // Its old name still finds it, until other work begins under it.
    expect(told(box, ['feature/webhook'])).toMatchObject({ stream: 'hooks' })
    expect(save(box, ['New', '--stream', 'feature-webhook'])).toMatchObject({ began: true, sequence: 1 })
    expect(told(box, ['feature-webhook'])).toMatchObject({ stream: 'feature-webhook', work: { now: 'New' } })
    expect(told(box, ['hooks'])).toMatchObject({ work: { now: 'Still on the branch' } })
    expect(refusal(box, 'rename', 'hooks', 'MAIN')).toMatchObject({
      ...{ reason: 'stream_exists', message: 'main already exists.' },
    })
    expect(box.json(['rename', 'hooks', 'Hooks'])).toMatchObject({ id: 'Hooks', beforeId: 'hooks' })
  })

  test('moves a document, its field and its focus, and children find it; another branch too', () => {
    const box = workBox({ auth: textOf('auth', { status: 'current' }) })
    box.json(['fork', 'auth', 'child'])
    commit(box, 'child')
    box.git('branch', 'other')
    expect(box.json(['rename', 'auth', 'login'])).toMatchObject({ path: active('login'), files: 'published' })
    expect(existsSync(box.path(active('auth')))).toBe(false)
    expect(box.read(active('login'))).toContain('checkpoint: login')
    expect(box.json(['focus'])).toMatchObject({ id: 'login' })
    expect(box.json(['tree'])).toMatchObject({ missing: [] })
    expect(box.run(['tree']).stdout).toMatch(/login.*\n.*child/)
    expect(history(box, 'login').at(-1)).toMatchObject({ sequence: 2, why: 'manual: renamed from auth' })
    expect(reasonFor(box, 'archive', 'login', '--outcome', 'x')).toBe('stream_has_children')
    commit(box, 'renamed')
    const before = checkpoints(box)
    go(box, 'other')
    expect(listed(box).map(({ id }) => id)).toEqual(['login', 'child'])
    go(box, 'main')
    expect(listed(box)).toMatchObject([{ id: 'login', path: active('login') }, { id: 'child' }])
    expect(checkpoints(box)).toBe(before)
    put(box, active('taken'), 'not ours\n')
    expect(reasonFor(box, 'rename', 'login', 'taken')).toBe('document_taken')
    expect(box.read(active('taken'))).toBe('not ours\n')
  })
})
