import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Week } from './week-lab.ts'

const ORIGIN = 'https://git.example.com/ada/shop.git'
/** The remote is a folder beside the repository, and git is told another address for it. */
const atOrigin = ({ box }: Week) => [`url.${join(box.root, 'shop.git')}.insteadOf`, ORIGIN] as const

/**
 * One week of somebody's work. Everything that a session or its user was told stands in week.md, in full, in the order
 * in which it was told: read it as the colleague who takes over on that day. Whoever changes what is told changes that
 * page knowingly.
 */
test('a week with branches, merges, corrections, an undo, a worktree and a new laptop', async () => {
  const week = new Week()
  const { lab } = week

  // Monday: three tasks on main.
  week.git('init', '--quiet', '--bare', join(week.box.root, 'shop.git'))
  week.git('remote', 'add', 'origin', ORIGIN)
  week.git('config', ...atOrigin(week))
  week.commit('Shop', { 'src/shop.ts': 'export {}\n', 'package.json': '{}\n' })
  week.tell(
    'Monday, the first save',
    await week.type(
      ...['save', 'The API skeleton is up', '--goal', 'A shop API that takes orders'],
      ...['--decision', 'Postgres over MySQL because the team knows it', '--rule', 'Never log card numbers'],
      ...['--next', 'Add the cart'],
    ),
  )
  const cart = await week.start('Monday, a session starts', 'ca')
  week.work(cart, 'Add POST /cart, with tests.', 'src/cart.ts', 'POST /cart works.', { fails: false })
  week.commit('Add the cart', {})
  lab.end(cart)
  week.hours(2)
  const prices = await week.start('Monday, the cart is committed', 'cb')
  week.work(prices, 'Now show prices with two decimals.', 'src/prices.ts', 'Prices are rounded to cents.')
  week.commit('Round prices', {})
  lab.end(prices)
  week.hours(2)
  const orders = await week.start('Monday, the third task', 'cc')
  week.work(
    orders,
    'Write GET /orders with paging.',
    'src/orders.ts',
    'Paging is half done; one test fails.',
    {
      fails: true,
    },
  )
  // Nobody ends it: the laptop is closed.

  // Tuesday: a branch for webhooks.
  week.nextDay()
  week.tell('Tuesday, what is there', await week.type('list'))
  const again = await week.start('Tuesday, after the laptop was closed', 'da')
  week.work(
    again,
    'Finish the paging of GET /orders.',
    'src/orders.ts',
    'GET /orders pages. All tests pass.',
    {
      fails: false,
    },
  )
  week.commit('Page the orders', {})
  lab.end(again)
  week.hours(1)
  week.git('switch', '--quiet', '--create', 'feature/webhook')
  const hook = await week.start('Tuesday, a new branch', 'db')
  week.work(hook, 'Send a webhook for each order.', 'src/webhook.ts', 'Webhooks are sent, without retries.')
  week.tell(
    'Tuesday, the first save on the branch',
    await week.type(
      ...['save', 'Webhooks are sent', '--decision', 'Retry webhooks with backoff because receivers restart'],
      ...['--rule', 'Sign every webhook', '--next', 'Retries'],
    ),
  )
  week.commit('Send webhooks', {})
  lab.end(hook)
  week.git('switch', '--quiet', 'main')
  week.hours(1)
  week.git('switch', '--quiet', '--create', 'fix-tax')
  const tax = await week.start('Tuesday, a third branch, cut from main', 'dc')
  week.work(tax, 'Tax is added twice. Fix it.', 'src/tax.ts', 'Tax is added once.')
  week.tell(
    'Tuesday, its first save',
    await week.type('save', 'Tax is added once', '--next', 'Ask accounting'),
  )
  week.commit('Add tax once', {})
  lab.end(tax)

  // Wednesday: second thoughts, on the branch of the webhooks.
  week.nextDay()
  week.git('switch', '--quiet', 'feature/webhook')
  const retries = await week.start('Wednesday, back on the branch', 'ea')
  week.work(
    retries,
    'Add retries to the webhooks.',
    'src/retry.ts',
    'Three retries, then the order is flagged.',
  )
  await lab.save(retries, { text: 'Retries work', decision: ['Flag the order after three retries'] })
  week.commit('Retry webhooks', {})
  lab.end(retries)
  week.tell('Wednesday, what the agent decided is asked', await week.type('resume'))
  week.tell(
    'Wednesday, it is rejected',
    await week.type('reject', 'Flag the order after three retries', '--why', 'support cannot see flags'),
  )
  week.tell(
    'Wednesday, a rule is reworded',
    await week.type('reword', 'Sign every webhook', '--to', 'Sign every webhook with HMAC'),
  )
  week.tell(
    'Wednesday, the wrong thing is saved',
    await week.type('save', 'Webhooks are finished', '--next', 'Release'),
  )
  week.tell('Wednesday, it is undone', await week.type('undo'))
  week.tell('Wednesday, and the brief is as before', await week.type('resume'))

  const backoff = await week.start('Wednesday, a second session', 'eb')
  week.work(backoff, 'Make the backoff exponential.', 'src/retry.ts', 'It doubles, up to an hour.', {
    fails: false,
  })
  week.commit('Exponential backoff', {})
  lab.end(backoff)
  const metrics = await week.start('Wednesday, a third session', 'ec')
  week.work(metrics, 'Count failed webhooks.', 'src/metrics.ts', 'They are counted per receiver.')
  week.commit('Count failures', {})
  lab.end(metrics)

  // Thursday: the branch comes back by a squash merge; a worktree for a hotfix.
  week.nextDay()
  week.git('switch', '--quiet', 'main')
  week.git('merge', '--quiet', '--squash', 'feature/webhook')
  week.git('commit', '--quiet', '-m', 'Webhooks (#7)')
  week.git('branch', '--quiet', '-D', 'feature/webhook')
  const merged = await week.start('Thursday, the branch is merged', 'fa')
  week.work(merged, 'Document the webhooks.', 'docs/webhooks.md', 'The page is written.')
  week.tell(
    'Thursday, the next save joins it',
    await week.type('save', 'Webhooks are documented', '--next', 'Release 1.2'),
  )
  week.commit('Document webhooks', {})
  lab.end(merged)
  week.tell('Thursday, what is there', await week.type('list'))
  week.git('worktree', 'add', '--quiet', '-b', 'hotfix', join(week.box.root, 'shop-hotfix'))
  const hotfix = week.elsewhere('shop-hotfix')
  const hot = await hotfix.start('Thursday, a worktree for a hotfix', 'fb')
  hotfix.work(hot, 'Orders of guests crash. Fix it.', 'src/guest.ts', 'Guests have an empty profile now.')
  hotfix.tell('Thursday, a save in the worktree', await hotfix.type('save', 'Guests can order'))
  lab.end(hot)
  const retry = await hotfix.start('Thursday, a second session in the worktree', 'fc')
  hotfix.work(retry, 'Add a test for guests.', 'src/guest.ts', 'There is a test.', { fails: false })
  lab.end(retry)
  week.tell('Thursday, the first worktree is as it was', await week.type('resume'))

  // Friday: a branch is given up, and a new laptop comes.
  week.nextDay()
  week.git('branch', '--quiet', '-D', 'fix-tax')
  week.tell('Friday, a branch is gone without a merge', await week.type('status'))
  const last = await week.start('Friday, the last session', 'ga')
  week.work(last, 'Prepare release 1.2.', 'CHANGELOG.md', 'The changelog is written. Shall I tag it?')
  week.commit('Changelog of 1.2', {})
  lab.end(last)
  const file = join(week.box.root, 'shop.savepoint')
  week.tell('Friday, everything for the new laptop', await week.type('export', file))
  const laptop = week.elsewhere('laptop', { home: join(week.box.root, 'laptop-home') })
  week.git('push', '--quiet', 'origin', 'main')
  const address = atOrigin(week).join('=')
  week.git('-c', address, 'clone', '--quiet', '--branch', 'main', ORIGIN, laptop.box.repo)
  laptop.identify()
  laptop.tell('Friday, on the new laptop', await laptop.type('import', file))
  laptop.tell('Friday, a second import', await laptop.type('import', file))
  laptop.tell('Friday, the clone is recognised', await laptop.type('status'))
  laptop.tell('Friday, it takes its work over', await laptop.type('import', '--adopt', 'repo'))
  laptop.tell('Friday, a save on the new laptop', await laptop.type('save', 'The laptop is set up'))
  const fresh = await laptop.start('Friday, the first session on the new laptop', 'gb')
  laptop.work(fresh, 'Tag release 1.2.', 'VERSION', 'Tagged.')
  laptop.lab.end(fresh)
  await laptop.start('Friday, the last one', 'gc')

  expect(week.told.length).toBeGreaterThanOrEqual(25)
  await expect(`# A week\n\n${week.told.join('\n')}`).toMatchFileSnapshot('week.md')
  expect(week.git('status', '--porcelain')).toBe('')
}, 120_000)
