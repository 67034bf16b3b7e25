import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { transformSync } from 'esbuild'
import { expect, onTestFinished, test } from 'vitest'
import { sha256 } from '../../src/core/canonical.ts'
import { type Folder, openFolder } from '../../src/fs/disk.ts'
import { writeDurably } from '../../src/fs/durable.ts'
import { isKept, isLeftover, removeGuarded, replaceGuarded, type WriteOutcome } from '../../src/fs/guarded.ts'
import { cutStates } from '../faults/power-cut.ts'
import { ModelDisk } from '../support/model-disk.ts'
import { projectRoot } from '../support/sandbox.ts'
import type { Save, Saved, Way } from './editor.ts'

const NAME = 'auth.md'
const OLD = 'old text\n'
const NEW = 'our new text\n'
const EDIT = 'the edit of somebody else\n'
const LIMIT = 100_000
const leftovers = (folder: Folder) => folder.names().filter(isLeftover)

const guard = (expected: string | null, token = '0123456789ab') => ({
  token,
  expected: expected === null ? null : sha256(expected),
  limit: LIMIT,
})

const replace = (folder: Folder) => replaceGuarded(folder, NAME, Buffer.from(NEW), guard(OLD))
const create = (folder: Folder) => replaceGuarded(folder, NAME, Buffer.from(NEW), guard(null))
const remove = (folder: Folder) => removeGuarded(folder, NAME, guard(OLD))

interface Place {
  path: string
  at: string
  folder: Folder
}

function makePlace(text: string | null = OLD): Place {
  const path = mkdtempSync(join(tmpdir(), 'savepoint-guarded-'))
  const folder = openFolder(path)
  onTestFinished(() => {
    folder.close()
    rmSync(path, { recursive: true, force: true })
  })
  const at = join(path, NAME)
  if (text !== null) writeFileSync(at, text)
  return { path, at, folder }
}

/** The same folder, with somebody who acts, or throws, before each call. */
function watched(folder: Folder, before: (call: string, index: number) => void): Folder {
  let index = 0
  return new Proxy(folder, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        before(String(key), index++)
        return Reflect.apply(value, target, args)
      }
    },
  })
}

/** Which calls an action makes, in their order. */
function callsOf(
  act: (folder: Folder) => unknown,
  text: string | null = OLD,
  how = (folder: Folder) => folder,
) {
  const calls: string[] = []
  act(watched(how(makePlace(text).folder), (call) => calls.push(call)))
  return calls
}

const systemError = (code: string) => Object.assign(new Error(`${code}: injected`), { code })

const withoutLinks = (folder: Folder) =>
  watched(folder, (call) => {
    if (call === 'link') throw systemError('EPERM')
  })

const textOf = (found: Buffer | null) => found?.toString() ?? null
const standing = (folder: Folder) => textOf(folder.read(NAME, LIMIT))
const foundBy = (outcome: WriteOutcome) => (outcome.done ? undefined : textOf(outcome.found))

function editByRename({ at }: Place): void {
  writeFileSync(`${at}~`, EDIT)
  renameSync(`${at}~`, at)
}

/** How others save; `begin` is done before our call, what it gives is the save itself. */
const EDITORS: Record<string, (place: Place) => () => void> = {
  'in place': (place) => () => writeFileSync(place.at, EDIT),
  'by rename': (place) => () => editByRename(place),
  'into a file opened before': ({ at }) => {
    const fd = openSync(at, 'r+')
    return () => {
      ftruncateSync(fd)
      writeSync(fd, EDIT, 0)
      closeSync(fd)
    }
  },
}

test('a file that is what was expected is replaced, keeps its mode, and nothing else is left', () => {
  const { at, path, folder } = makePlace()
  chmodSync(at, 0o666)
  expect(replace(folder)).toEqual({ done: true })
  expect(readFileSync(at, 'utf8')).toBe(NEW)
  expect(statSync(at).mode & 0o777).toBe(0o666)
  expect(readdirSync(path)).toEqual([NAME])
})

test.each([
  ['replace', EDIT, replace, EDIT],
  ['replace', null, replace, null],
  ['create', EDIT, create, EDIT],
  ['remove', EDIT, remove, EDIT],
] as const)('%s refuses where %j stands, and leaves it', (_, text, act, found) => {
  const { path, folder } = makePlace(text)
  const outcome = act(folder)
  expect(outcome).toMatchObject({ done: false, ours: false, forget: null })
  expect(foundBy(outcome)).toBe(found)
  expect(standing(folder)).toBe(text)
  expect(readdirSync(path)).toEqual(text === null ? [] : [NAME])
})

