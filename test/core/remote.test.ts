import { expect, test } from 'vitest'
import { normaliseRemote } from '../../src/core/remote.ts'

test.each([
  'git@github.com:Team/Shop.git',
  'github.com:team/shop',
  'ssh://git@github.com/team/shop.git',
  'ssh://git@github.com:22/team/shop/',
  'https://github.com/team/shop',
  'https://me:secret-token@GitHub.com:443/team//shop.git?x=1#y',
  'git://github.com/team/shop.git',
  'git+ssh://github.com/team/shop',
])('%s is one place, whoever writes it', (url) => {
  expect(normaliseRemote(url)).toBe('github.com/team/shop')
})

test.each([
  '',
  '/srv/git/shop.git',
  '../shop',
  'file:///srv/git/shop.git',
  'C:\\work\\shop',
  'C:/work/shop',
  'https://github.com',
  'https:///team/shop',
  'ext::sh -c x',
  'git@host:',
  'https://host/a\u202eb',
  `https://host/${'a'.repeat(3_000)}`,
])('%s says nothing on another machine', (url) => {
  expect(normaliseRemote(url)).toBeNull()
})
