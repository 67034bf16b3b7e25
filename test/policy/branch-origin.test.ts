import { describe, expect, test } from 'vitest'
import { emptyWork, type WorkState } from '../../src/core/work.ts'
import { type BranchBirth, likelyOrigins } from '../../src/policy/branch-origin.ts'
import { mergedSection } from '../../src/policy/brief/brief-quoted.ts'
import {
  countJoined,
  countKnowledge,
  describeKnowledge,
  joinKnowledge,
  newKnowledge,
} from '../../src/policy/join-work.ts'
import { type ResolveFacts, resolveStream, type StreamFacts } from '../../src/policy/resolve.ts'

const birth = (more: Partial<BranchBirth>): BranchBirth => ({
  ...{ branch: 'fix', createdFrom: null, commit: 'c1', renamedFrom: null },
  ...{ switches: [], holders: [], defaultBranch: null, ...more },
})

describe('where a branch was cut from', () => {
  test.each<[string, Partial<BranchBirth>, string[]]>([
    ['nothing is known', {}, ['main']],
    ['the default branch of the remote comes before main', { defaultBranch: 'develop' }, ['develop', 'main']],
    ['a branch that is named', { createdFrom: 'feature/a' }, ['feature/a', 'a', 'main']],
    [
      'a branch of a remote',
      { createdFrom: 'refs/remotes/origin/next' },
      ['remotes/origin/next', 'next', 'main'],
    ],
    ['its own branch of a remote', { createdFrom: 'origin/fix' }, ['origin/fix', 'main']],
    [
      'HEAD, by the checkout that led to it',
      {
        createdFrom: 'HEAD',
        switches: [
          { from: 'other', entered: 'c0' },
          { from: 'feature', entered: 'c1' },
          { from: 'late', entered: 'c1' },
        ],
      },
      ['feature', 'main'],
    ],
    ['HEAD of another worktree', { createdFrom: 'HEAD', holders: ['feature'] }, ['feature', 'main']],
    ['HEAD, and two branches were there', { createdFrom: 'HEAD', holders: ['a', 'b'] }, ['main']],
    ['a branch that was renamed', { renamedFrom: 'old', createdFrom: 'main' }, ['old', 'main']],
    ['main itself', { branch: 'main' }, []],
  ])('%s', (_, more, origins) => {
    expect(likelyOrigins(birth(more))).toEqual(origins)
  })
})

describe('the work that a branch without any goes on from', () => {
  const stream = (name: string, branch: string | null, more: Partial<StreamFacts> = {}): StreamFacts => ({
    ...{ name, branch, standing: 'open', updatedMs: 1, here: true, foreign: false, ...more },
  })
  const seen = (streams: StreamFacts[], more: Partial<ResolveFacts> = {}): ResolveFacts => ({
    ...{ named: null, bound: null, focused: null, plan: null, branch: 'fix', origins: ['feature', 'main'] },
    ...{ streams, nowMs: 1_000 * 3_600_000, ...more },
  })
  const [main, third] = [stream('main', 'main'), stream('third', 'third')]
  const both = [main, stream('feature', 'feature'), third]

  test.each<[string, StreamFacts[], Partial<ResolveFacts>, string | null]>([
    ['that of the branch it was cut from', both, {}, 'feature'],
    ['else that of the default branch', both, { origins: ['gone', 'main'] }, 'main'],
    ['the trunk by any of its names', both, { origins: ['master'] }, 'main'],
    ['not one that is archived', [main, stream('feature', 'feature', { standing: 'archived' })], {}, 'main'],
    ['not one that is foreign', [main, third, stream('feature', 'feature', { foreign: true })], {}, 'main'],
    ['the only work that was saved there, whatever its name', [third, stream('auth', 'main')], {}, 'auth'],
    ['not one of several that bear other names', [stream('a', 'main'), stream('b', 'main')], {}, null],
    ['none without a branch', [stream('feature', 'feature'), third], { branch: null }, null],
  ])('%s', (_, streams, more, name) => {
    const choice = resolveStream(seen(streams, more), 'resume')
    if (name === null) expect(choice.kind).toBe('choose')
    else expect(choice).toEqual({ kind: 'stream', name, why: 'origin', offered: false })
  })

  test('what the branch itself has, what is bound and what is in focus come first', () => {
    const own = [...both, stream('fix', 'fix')]
    expect(resolveStream(seen(own), 'resume')).toMatchObject({ name: 'fix', why: 'branch' })
    expect(resolveStream(seen(both, { bound: 'third' }), 'resume')).toMatchObject({ why: 'bound' })
    expect(resolveStream(seen(both, { focused: 'third' }), 'resume')).toMatchObject({ why: 'focused' })
  })
})

