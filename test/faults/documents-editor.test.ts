import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { sha256 } from '../../src/core/canonical.ts'
import type { Folder } from '../../src/fs/disk.ts'
import { type Sandbox, sandbox } from '../support/sandbox.ts'
import { Editor } from '../support/start-editor.ts'
import { disagreements, filesOf, inStore, notesOf } from '../support/stored-documents.ts'
import type { Saved, Way } from '../workspace/editor.ts'
import { command, lastJson } from './sweep.ts'

const RACES = 50
const MOST_ROUNDS = 1_000
const DOCUMENT = 'checkpoints/active/auth.md'
const GUIDE = '<!-- What exists now. -->'

/** What befalls the disk: `windows` are the spans from before the last look until after a rename. */
const stage = vi.hoisted(() => ({
  windows: [] as Array<{ from: bigint; to: bigint }>,
  /** Called right before a file of ours takes a name. */
  before: null as ((name: string) => void) | null,
}))

vi.mock('../../src/fs/disk.ts', async (original) => {
  const real = await original<{ openFolder(path: string): Folder }>()
  const timed = (folder: Folder): Folder =>
    Object.assign(Object.create(folder), {
      reopen: () => timed(folder.reopen()),
      folder(name: string) {
        const found = folder.folder(name)
        return found && timed(found)
      },
      renameOver(...names: Parameters<Folder['renameOver']>) {
        if (names[0] === names[1]) return folder.renameOver(...names)
        stage.before?.(names[1])
        const from = process.hrtime.bigint()
        const isDone = folder.renameOver(...names)
        if (isDone) stage.windows.push({ from, to: process.hrtime.bigint() })
        return isDone
      },
    })
  return { ...real, openFolder: (path: string) => timed(real.openFolder(path)) }
})

const overlap = (one: Saved, other: Saved) => one.from <= other.to && other.from <= one.to

/** What the editor saves: the text that it read before, with its own line. */
const editedText = (text: string, line: string) => text.replace(GUIDE, `${GUIDE}\n\n${line}`)

/** How one delta and one save that came while it ran ended. */
interface Race {
  /** What is in the file afterwards. */
  hasEdit: boolean
  hasDelta: boolean
  /** The editor's bytes are in the file or in the store. */
  isKept: boolean
  /** The delta's own text is in the store. */
  isInHistory: boolean
  isTold: boolean
  saved: Saved
  /** The end of the last rename of ours; 0 where there was none. */
  replacedAt: bigint
  inWindow: boolean
}

async function race(box: Sandbox, editor: Editor, way: Way, number: number): Promise<Race | null> {
  const path = box.path(DOCUMENT)
  const line = `edit ${number} of the editor`
  const text = editedText(readFileSync(path, 'utf8'), line)
  stage.windows = []
  const spinNs = Math.floor(Math.random() * lifeNs)
  const from = process.hrtime.bigint()
  const saving = editor.save({ path, text, way, spinNs })
  const what = `step ${number}.`
  const delta = await command(box, ['delta', 'auth', '--what', what, '--artifact', 'a.ts:modified:x'])
  const to = process.hrtime.bigint()
  const saved = await saving
  lifeNs = Math.max(2_000_000, Number(to - from))
  const windows = stage.windows
  const list = await command(box, ['list'])
  // An editor that the system stops between its cut and its write is not waited for without end: the delta says no.
  if (way === 'in place' && lastJson(delta.text)?.reason === 'document_broken') {
    expect(readFileSync(path, 'utf8')).toBe(text)
    return null
  }
  expect({ delta, list }).toMatchObject({ delta: { code: 0 }, list: { code: 0 } })
  if (!overlap({ from, to }, saved)) return null
  const now = readFileSync(path, 'utf8')
  const notices = [delta, list].flatMap((done) => lastJson(done.text)?.notices ?? [])
  return inStore(box, async ({ store, identity }) => {
    const stream = await store.log.findStream(identity.repository, 'auth', 'work')
    const stored = await store.log.readCheckpoint(String(lastJson(delta.text)?.checkpoint))
    const hash = stored?.state === 'whole' ? stored.checkpoint.document?.hash : undefined
    return {
      hasEdit: now.includes(`\n${line}\n`),
      hasDelta: now.includes(`\n${what}\n`),
      isKept: now === text || (await store.log.readText(sha256(text))) === text,
      isInHistory:
        stream !== null && ((await store.log.readText(hash ?? ''))?.includes(`\n${what}\n`) ?? false),
      isTold: notices.some((notice) => String(notice).includes('auth.md')),
      saved,
      replacedAt: windows.at(-1)?.to ?? 0n,
      inWindow: windows.some((window) => overlap(window, saved)),
    }
  })
}

