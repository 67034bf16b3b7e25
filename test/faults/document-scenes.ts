import { writeFileSync } from 'node:fs'
import { expect, vi } from 'vitest'
import { sha256 } from '../../src/core/canonical.ts'
import type { Sandbox } from '../support/sandbox.ts'
import { disagreements, filesOf, inStore } from '../support/stored-documents.ts'
import { command, keep, lastJson, putBack, type Scene, type Struck } from './sweep.ts'

/** What doing the same once more must come to, where it was done already. */
type Again = 'nothing more' | 'one more delta' | 'any' | { reason: string }

/** The documents by their paths, with every time and date made one. */
type Texts = Map<string, string>

/** What a sandbox held before the command, and what it holds where nothing happens to it. */
interface Foreseen {
  /** The exact bytes. */
  bytes: string[]
  old: Texts
  new: Texts
}

const LEARNED = ['Tokens rotate', 'Clocks differ']
const SLOW = { timeout: 100_000, interval: 50 }
const IN_REPO = /^repo\//
const timeless = (text: string) => text.replace(/\d{4}-\d\d-\d\d(T[\d:.]+Z)?/g, '<time>')
const textsOf = (box: Sandbox): Texts =>
  new Map([...filesOf(box).texts].map(([path, text]) => [path, timeless(text)]))