test.each([
  ['create', create, null, NEW],
  ['remove', remove, OLD, null],
  ['remove of nothing', remove, null, null],
] as const)('%s leaves what it should', (_, act, text, after) => {
  for (const how of [(folder: Folder) => folder, withoutLinks]) {
    const { folder } = makePlace(text)
    expect(act(how(folder))).toEqual({ done: true })
    expect(standing(folder)).toBe(after)
    expect(leftovers(folder)).toEqual([])
  }
})

test.each([
  ['a link', 'path_unsafe', ({ at, path }: Place) => symlinkSync(join(path, 'elsewhere'), at)],
  ['a folder', 'path_unsafe', ({ at }: Place) => mkdirSync(at)],
  ['too large', 'file_too_large', ({ at }: Place) => writeFileSync(at, Buffer.alloc(LIMIT + 1))],
])('%s is refused with its reason, and nothing is touched', (_, reason, make) => {
  const place = makePlace(null)
  make(place)
  for (const act of [replace, create, remove])
    expect(() => act(place.folder)).toThrow(expect.objectContaining({ reason }))
  expect(readdirSync(place.path)).toEqual([NAME])
})

/** Lets somebody save before each call in turn, and tells before which ones the edit was lost. */
function lostBefore(
  act: (folder: Folder) => WriteOutcome,
  editor: string,
  how = (folder: Folder) => folder,
): string[] {
  const calls = callsOf(act, OLD, how)
  const lost: string[] = []
  for (let moment = 0; moment < calls.length; moment += 1) {
    const place = makePlace()
    const save = EDITORS[editor]?.(place)
    const outcome = act(
      watched(how(place.folder), (_, index) => {
        if (act === replace) expect([OLD, NEW, EDIT]).toContain(standing(place.folder))
        if (index === moment) save?.()
      }),
    )
    const left = leftovers(place.folder)
    if (!outcome.done && outcome.forget) {
      expect(left.map(isKept)).toEqual([true])
      expect(outcome.forget()).toBe(null)
      expect(standing(place.folder)).toBe(outcome.ours ? NEW : EDIT)
    } else expect(left).toEqual([])
    expect(leftovers(place.folder)).toEqual([])
    if (foundBy(outcome) !== EDIT && standing(place.folder) !== EDIT) lost.push(`${moment} ${calls[moment]}`)
  }
  return lost
}

test('an edit before any call of a replace is kept', () => {
  const calls = callsOf(replace)
  expect(lostBefore(replace, 'in place')).toEqual([])
  expect(lostBefore(replace, 'by rename')).toEqual([])
  // Who holds the old file open and writes after the last read cannot be seen.
  expect(lostBefore(replace, 'into a file opened before')).toEqual([`${calls.length - 1} unlink`])
})

test.each(['in place', 'by rename'])('an edit %s that is seen in time keeps its name', (editor) => {
  const place = makePlace()
  const save = EDITORS[editor]?.(place)
  const outcome = replace(
    watched(place.folder, (call) => {
      if (call === 'link') save?.()
    }),
  )
  expect(outcome).toMatchObject({ done: false, ours: false, forget: null })
  expect(foundBy(outcome)).toBe(EDIT)
  expect(standing(place.folder)).toBe(EDIT)
  expect(readdirSync(place.path)).toEqual([NAME])
})

test('without hard links the last look is at the bytes', () => {
  const calls = callsOf(replace, OLD, withoutLinks)
  const last = `${calls.indexOf('rename')} rename`
  expect(lostBefore(replace, 'in place', withoutLinks)).toEqual([last])
  expect(lostBefore(replace, 'by rename', withoutLinks)).toEqual([last])
})

test('an edit at any moment of a removal is kept', () => {
  const calls = callsOf(remove)
  expect(lostBefore(remove, 'by rename')).toEqual([])
  expect(lostBefore(remove, 'by rename', withoutLinks)).toEqual([])
  expect(lostBefore(remove, 'in place')).toEqual([])
  expect(lostBefore(remove, 'into a file opened before')).toEqual([
    `${calls.length - 2} unlink`,
    `${calls.length - 1} sync`,
  ])
})

