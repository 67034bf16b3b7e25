import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { instant } from '../../../src/core/ports.ts'
import { type Context, openContext, settleIdentity } from '../../../src/engine/context/context.ts'
import { hearEvent } from '../../../src/engine/sessions/hear-event.ts'
import { onEvent } from '../../../src/engine/sessions/on-event.ts'
import { readState } from '../../../src/engine/surroundings/read-state.ts'
import { markKind } from '../../../src/policy/redact.ts'
import type { Fields, InputOf } from '../../../src/verbs/define/field.ts'
import type { Verb } from '../../../src/verbs/define/verb.ts'
import { performOnce } from '../../../src/verbs/perform.ts'
import { doctor } from '../../../src/verbs/setup/doctor.ts'
import { init } from '../../../src/verbs/setup/init.ts'
import { uninstall } from '../../../src/verbs/setup/uninstall.ts'
import { save } from '../../../src/verbs/work/save.ts'
import { testPorts } from '../../support/ports.ts'
import { type Sandbox, sandbox } from '../../support/sandbox.ts'
import { tiny } from './agent.ts'

// One agent in its own folder, given to the context: nothing else in the source knows it.

const OWN = 'colour blue\n'
const agents = [tiny]
const [T1, T2, T3] = ['t1', 't2', 't3']

class TinyLab {
  readonly box: Sandbox = sandbox()
  readonly ports = testPorts()
  readonly settings = this.box.path('.tiny/settings.txt')
  readonly launcher = join(this.box.home, 'bin', 'savepoint-hook')

  constructor() {
    mkdirSync(this.box.path('.tiny'))
    writeFileSync(this.settings, OWN)
  }

  logOf = (talk: string) => join(this.box.root, `${talk}.txt`)

  /** A verb as a door performs it, with what is not said left empty. */
  perform<F extends Fields, R>(verb: Verb<F, R>, said: object, env = {}): Promise<R> {
    const empty = Object.entries(verb.fields).flatMap(([name, { kind }]): Array<[string, unknown]> => {
      return kind === 'words' ? [[name, []]] : kind === 'flag' ? [[name, false]] : []
    })
    // `as`: what is not said is filled from the list of fields.
    const input = { ...Object.fromEntries(empty), ...said } as InputOf<F>
    const { box, ports } = this
    return performOnce(verb, { cwd: box.repo, env: { ...box.env, ...env }, ports, agents }, input)
  }

  async within<R>(act: (context: Context) => Promise<R>): Promise<R> {
    const { box, ports } = this
    const context = await openContext({ cwd: box.repo, env: box.env, ports, agents, access: 'write' })
    try {
      context.identity = await settleIdentity(context, 'write')
      return await act(context)
    } finally {
      await context.store.close()
    }
  }

  /** What the hook of the agent does with a payload, and what it prints. */
  async hook(what: string, talk: string, words = ''): Promise<string> {
    this.ports.time += 60_000
    const payload = { what, talk, words, where: this.box.repo, log: this.logOf(talk) }
    const event = tiny.eventOf(payload, instant(this.ports.time))
    if (event === null) throw new Error('the agent says nothing')
    const { isDue, usedPercent } = hearEvent(this.box.home, tiny, event, { elapsed: () => 0, mark: markKind })
    const told = isDue ? await this.within((context) => onEvent(context, event, usedPercent)) : null
    return told === null ? '' : tiny.envelope(event.kind, told.text)
  }

  write(talk: string, who: 'you' | 'me' | 'changed', words: string): void {
    this.ports.time += 60_000
    appendFileSync(this.logOf(talk), `${instant(this.ports.time)} ${who} ${words}\n`)
  }

  /** A session with something in it, that is over. */
  async talk(id: string): Promise<void> {
    await this.hook('began', id)
    this.write(id, 'you', 'Please mend the login of the shop')
    this.write(id, 'changed', this.box.path('src/login.ts'))
    this.write(id, 'me', 'The login is mended. The basket is next.')
    await this.hook('left', id)
  }
}