const same = (a: Texts, b: Texts) => a.size === b.size && [...a].every(([path, text]) => b.get(path) === text)
const deltasIn = (texts: Texts) => [...texts.values()].join('').match(/^## Delta: /gm)?.length ?? 0

async function did(box: Sandbox, words: string[]): Promise<void> {
  const { code, text } = await command(box, words)
  expect({ words, code, text }).toMatchObject({ code: 0 })
}

const BODY = {
  'The problem, in a few sentences. It rarely changes.': 'Sessions end too early.',
  'What is to be achieved, and what it must satisfy.': 'Refresh tokens that rotate.',
  'Choices that are made and not to be asked again, each with its why.':
    '- Opaque tokens, for they can be revoked.',
  'Stack, configuration, environment: facts that the work rests on.': 'Node 20.',
  'What was done, in order: step, action, outcome.': '- Read the old code\n- Wrote a test',
  'What exists now.': 'A failing test.',
  'What comes next, and what blocks it.': '- Make it pass',
}

/** Three documents: one in focus with a delta and a hand edit, one open, one archived with what it taught. */
async function documents(box: Sandbox, { commit = false } = {}): Promise<void> {
  await did(box, ['new', 'done'])
  await did(box, ['archive', 'done', '--outcome', 'All of it', '--learning', 'Write less'])
  await did(box, ['new', 'side', '--parent', 'done'])
  await did(box, ['new', 'auth', '--current'])
  let text = box.read('checkpoints/active/auth.md')
  for (const [guide, words] of Object.entries(BODY)) text = text.replace(`<!-- ${guide} -->`, words)
  writeFileSync(box.path('checkpoints/active/auth.md'), text)
  await did(box, ['delta', 'auth', '--what', 'First', '--artifact', 'a.ts:created:x'])
  if (commit) commitAll(box)
  // Looks that are known are noted anew by every command that meets other ones: it makes the same calls each time.
  await vi.waitFor(async () => {
    await did(box, ['list'])
    expect(await unsure(box)).toEqual([])
  }, SLOW)
}

/** Documents whose file is too young for its look to be known. */
const unsure = (box: Sandbox) =>
  inStore(box, async ({ store, identity }) =>
    (await store.acts.listWork(identity.repository, identity.workspace)).filter(
      ({ view }) => view?.stamp === null,
    ),
  )

function commitAll(box: Sandbox): void {
  box.git('add', '--all')
  box.git('-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', 'commit', '--quiet', '-m', 'work')
}

/** Does the command once, in peace, and takes it back. */
async function foresee(box: Sandbox, words: string[]): Promise<Foreseen> {
  const bytes = [...filesOf(box).texts.values()]
  const old = textsOf(box)
  keep(box, 'ahead')
  await did(box, words)
  const after = textsOf(box)
  putBack(box, 'ahead')
  expect(same(old, after)).toBe(false)
  return { bytes, old, new: after }
}

/** A document verb that is failed again and again. */
export function documentScene(words: string[], again: Again, { git = false } = {}): Scene {
  const foreseen = new Map<Sandbox, Foreseen>()
  return {
    words,
    git,
    async prepare(box) {
      await documents(box, { commit: git })
      foreseen.set(box, await foresee(box, words))
      return []
    },
    async aftermath(box, struck) {
      const seen = foreseen.get(box)
      if (!seen) throw new Error('the scene was not prepared')
      const wrong = [...told(box, seen, struck), ...torn(textsOf(box), seen)]
      await settled(box, seen, wrong)
      await repeated(box, words, again, seen, wrong)
      if (git) wrong.push(...gitProblems(box))
      return wrong
    },
  }
}

/** A command that says it wrote its files has; one that did not says so; a failed file call has its own reason. */
function told(box: Sandbox, seen: Foreseen, { done, hit, answer }: Struck): string[] {
  if (done.signal !== null) return []
  if (done.code !== 0)
    return IN_REPO.test(hit?.path ?? '') && answer?.reason !== 'checkpoint_atomic_write_failed'
      ? [`a failed file call is told as ${answer?.reason}`]
      : []
  if (answer?.files === 'published')
    return same(textsOf(box), seen.new) ? [] : ['it says published and is not']
  return done.stderr.includes('is written by the next command') ? [] : [`it keeps silent: ${done.stdout}`]
}

/** Right after the fault every file is the old or the new one, and nothing has lost its last place. */
function torn(now: Texts, seen: Foreseen): string[] {
  const wrong: string[] = []
  for (const path of new Set([...now.keys(), ...seen.old.keys(), ...seen.new.keys()])) {
    const is = now.get(path)
    if (is !== seen.old.get(path) && is !== seen.new.get(path))
      wrong.push(`${path} is neither old nor new: ${is}`)
  }
  const namesOf = (texts: Texts) => [...texts.keys()].map((path) => path.replace(/^.*\//, ''))
  for (const name of namesOf(seen.old)) if (!namesOf(now).includes(name)) wrong.push(`${name} is nowhere`)
  return wrong
}

/** The next verb, even one that only reads, brings all of it to the old or all of it to the new state. */
async function settled(box: Sandbox, seen: Foreseen, wrong: string[]): Promise<void> {
  const list = await command(box, ['list'])
  if (list.code !== 0) wrong.push(`list ends with ${list.code}: ${list.text}`)
  const now = textsOf(box)
  if (!same(now, seen.old) && !same(now, seen.new))
    wrong.push(`after list it is a mixture: ${JSON.stringify([...now])}`)
  for (const what of await disagreements(box)) wrong.push(`after list: ${what}`)
}

/** Then the same verb again: it works as if nothing had been, and leaves nothing about. */
async function repeated(
  box: Sandbox,
  words: string[],
  again: Again,
  seen: Foreseen,
  wrong: string[],
): Promise<void> {
  const before = textsOf(box)
  const isNew = same(before, seen.new)
  const { code, text } = await command(box, words)
  const refusal = isNew && typeof again === 'object' ? again.reason : undefined
  if (lastJson(text)?.reason !== refusal) wrong.push(`once more it ends with ${code}: ${text}`)
  const after = textsOf(box)
  if (!isNew || again === 'nothing more' || refusal !== undefined) {
    if (!same(after, seen.new))
      wrong.push(`once more it comes to something else: ${JSON.stringify([...after])}`)
  } else if (again === 'one more delta' && deltasIn(after) !== deltasIn(seen.new) + 1)
    wrong.push(`once more there are ${deltasIn(after)} deltas`)
  const { temps } = filesOf(box)
  if (temps.length > 0) wrong.push(`${temps} lie about`)
  for (const learned of LEARNED)
    if ((after.get('LEARNINGS.md') ?? '').split(learned).length > 2)
      wrong.push(`${learned} is in LEARNINGS.md twice`)
  wrong.push(...(await disagreements(box)), ...(await lost(box, seen)))
  const doctor = lastJson((await command(box, ['doctor'])).text)
  // `as`: the answer of a command that is tested elsewhere. That nobody chose the next document after an archive is said, and is no trouble.
  const findings = (doctor?.findings ?? []) as Array<{ what: string }>
  const troubles = findings.filter(({ what }) => !/^No document is marked current/.test(what))
  if (doctor?.healthy !== true || troubles.length > 0) wrong.push(`doctor: ${JSON.stringify(doctor)}`)
}

/** Texts that stood in a document before, and that the store does not have. */
const lost = (box: Sandbox, { bytes }: Foreseen): Promise<string[]> =>
  inStore(box, async ({ store }) => {
    const gone: string[] = []
    for (const text of bytes)
      if (text.startsWith('---') && (await store.log.readText(sha256(text))) === null)
        gone.push(`the store has lost ${text.slice(0, 60)}`)
    return gone
  })

/** An archived document that was tracked is tracked in its new place, and not in the old one. */
function gitProblems(box: Sandbox): string[] {
  const tracked = box.git('ls-files', 'checkpoints').trim().split('\n')
  return [...filesOf(box).texts.keys()]
    .map((path) => `checkpoints/${path}`)
    .filter((path) => !tracked.includes(path))
    .concat(tracked.filter((path) => path.endsWith('active/auth.md')))
    .map((path) => `git has not followed ${path}`)
}

export const SCENES = {
  delta: documentScene(
    ['delta', 'auth', '--what', 'Second', '--artifact', 'b.ts:created:y'],
    'one more delta',
  ),
  focus: documentScene(['focus', 'side'], 'nothing more'),
  archive: documentScene(
    ['archive', 'auth', '--outcome', 'Live', ...LEARNED.flatMap((text) => ['--learning', text])],
    'nothing more',
  ),
  compress: documentScene(['compress', 'auth', '--budget', '100'], 'any'),
  'restore of a point': documentScene(['restore', 'auth', '--at', '1'], 'nothing more'),
  'restore from the archive': documentScene(['restore', 'done'], 'nothing more'),
  new: documentScene(['new', 'fresh', '--parent', 'auth', '--current'], { reason: 'stream_exists' }),
} as const satisfies Record<string, Scene>

export const ARCHIVE_IN_GIT = documentScene(SCENES.archive.words, 'nothing more', { git: true })