test('a file that loses its name while it is linked is no missing file', () => {
  const place = makePlace()
  const outcome = replace(
    watched(place.folder, (call) => {
      if (call !== 'link') return
      editByRename(place)
      throw systemError('ENOENT')
    }),
  )
  expect(foundBy(outcome)).toBe(EDIT)
  expect(readdirSync(place.path)).toEqual([NAME])
})

test('a creation never replaces what came meanwhile', () => {
  for (let moment = 0; moment < callsOf(create, null).length; moment += 1) {
    const place = makePlace(null)
    const outcome = create(
      watched(place.folder, (_, index) => {
        if (index === moment) editByRename(place)
      }),
    )
    expect(standing(place.folder)).toBe(EDIT)
    expect(leftovers(place.folder)).toEqual([])
    if (!outcome.done) expect(foundBy(outcome)).toBe(EDIT)
  }
})

test.each([true, false])('an edit whose name is taken again is kept beside it (links: %s)', (hasLinks) => {
  const place = makePlace()
  const outcome = remove(
    watched(hasLinks ? place.folder : withoutLinks(place.folder), (call) => {
      if (call === 'rename') editByRename(place)
      if (call === 'link') writeFileSync(place.at, 'a third text')
    }),
  )
  expect(outcome).toMatchObject({ done: false, ours: false })
  expect(foundBy(outcome)).toBe(EDIT)
  expect(standing(place.folder)).toBe('a third text')
  const [kept = ''] = leftovers(place.folder)
  expect(isKept(kept)).toBe(true)
  expect(readFileSync(join(place.path, kept), 'utf8')).toBe(EDIT)
})

test('what is found only after the rename to be no file of ours gets its name back', () => {
  for (const how of [(folder: Folder) => folder, withoutLinks]) {
    const place = makePlace()
    const act = () =>
      remove(
        watched(how(place.folder), (call) => {
          if (call === 'rename' && standing(place.folder) === OLD)
            writeFileSync(place.at, Buffer.alloc(LIMIT + 1))
        }),
      )
    expect(act).toThrow(expect.objectContaining({ reason: 'file_too_large' }))
    expect(statSync(place.at).size).toBe(LIMIT + 1)
    expect(readdirSync(place.path)).toEqual([NAME])
  }
})

test('a kept file that is still being written is not forgotten', () => {
  const place = makePlace()
  const fd = openSync(place.at, 'r+')
  const outcome = replace(
    watched(place.folder, (call) => {
      if (call === 'sync') ftruncateSync(fd)
    }),
  )
  if (outcome.done || outcome.forget === null) throw new Error('the cut was not seen')
  expect(textOf(outcome.found)).toBe('')
  writeSync(fd, EDIT, 0)
  closeSync(fd)
  expect(textOf(outcome.forget())).toBe(EDIT)
  expect(leftovers(place.folder)).toHaveLength(1)
  expect(outcome.forget()).toBe(null)
  expect(leftovers(place.folder)).toEqual([])
})

test('an edit past the limit stays beside our text, and the reason names it', () => {
  const place = makePlace()
  const fd = openSync(place.at, 'r+')
  const act = () =>
    replace(
      watched(place.folder, (call) => {
        if (call !== 'sync') return
        ftruncateSync(fd, LIMIT + 1)
        closeSync(fd)
      }),
    )
  expect(act).toThrow(expect.objectContaining({ reason: 'file_too_large' }))
  const [kept = ''] = leftovers(place.folder)
  expect(isKept(kept)).toBe(true)
  expect(statSync(join(place.path, kept)).size).toBe(LIMIT + 1)
  expect(standing(place.folder)).toBe(NEW)
})

test('a kept file of the same token is never overwritten', () => {
  const { path, folder } = makePlace()
  const kept = join(path, `.${NAME}.0123456789ab.old.savepoint-tmp`)
  writeFileSync(kept, EDIT)
  const reason = 'checkpoint_atomic_write_failed'
  for (const act of [replace, remove]) expect(() => act(folder)).toThrow(expect.objectContaining({ reason }))
  expect(readFileSync(kept, 'utf8')).toBe(EDIT)
  expect(readdirSync(path)).toHaveLength(2)
  expect(standing(folder)).toBe(OLD)
})

