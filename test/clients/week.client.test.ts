import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Sandbox } from '../support/sandbox.ts'
import { claude, type Ran } from './client.ts'
import { project } from './lab.ts'
import { WITH_PLUGINS } from './plugins.ts'
import { hold, say, type Turn, use } from './scenario.ts'
import { toldAt, toldIn, words } from './told.ts'

const SAVE = 'mcp__plugin_savepoint_savepoint__savepoint_save'
const args = [...WITH_PLUGINS, '--allowedTools', SAVE]
const ORIGIN = 'https://git.example.com/ada/shop.git'

/** The lines of a brief, as the user's words make them. */
const POSTGRES = '- Postgres over MySQL (why: the team knows it)'
const CARDS = '- Never log card numbers'
const GOAL = '- Goal: A shop API that takes orders'
const EARLIER_GOAL = '- Goal (moments ago): A shop API that takes orders'
const CART = '- Current task: user: "Add POST /cart, with tests."'
const CART_WRITTEN = '- Last tool call: Write `cart.ts`, succeeded'
const WHAT_MAIN_KNOWS =
  '- Nothing is saved on this branch yet: this comes from main. Where main itself stands: savepoint resume main'
const FLAG = 'Flag the order after three retries'
const FLAG_REJECTED = `- Rejected: ${FLAG}, because support cannot see flags`
const RETRY = 'Retry webhooks with backoff (why: receivers restart)'
const SIGN = 'Sign every webhook'
const MERGED = '## From feature-webhook, merged (the next save includes it)'

const writes = (path: string, text: string): Turn =>
  use('Write', { file_path: path, content: 'export {}\n' }, text)

/** A session of the client, killed where the model holds. */
const work = (place: Sandbox, prompt: string, turns: Turn[], killOnce = ''): Promise<Ran> =>
  claude(place, { prompts: [prompt], scenario: { turns }, args, killOnce })

/** The lines that a session was told at its start, whatever time the sessions took. */
const toldTo = ({ requests: [first] }: Ran): string[] =>
  toldAt('SessionStart', first)
    .replaceAll(/(less than a|\d+) minutes? ago/g, 'moments ago')
    .split('\n')

/** The lines that a new session is told. It asks for nothing, and so it is nothing to go on with. */
async function toldNow(place: Sandbox): Promise<string[]> {
  const ran = await work(place, 'Go on.', [])
  expect(ran).toMatchObject({ exit: 0, requests: { length: 1 } })
  return toldTo(ran)
}

function expectLines(told: string[], known: string[], unknown: RegExp): void {
  expect(told).toEqual(expect.arrayContaining(known))
  expect(told.filter((line) => unknown.test(line))).toEqual([])
}

