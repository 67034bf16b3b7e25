import { expect, test } from 'vitest'
import { type Adoption, type AdoptionFacts, decideAdoption, followFocus } from '../../src/policy/adopt.ts'

const published: AdoptionFacts['view'] = { hash: 'ours', base: null, state: 'published' }
const over: AdoptionFacts['view'] = { hash: 'ours', base: 'old', state: 'pending' }
const fresh: AdoptionFacts['view'] = { hash: 'ours', base: null, state: 'pending' }

type Row = [
  name: string,
  view: AdoptionFacts['view'],
  found: string | null,
  known: boolean,
  same: boolean,
  is: Adoption,
]

const TABLE: Row[] = [
  ['the bytes that the store has', published, 'ours', true, true, 'in sync'],
  [
    'the bytes that the store has, of a stream that does not list them',
    published,
    'ours',
    false,
    false,
    'in sync',
  ],
  ['a version that was seen before', published, 'old', true, false, 'move'],
  ['a version that was seen before and says the same', published, 'old', true, true, 'move'],
  ['other bytes that say the same', published, 'new', false, true, 'remember'],
  ['other words', published, 'new', false, false, 'append'],
  ['nothing', published, null, false, false, 'absent'],
  ['a document of another place of the stream', null, 'new', false, false, 'append'],
  ['a known version in a workspace that had none', null, 'old', true, false, 'move'],
  ['nothing where nothing was', null, null, false, false, 'absent'],
  ['our own write, which arrived without a note', over, 'ours', true, true, 'in sync'],
  ['what our write was to replace', over, 'old', true, false, 'publish'],
  ['what our write was to replace, unknown to the stream', over, 'old', false, false, 'publish'],
  ['another known version under a write of ours', over, 'other', true, false, 'move'],
  ['an edit under a write of ours', over, 'new', false, false, 'rebase'],
  ['a formatter under a write of ours', over, 'new', false, true, 'rebase'],
  ['a file that was removed under a write of ours', over, null, false, false, 'absent'],
  ['nothing where a new file of ours is owed', fresh, null, false, false, 'publish'],
  ['a file of others where a new one of ours is owed', fresh, 'new', false, false, 'rebase'],
]

test.each(TABLE)('%s', (_name, view, found, isKnown, saysTheSame, adoption) => {
  expect(decideAdoption({ view, found, isKnown, saysTheSame })).toBe(adoption)
})

test('a file is taken in as new only where nothing else explains it', () => {
  const views = [null, published, over, fresh]
  for (const view of views)
    for (const found of ['ours', 'old', 'new'])
      for (const isKnown of [true, false])
        if (decideAdoption({ view, found, isKnown, saysTheSame: false }) === 'append')
          expect({ isKnown, pending: view?.state === 'pending', same: view?.hash === found }).toEqual({
            isKnown: false,
            pending: false,
            same: false,
          })
})

test('focus follows the only document that asks for it', () => {
  expect(followFocus({ focused: null, isDropped: false, currents: ['a'] })).toBe('a')
  expect(followFocus({ focused: 'b', isDropped: true, currents: ['a'] })).toBe('a')
  expect(followFocus({ focused: 'b', isDropped: false, currents: ['a'] })).toBe('a')
})

test('documents that contradict each other leave focus where it is', () => {
  expect(followFocus({ focused: 'c', isDropped: true, currents: ['a', 'b'] })).toBe('c')
  expect(followFocus({ focused: 'a', isDropped: false, currents: ['a', 'b'] })).toBe('a')
  expect(followFocus({ focused: null, isDropped: false, currents: ['a', 'b'] })).toBe(null)
})

test('focus goes where its document drops it, and stays where that document is elsewhere', () => {
  expect(followFocus({ focused: 'a', isDropped: true, currents: [] })).toBe(null)
  expect(followFocus({ focused: 'a', isDropped: false, currents: [] })).toBe('a')
})