test.each([
  ['replace', replace, OLD, (folder: Folder) => folder],
  ['replace without links', replace, OLD, withoutLinks],
  ['create', create, null, (folder: Folder) => folder],
  ['remove', remove, OLD, (folder: Folder) => folder],
] as const)('a failure of any call of %s is told, and leaves the old or the new', (_, act, text, how) => {
  const calls = callsOf(act, text, how)
  const after = act === remove ? null : NEW
  let told = 0
  for (let moment = 0; moment < calls.length; moment += 1) {
    const { folder } = makePlace(text)
    const failing = watched(how(folder), (_call, index) => {
      if (index === moment) throw systemError('EIO')
    })
    try {
      expect(act(failing)).toEqual({ done: true })
    } catch (error) {
      expect(error).toMatchObject({ reason: 'checkpoint_atomic_write_failed' })
      told += 1
    }
    const now = standing(folder)
    expect([text, after]).toContain(now)
    // What lies about is the old file, whole, and only where the new one has the name or the old one is leaving.
    for (const name of leftovers(folder)) {
      const isOld = isKept(name) && textOf(folder.read(name, LIMIT)) === OLD
      expect(isOld || calls[moment] === 'unlink').toBe(true)
      expect(now).toBe(after)
    }
  }
  // Only a temp or kept file that does not go away is no failure.
  expect(told).toBeGreaterThanOrEqual(calls.length - 1)
})

test('a power cut at any call of a replace leaves the old or the new file whole, never neither', () => {
  const disk = new ModelDisk()
  writeDurably(disk.root(), NAME, Buffer.from(OLD), { token: 't0' })
  disk.ack(OLD)
  expect(replace(disk.root())).toEqual({ done: true })
  disk.ack(NEW)
  const seen = new Set<string | null>()
  for (const profile of ['weak', 'ordered'] as const)
    for (const { acks, disk: after } of cutStates(disk.trace, profile)) {
      if (acks.length === 0) continue
      const text = standing(after.root())
      expect(acks.includes(NEW) ? [NEW] : [OLD, NEW]).toContain(text)
      seen.add(text)
      for (const name of leftovers(after.root()))
        if (isKept(name)) expect(textOf(after.root().read(name, LIMIT))).toBe(OLD)
    }
  expect(seen).toEqual(new Set([OLD, NEW]))
})

test('a power cut at any call of a removal leaves the file or nothing, and nothing once it is confirmed', () => {
  const disk = new ModelDisk()
  writeDurably(disk.root(), NAME, Buffer.from(OLD), { token: 't0' })
  disk.ack('written')
  expect(remove(disk.root())).toEqual({ done: true })
  disk.ack('removed')
  const seen = new Set<string>()
  for (const { acks, disk: after } of cutStates(disk.trace, 'weak'))
    if (acks.length > 0) seen.add(`${acks.at(-1)}: ${standing(after.root())}`)
  expect(seen).toEqual(new Set([`written: ${OLD}`, 'written: null', 'removed: null']))
})

test('a power cut at any call of a removal that meets an edit leaves the edit', () => {
  const disk = new ModelDisk()
  const root = disk.root()
  writeDurably(root, NAME, Buffer.from(OLD), { token: 't0' })
  const outcome = remove(
    watched(root, (call) => {
      if (call !== 'rename') return
      writeDurably(root, NAME, Buffer.from(EDIT), { token: 't2' })
      disk.ack('edited')
    }),
  )
  expect(foundBy(outcome)).toBe(EDIT)
  disk.ack('refused')
  let states = 0
  for (const { acks, disk: after } of cutStates(disk.trace, 'weak')) {
    if (acks.length === 0) continue
    const folder = after.root()
    const names = acks.includes('refused') ? [NAME] : [NAME, ...leftovers(folder)]
    expect(names.map((name) => textOf(folder.read(name, LIMIT)))).toContain(EDIT)
    states += 1
  }
  expect(states).toBeGreaterThan(4)
})

async function startEditor(): Promise<ChildProcess> {
  const path = mkdtempSync(join(tmpdir(), 'savepoint-editor-'))
  const source = readFileSync(join(projectRoot, 'test/workspace/editor.ts'), 'utf8')
  const script = join(path, 'editor.cjs')
  writeFileSync(script, transformSync(source, { loader: 'ts', format: 'cjs' }).code)
  const editor = fork(script, { serialization: 'advanced', execArgv: [] })
  onTestFinished(() => {
    editor.kill()
    rmSync(path, { recursive: true, force: true })
  })
  await once(editor, 'message')
  return editor
}