test('is set up by what it describes', async () => {
  const lab = new TinyLab()
  const { agent, changes, settings } = await lab.perform(init, { agent: 'tiny' })
  expect({ agent, settings }).toEqual({ agent: 'tiny', settings: lab.settings })
  expect(changes.map(({ what }) => what)).toContain('trusted')
  const line = (event: string) => `on ${event} run ${lab.launcher} tiny\n`
  expect(readFileSync(lab.settings, 'utf8')).toBe(OWN + line('began') + line('asked') + line('left'))
  expect(existsSync(lab.launcher)).toBe(true)
  expect(lab.box.git('status', '--short')).toBe('')
  expect((await lab.perform(init, { agent: 'tiny' })).changes).toEqual([])
  await expect(lab.perform(init, { agent: 'tiny', plugin: true })).rejects.toThrow('no plugin for Tiny Agent')
})

test('is found by its folder, and missed where it is not there', async () => {
  const lab = new TinyLab()
  await expect(lab.perform(init, {})).rejects.toMatchObject({
    reason: 'agent_unknown',
    hint: expect.stringContaining('savepoint init --agent tiny'),
  })
  mkdirSync(join(lab.box.root, 'user', '.tiny'))
  expect(await lab.perform(init, {})).toMatchObject({ agent: 'tiny', label: 'Tiny Agent' })
})

test('is examined by the doctor', async () => {
  const lab = new TinyLab()
  await lab.perform(init, { agent: 'tiny' })
  const missing = async () =>
    (await lab.perform(doctor, {})).findings.map(({ what }) => what).filter((what) => /Missing/.test(what))
  expect(await missing()).toEqual([])
  writeFileSync(lab.settings, readFileSync(lab.settings, 'utf8').replace(/^on left .*\n/m, ''))
  expect(await missing()).toEqual(['Missing hooks: left'])
})

test('is heard by its hooks, read to a digest, and briefed', async () => {
  const lab = new TinyLab()
  await lab.perform(init, { agent: 'tiny' })
  await lab.talk(T1)
  const told = await lab.hook('began', T2)
  expect(told).toMatch(/^TELL <savepoint>/)
  for (const words of ['Please mend the login of the shop', 'The basket is next.', 'src/login.ts'])
    expect(told).toContain(words)
  const row = await lab.within(({ store }) => store.log.readSession({ agent: 'tiny', id: T1 }))
  expect(row?.session).toMatchObject({ agent: 'tiny', endReason: 'other', statistics: { apiCalls: 3 } })
})

test('is read on from where reading stopped, in its own measure', async () => {
  const lab = new TinyLab()
  await lab.perform(init, { agent: 'tiny' })
  const kept = () =>
    lab.within(async ({ store }) => readState(await store.log.readReading({ agent: 'tiny', id: T1 })))
  await lab.talk(T1)
  await lab.hook('began', T2)
  expect((await kept())?.reading?.cursor).toEqual({ lines: 3 })
  lab.write(T1, 'you', 'And now the basket')
  await lab.hook('began', T3)
  const state = await kept()
  expect(state?.reading?.cursor).toEqual({ lines: 4 })
  expect(state?.digest.requests.map(({ text }) => text)).toEqual([
    'Please mend the login of the shop',
    'And now the basket',
  ])
})

test('saves in its session, and that is its word', async () => {
  const lab = new TinyLab()
  await lab.perform(init, { agent: 'tiny' })
  await lab.hook('began', T1)
  await lab.perform(
    save,
    { summary: 'The basket is half done', decision: ['One basket'] },
    { TINY: '1', TINY_TALK: T1 },
  )
  const row = await lab.within(({ store }) => store.log.readSession({ agent: 'tiny', id: T1 }))
  expect(row?.session).toMatchObject({ stream: expect.any(String), savedAt: expect.any(String) })
  const told = await lab.hook('began', T2)
  expect(told).toContain('The basket is half done')
  expect(told).toContain('UNCONFIRMED: One basket')
})

test('is taken out, and its settings get their bytes back', async () => {
  const lab = new TinyLab()
  await lab.perform(init, { agent: 'tiny' })
  const { agent, left } = await lab.perform(uninstall, {})
  expect({ agent, left }).toEqual({ agent: 'tiny', left: [] })
  expect(readFileSync(lab.settings, 'utf8')).toBe(OWN)
  expect(existsSync(lab.launcher)).toBe(false)
  expect((await lab.perform(uninstall, {})).changes).toEqual([])
})