describe('what comes back with a merge', () => {
  const claim = (text: string) => ({ text, origin: 'user' as const, confirmed: true })
  const decision = (text: string, supersededBy: string | null = null) => ({
    ...{ ...claim(text), why: '', supersededBy },
  })
  const known: WorkState = {
    ...emptyWork(),
    now: 'mine',
    decisions: [decision('A'), decision('X', 'Y'), decision('Y')],
    rules: [claim('R')],
  }
  const from: WorkState = {
    ...emptyWork(),
    now: 'theirs',
    next: [{ text: 'their next' }],
    decisions: [decision('A', 'B'), decision('B'), decision('X')],
    rules: [claim('R'), claim('S')],
    references: [
      { kind: 'learning', text: 'L' },
      { kind: 'command', text: 'npm test' },
    ],
  }

  test('only what is new, and nothing of how far it came', () => {
    expect(countKnowledge(newKnowledge(known, from))).toEqual({
      ...{ decisions: 1, rejections: 0, rules: 1, constraints: 0, facts: 0, learnings: 1 },
    })
    const joined = joinKnowledge(known, from)
    expect(joined).toMatchObject({ now: 'mine', next: [], references: [{ kind: 'learning', text: 'L' }] })
    expect(joined.rules.map(({ text }) => text)).toEqual(['R', 'S'])
  })

  test('a decision that the branch replaced is replaced; one that was replaced here stays so', () => {
    expect(
      joinKnowledge(known, from).decisions.map(({ text, supersededBy }) => [text, supersededBy]),
    ).toEqual([
      ['A', 'B'],
      ['X', 'Y'],
      ['Y', null],
      ['B', null],
    ])
    expect(joinKnowledge(joinKnowledge(known, from), from)).toEqual(joinKnowledge(known, from))
  })

  test('second thoughts come along, of what holds beyond the task, and are counted', () => {
    const mine = {
      ...known,
      next: [{ text: 'ship' }],
      rules: [claim('R'), { ...claim('Q'), confirmed: false }],
      facts: [claim('F')],
    }
    const theirs: WorkState = {
      ...emptyWork(),
      decisions: [
        { ...decision('A', 'A'), rejected: 'no' },
        { ...decision('N', 'N'), rejected: 'never' },
      ],
      rules: [claim('R2'), claim('Q')],
      corrected: [
        { field: 'rules', text: 'R', to: 'R2' },
        { field: 'facts', text: 'F' },
        { field: 'next', text: 'ship' },
      ],
    }
    const joined = joinKnowledge(mine, theirs)
    expect(joined).toMatchObject({ next: [{ text: 'ship' }], facts: [], rules: [claim('Q'), claim('R2')] })
    expect(joined.decisions.map(({ text, rejected }) => [text, rejected])).toEqual([
      ['A', 'no'],
      ['X', undefined],
      ['Y', undefined],
      ['N', 'never'],
    ])
    expect(countJoined(mine, theirs)).toMatchObject({ decisions: 0, rejections: 2, rules: 0, corrections: 3 })
    expect(countJoined(joined, theirs)).toMatchObject({ rejections: 0, corrections: 0 })
    expect(joinKnowledge(joined, theirs)).toEqual(joined)
  })

  test('in words', () => {
    const none = countKnowledge(emptyWork())
    expect(describeKnowledge(none)).toBe('')
    expect(describeKnowledge({ ...none, decisions: 2, rules: 1 })).toBe('2 decisions and 1 rule')
    expect(describeKnowledge({ ...none, decisions: 1, facts: 3, learnings: 1 })).toBe(
      '1 decision, 3 facts and 1 learning',
    )
    const many = { ...emptyWork(), rules: Array.from({ length: 25 }, (_, at) => claim(`r${at}`)) }
    expect(mergedSection('side', many)).toMatchObject({ quoted: true, more: '5 more: savepoint show side' })
  })
})