interface Span {
  from: bigint
  to: bigint
}

const overlap = (one: Span, other: Span) => one.from <= other.to && other.from <= one.to
const END = '\nend\n'

/** Replaces a file again and again, as a careful caller would, and remembers every text that it was given. */
class Writer {
  readonly seen = new Set<string>()
  /** The calls that found what they expected and went on to write. */
  readonly calls: Span[] = []
  /** From before the last look until after the rename: who saves in there may be lost. */
  readonly windows: Span[] = []
  private isWriting = false
  private base: string
  private count = 0
  private readonly folder: Folder
  private pending: (() => Buffer | null)[] = []

  constructor(place: Place, base: string) {
    this.base = base
    this.folder = this.timed(place.folder)
  }

  private timed(folder: Folder): Folder {
    return Object.assign(Object.create(folder), {
      create: (name: string, mode: number) => {
        this.isWriting = true
        return folder.create(name, mode)
      },
      renameOver: (...names: Parameters<Folder['renameOver']>) => {
        const from = process.hrtime.bigint()
        const isDone = folder.renameOver(...names)
        if (names[1] === NAME) this.windows.push({ from, to: process.hrtime.bigint() })
        return isDone
      },
    })
  }

  attempt(): void {
    this.count += 1
    const text = `ours ${this.count}${END}`
    this.isWriting = false
    const from = process.hrtime.bigint()
    const outcome = replaceGuarded(this.folder, NAME, Buffer.from(text), guard(this.base, `t${this.count}`))
    if (this.isWriting) this.calls.push({ from, to: process.hrtime.bigint() })
    if (outcome.done || outcome.ours) this.base = text
    if (outcome.done) return
    if (outcome.found === null) throw new Error('the name was missing')
    if (outcome.forget) this.pending.push(outcome.forget)
    this.note(outcome.found)
    // Half a save is no text to build on: the next attempt is refused too, and looks again.
    if (!outcome.ours && `${outcome.found}`.endsWith(END)) this.base = `${outcome.found}`
  }

  private note(bytes: Buffer): void {
    this.seen.add(`${bytes}`)
  }

  /** After the editor has said that it is done. */
  finish(): void {
    for (const forget of this.pending)
      for (let more = forget(); more !== null; more = forget()) this.note(more)
    this.pending = []
    const last = this.folder.read(NAME, LIMIT)
    if (last !== null) this.note(last)
  }
}

const RACES = 120
const MOST_ROUNDS = 2_000

async function race(way: Way): Promise<{ lost: Saved[]; races: number; writer: Writer }> {
  const editor = await startEditor()
  const start = `start${END}`
  const place = makePlace(start)
  const writer = new Writer(place, start)
  const lost: Saved[] = []
  let races = 0
  for (let round = 0; round < MOST_ROUNDS && races < RACES; round += 1) {
    const text = `edit ${round} ${'x'.repeat(20_000)}${END}`
    let saved: Saved | null = null
    editor.once('message', (message) => {
      // `as`: the editor sends nothing else after its first word.
      saved = message as Saved
    })
    const spinNs = Math.floor(Math.random() * 3_000_000)
    editor.send({ path: place.at, text, way, spinNs } satisfies Save)
    const before = writer.calls.length
    while (saved === null) {
      writer.attempt()
      await turn()
    }
    writer.finish()
    const span: Saved = saved
    if (writer.calls.slice(before).some((call) => overlap(call, span))) races += 1
    if (!writer.seen.has(text)) lost.push(span)
  }
  expect(leftovers(place.folder)).toEqual([])
  return { lost, races, writer }
}

test.for(['in place', 'by rename'] as const)(
  'an editor that saves %s while we replace loses nothing outside the last instant',
  { timeout: 120_000 },
  async (way, { annotate }) => {
    const { lost, races, writer } = await race(way)
    expect(races).toBe(RACES)
    // No call closes the instant between the last look and the rename; outside it nothing may be lost.
    const isInWindow = (span: Span) => writer.windows.some((window) => overlap(window, span))
    expect(lost.filter((span) => way === 'in place' || !isInWindow(span))).toEqual([])
    const micros = writer.windows.map(({ from, to }) => Number(to - from) / 1_000).sort((a, b) => a - b)
    const median = micros[Math.floor(micros.length / 2)]
    await annotate(
      `${races} races, ${lost.length} saves in the last instant, which takes ${median} µs (median)`,
    )
  },
)