/** How long a delta takes: the editor saves somewhere in it. */
let lifeNs = 30_000_000

test.for(['in place', 'by rename'] as const)(
  'an editor that saves %s while a delta runs never loses its text, nor the delta',
  { timeout: 120_000 },
  async (way, { annotate }) => {
    const box = sandbox({ git: false })
    const editor = await Editor.start()
    expect((await command(box, ['new', 'auth'])).code).toBe(0)
    const races: Race[] = []
    for (let round = 0; round < MOST_ROUNDS && races.length < RACES; round += 1) {
      const found = await race(box, editor, way, round)
      if (found) races.push(found)
    }
    expect(races).toHaveLength(RACES)
    expect(races.filter(({ isInHistory }) => !isInHistory)).toEqual([])
    const inLastInstant = (one: Race) => way === 'by rename' && one.inWindow
    const unkept = races.filter(({ isKept }) => !isKept)
    expect(unkept.filter((one) => !inLastInstant(one))).toEqual([])
    // Who saved before our last rename is merged with; who saved after it wrote over the file on their own.
    const before = races.filter((one) => one.saved.to < one.replacedAt && !inLastInstant(one))
    const isWell = ({ hasEdit, hasDelta, isTold }: Race) => hasEdit && (hasDelta || isTold)
    expect(before.filter((one) => !isWell(one))).toEqual([])
    const after = races.filter((one) => one.saved.from > one.replacedAt)
    expect(after.filter(({ hasEdit }) => !hasEdit)).toEqual([])
    const untold = ({ hasEdit, isTold }: Race) => !hasEdit && !isTold
    expect(races.filter((one) => untold(one) && !inLastInstant(one))).toEqual([])
    expect(filesOf(box).temps).toEqual([])
    expect(await disagreements(box)).toEqual([])
    expect((await command(box, ['doctor'])).code).toBe(0)
    const met = (await notesOf(box, 'auth')).filter(
      (note) => note === 'edited while Savepoint was writing',
    ).length
    await annotate(
      `${races.length} races: ${before.length} before our last rename (${met} met while it wrote), ${after.length} saved after the delta was written, ${unkept.length} lost in the last instant`,
    )
  },
)

/** An editor that has cut the file right before ours takes its name, and writes a moment later. */
function cutThenWrite(
  box: Sandbox,
  path: string,
  edit: (text: string) => string | Buffer,
  { until = setTimeout(5) }: { until?: Promise<unknown> } = {},
): Promise<void> {
  const target = box.path(path)
  return new Promise((resolve) => {
    stage.before = (name) => {
      if (!target.endsWith(`/${name}`)) return
      stage.before = null
      const text = edit(readFileSync(target, 'utf8'))
      const fd = openSync(target, 'w')
      until.then(() => {
        const bytes = Buffer.from(text)
        writeSync(fd, bytes, 0, bytes.length)
        closeSync(fd)
        resolve()
      })
    }
  })
}

async function begun(): Promise<Sandbox> {
  const box = sandbox({ git: false })
  expect((await command(box, ['new', 'auth'])).code).toBe(0)
  return box
}

const DELTA = ['delta', 'auth', '--what', 'a step.', '--artifact', 'a.ts:modified:x']