/** The lines that a brief has under a heading. */
const under = (told: string[], heading: string): string[] => {
  const from = told.indexOf(`## ${heading}`) + 1
  const length = told.slice(from).findIndex((line) => /^(## |<\/)/.test(line))
  return from === 0 ? [] : told.slice(from, from + length)
}

function commit(place: Sandbox, subject: string): void {
  place.git('add', '--all')
  place.git('commit', '--quiet', '-m', subject)
}

/** The week of test/story/week.md, as far as sessions are told of it: here by the real client. */
test('a week with a kill, a branch, a correction, an undo, a merge, a worktree and a new laptop', async () => {
  const place = project()
  place.git('branch', '--move', 'main')
  const remote = join(place.root, 'shop.git')
  const address = [`url.${remote}.insteadOf`, ORIGIN] as const
  place.git('init', '--quiet', '--bare', remote)
  place.git('remote', 'add', 'origin', ORIGIN)
  place.git('config', ...address)

  // What its user saved is in the first request of a session; what that one did before its kill is in the next one's.
  place.json([
    ...['save', 'The API skeleton is up', '--goal', 'A shop API that takes orders', '--next', 'Add the cart'],
    ...['--decision', 'Postgres over MySQL because the team knows it', '--rule', 'Never log card numbers'],
  ])
  const cart = await work(
    place,
    'Add POST /cart, with tests.',
    [writes(place.path('cart.ts'), 'The cart comes first.'), hold],
    'File created successfully',
  )
  expect(cart.exit).toBeNull()
  expectLines(toldTo(cart), [GOAL, POSTGRES, CARDS, '- The API skeleton is up', '- Add the cart'], /cart\.ts/)
  const killed = await toldNow(place)
  expectLines(
    killed,
    [POSTGRES, CARDS, '> The cart comes first.', '- cart.ts (new, uncommitted)'],
    /webhook/i,
  )
  expect(under(killed, 'Where it stands')).toEqual([CART, CART_WRITTEN])
  expect(under(killed, 'Saved for an earlier task')).toEqual([
    EARLIER_GOAL,
    '- Now (moments ago): The API skeleton is up',
    '- Next (moments ago): Add the cart',
  ])
  commit(place, 'Add the cart')

  // A new branch has what main knows, and neither its goal nor its next steps.
  place.git('switch', '--quiet', '--create', 'feature/webhook')
  const webhook = await work(place, 'Send a webhook for each order.', [
    writes(place.path('webhook.ts'), 'First the sending.'),
    use(SAVE, { summary: 'Webhooks are sent', decision: [FLAG] }),
    say('Webhooks are sent.'),
  ])
  expect(webhook).toMatchObject({ exit: 0, results: ['Webhooks are sent.'] })
  expectLines(toldTo(webhook), [WHAT_MAIN_KNOWS, POSTGRES, CARDS], /Goal|Add the cart|POST \/cart|skeleton/)

  // What the agent decided is asked until its user rejects it; then it is told as rejected.
  place.json([
    ...['save', 'Webhooks are retried', '--rule', SIGN],
    ...['--decision', 'Retry webhooks with backoff because receivers restart'],
  ])
  expectLines(
    await toldNow(place),
    [
      `- I see assumption "${FLAG}" marked UNCONFIRMED - can you confirm this?`,
      `- UNCONFIRMED: ${FLAG}`,
      `- ${RETRY}`,
    ],
    /Rejected/,
  )
  place.json(['reject', FLAG, '--why', 'support cannot see flags'])
  expectLines(await toldNow(place), [POSTGRES, FLAG_REJECTED, `- ${RETRY}`], /UNCONFIRMED|^- Flag/)

  // A wrong save is told until it is undone.
  place.json(['save', 'Webhooks are finished', '--next', 'Release'])
  expectLines(await toldNow(place), ['- Webhooks are finished', '- Release'], /Webhooks are retried/)
  place.json(['undo'])
  const undone = await toldNow(place)
  expectLines(undone, [FLAG_REJECTED, `- ${RETRY}`], /Webhooks are finished|Release/)
  expect(under(undone, 'Now')).toEqual(['- Webhooks are retried'])
  commit(place, 'Send webhooks')

  // A squash merge: main is told what the branch knew, and after a save it is main's own.
  place.git('switch', '--quiet', 'main')
  place.git('merge', '--quiet', '--squash', 'feature/webhook')
  place.git('commit', '--quiet', '-m', 'Webhooks (#7)')
  place.git('branch', '--quiet', '-D', 'feature/webhook')
  const merged = await toldNow(place)
  expect(merged).toContain(MERGED)
  expect(under(merged, MERGED.slice(3))).toEqual([
    `> Decided: ${RETRY}`,
    `> Rule: ${SIGN}`,
    `> Rejected: ${FLAG} (why: support cannot see flags)`,
  ])
  expect(under(merged, 'Decisions')).toEqual([POSTGRES])
  expect(under(merged, 'Where it stands')).toEqual([CART, CART_WRITTEN])
  place.json(['save', 'Webhooks are documented', '--next', 'Release 1.2'])
  const joined = await toldNow(place)
  expectLines(joined, ['- Webhooks are documented', '- Release 1.2'], /From feature-webhook/)
  const expectAllKnown = (told: string[]) => {
    expect(under(told, 'Decisions')).toEqual([POSTGRES, FLAG_REJECTED, `- ${RETRY}`])
    expect(under(told, 'Rules')).toEqual([CARDS, `- ${SIGN}`])
  }
  expectAllKnown(joined)

  // A linked worktree is a branch as any other.
  const hotfix = place.elsewhere('hotfix')
  place.git('worktree', 'add', '--quiet', '-b', 'hotfix', hotfix.repo)
  const linked = await toldNow(hotfix)
  expectLines(linked, [WHAT_MAIN_KNOWS], /Goal|Release 1\.2|documented/)
  expectAllKnown(linked)

  // A new laptop, with nothing but a clone and the exported file: silent until its user adopts the work.
  const file = join(place.root, 'shop.savepoint')
  place.json(['export', file])
  place.git('push', '--quiet', 'origin', 'main')
  const laptop = place.elsewhere('laptop', { home: join(place.root, 'laptop-home') })
  laptop.env.HOME = join(place.root, 'laptop-user')
  mkdirSync(laptop.env.HOME)
  place.git('-c', address.join('='), 'clone', '--quiet', '--branch', 'main', ORIGIN, laptop.repo)
  laptop.json(['import', file])
  const [stranger] = (await work(laptop, 'Go on.', [])).requests
  expect(toldIn(stranger)).toEqual([])
  expect(stranger && words(stranger)).not.toMatch(/Postgres|card numbers|backoff/)
  laptop.json(['import', '--adopt', 'repo'])
  laptop.json(['save', 'The laptop is set up'])
  const adopted = await toldNow(laptop)
  expectLines(adopted, ['- The laptop is set up', '- cart.ts (new)'], /feature-webhook|hotfix/)
  expectAllKnown(adopted)
  // The killed session's folder was that of the other machine.
  expect(under(adopted, 'Where it stands')).toEqual([CART, CART_WRITTEN])
})