test('an edit that is cut before and written after our rename is merged all the same', async () => {
  const box = await begun()
  const written = cutThenWrite(box, DOCUMENT, (text) => editedText(text, 'late words'))
  expect((await command(box, DELTA)).code).toBe(0)
  await written
  expect(box.read(DOCUMENT)).toMatch(/\nlate words\n[\s\S]*\na step\.\n/)
  expect(filesOf(box).temps).toEqual([])
  expect(await disagreements(box)).toEqual([])
})

test('an edit in the last instant that is no document any more is kept in the store, and told', async () => {
  const box = await begun()
  const written = cutThenWrite(box, DOCUMENT, () => 'no front matter\n')
  const { code, text } = await command(box, DELTA)
  await written
  expect({ code, notices: lastJson(text)?.notices }).toMatchObject({
    code: 0,
    notices: [expect.stringContaining(`${DOCUMENT} was changed at the same time`), expect.any(String)],
  })
  expect(await inStore(box, ({ store }) => store.log.readText(sha256('no front matter\n')))).toBe(
    'no front matter\n',
  )
  expect((await command(box, ['list'])).code).toBe(0)
  expect(box.read(DOCUMENT)).toContain('\na step.\n')
  expect(filesOf(box).temps).toEqual([])
  expect(await disagreements(box)).toEqual([])
})

test('an edit that is written only after the delta has ended is kept in the store, and told by the next verb', async () => {
  const box = await begun()
  const ended = command(box, DELTA)
  let late = ''
  const written = cutThenWrite(
    box,
    DOCUMENT,
    (text) => {
      late = editedText(text, 'very late words')
      return late
    },
    { until: ended },
  )
  expect((await ended).code).toBe(0)
  await written
  const { text } = await command(box, ['list'])
  expect(String(lastJson(text)?.notices)).toContain(`${DOCUMENT} was edited`)
  expect(await inStore(box, ({ store }) => store.log.readText(sha256(late)))).toBe(late)
  expect(box.read(DOCUMENT)).toContain('\na step.\n')
  expect(filesOf(box).temps).toEqual([])
})

test('bytes in the last instant that are no text stay beside the document, and are named', async () => {
  const box = await begun()
  const bytes = Buffer.from([0xff, 0xfe, 0x00, 0xc3])
  const written = cutThenWrite(box, DOCUMENT, () => bytes)
  expect((await command(box, DELTA)).code).toBe(0)
  await written
  const { text } = await command(box, ['list'])
  const [temp = ''] = filesOf(box).temps
  expect(readFileSync(box.path('checkpoints', temp))).toEqual(bytes)
  expect(String(lastJson(text)?.notices)).toContain(`checkpoints/${temp} was left`)
})

test('a document that an editor has just cut is looked at again before a verb refuses', async () => {
  const box = await begun()
  const text = editedText(box.read(DOCUMENT), 'slow words')
  const fd = openSync(box.path(DOCUMENT), 'w')
  // However slow the machine is, the cut has just been made.
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now())
  onTestFinished(() => clock.mockRestore())
  setTimeout(20).then(() => {
    writeSync(fd, text)
    closeSync(fd)
  })
  expect((await command(box, DELTA)).code).toBe(0)
  expect(box.read(DOCUMENT)).toMatch(/\nslow words\n[\s\S]*\na step\.\n/)
})

test('an edit of LEARNINGS.md in the last instant and the learnings of an archive are both there [000.76]', async () => {
  const box = await begun()
  expect((await command(box, ['new', 'old'])).code).toBe(0)
  expect((await command(box, ['archive', 'old', '--outcome', 'x', '--learning', 'first'])).code).toBe(0)
  const path = 'checkpoints/LEARNINGS.md'
  const written = cutThenWrite(box, path, (text) => `${text}\nby hand\n`)
  expect((await command(box, ['archive', 'auth', '--outcome', 'x', '--learning', 'second'])).code).toBe(0)
  await written
  const text = box.read(path)
  for (const line of ['- first', '- second', 'by hand']) expect(text.split(`${line}\n`)).toHaveLength(2)
  expect(filesOf(box).temps).toEqual([])
  expect(await disagreements(box)).toEqual([])
})
