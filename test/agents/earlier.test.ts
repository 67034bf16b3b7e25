import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findTranscripts, mayHold, projectName, readEnds } from '../../src/agents/claude/earlier.ts'
import {
  assistant,
  attachment,
  type Json,
  linesOf,
  text,
  time,
  transcriptOf,
  user,
} from './transcript-rows.ts'

const idOf = (letters: string) => `${letters.padEnd(8, '0')}-aaaa-4bbb-8ccc-000000000000`
const ROOT = '/home/dev/proj'
const none = () => false

/** The client's own folder, with files by their paths below `projects`; each is a minute older than the one before. */
function clientFolder(files: Record<string, string>): string {
  const config = mkdtempSync(join(tmpdir(), 'savepoint-earlier-'))
  onTestFinished(() => rmSync(config, { recursive: true, force: true }))
  for (const [at, [name, content]] of Object.entries(files).entries()) {
    const path = join(config, 'projects', name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    utimesSync(path, 1_700_000_000 - at * 60, 1_700_000_000 - at * 60)
  }
  return config
}

const idsIn = (config: string, root = ROOT, isKnown: (id: string) => boolean = none) =>
  findTranscripts(config, root, isKnown).map(({ id }) => id.replace(/0*-.*/, ''))

describe('where transcripts are', () => {
  test.each([
    ['/home/dev/my_proj.v2', '-home-dev-my-proj-v2'],
    ['C:\\Users\\Ann\\proj', 'C--Users-Ann-proj'],
    ['/home/dev/été', '-home-dev--t-'],
  ])('the folder of %s is %s', (path, name) => {
    expect(projectName(path)).toBe(name)
  })

  test('the newest first, of the root and of the folders below it', () => {
    const config = clientFolder({
      [`-home-dev-proj-packages-web/${idOf('a')}.jsonl`]: '',
      [`-home-dev-proj/${idOf('b')}.jsonl`]: '',
      [`-home-dev-project/${idOf('c')}.jsonl`]: '',
      [`-home-dev/${idOf('d')}.jsonl`]: '',
      [`-home-dev-proj/${idOf('e')}.jsonl`]: '',
    })
    expect(idsIn(config)).toEqual(['a', 'b', 'e'])
    expect(findTranscripts(config, ROOT, none)[1]).toEqual({
      id: idOf('b'),
      path: join(config, 'projects/-home-dev-proj', `${idOf('b')}.jsonl`),
      mtimeMs: (1_700_000_000 - 60) * 1_000,
      isRoots: true,
    })
    expect(findTranscripts(config, ROOT, none)[0]?.isRoots).toBe(false)
  })

  test('what is known is not looked at, and one session is named once', () => {
    const config = clientFolder({
      [`-home-dev-proj/${idOf('a')}.jsonl`]: '',
      [`-home-dev-proj-web/${idOf('b')}.jsonl`]: '',
      [`-home-dev-proj/${idOf('b')}.jsonl`]: '',
    })
    expect(idsIn(config, ROOT, (id) => id === idOf('a'))).toEqual(['b'])
    expect(findTranscripts(config, ROOT, none)[1]?.path).toContain('-home-dev-proj-web')
  })

  test('files of helpers, links, folders and other names are passed over', () => {
    const folder = '-home-dev-proj'
    const config = clientFolder({
      [`${folder}/agent-1a2b3c4d.jsonl`]: '',
      [`${folder}/${idOf('a')}/subagents/agent-1.jsonl`]: '',
      [`${folder}/${idOf('b')}.jsonl.bak`]: '',
      [`${folder}/notes.jsonl`]: '',
      [`${folder}/${idOf('c')}.jsonl`]: '',
    })
    const at = (name: string) => join(config, 'projects', folder, name)
    symlinkSync(at(`${idOf('c')}.jsonl`), at(`${idOf('d')}.jsonl`))
    mkdirSync(at(`${idOf('e')}.jsonl`))
    symlinkSync(join(config, 'projects', folder), join(config, 'projects', `${folder}-linked`))
    expect(idsIn(config)).toEqual(['c'])
  })

  test('a long path is found by the beginning of its name', () => {
    const root = `/home/dev/${'long-name/'.repeat(24)}end`
    const name = projectName(root)
    expect(name.length).toBeGreaterThan(200)
    expect(mayHold(`${name.slice(0, 200)}-1x2y3z`, root)).toBe(true)
    expect(mayHold(`${name.slice(0, 199)}x-1x2y3z`, root)).toBe(false)
    expect(mayHold('-home-dev', root)).toBe(false)
  })

  test('where there is no folder there is nothing', () => {
    expect(idsIn('/nowhere/at/all')).toEqual([])
    const file = clientFolder({ x: '' })
    expect(idsIn(join(file, 'projects/x'))).toEqual([])
  })
})

/** Rows with a folder of their own, which the usual ones have not. */
const row = (made: Json, more: Json = {}): Json => ({ ...made, cwd: ROOT, gitBranch: 'main', ...more })
const endsOf = (...rows: Array<Json | string>) => readEnds(transcriptOf(linesOf(rows)))

describe('whose a transcript is', () => {
  test('the first line that names a folder says where, the last one on which branch and until when', () => {
    const found = endsOf(
      { type: 'summary', summary: 'Of long ago', leafUuid: 'x' },
      { type: 'file-history-snapshot', messageId: 'm', snapshot: {} },
      row(attachment(1, { type: 'hook_success' }), { cwd: '/home/dev/proj/web' }),
      row(user(2, 'Please move the login')),
      row(assistant(3, { content: [text('Done')] }), { cwd: '/elsewhere', gitBranch: 'login' }),
      { type: 'last-prompt', lastPrompt: 'Please', sessionId: 'x' },
    )
    expect(found).toMatchObject({
      kind: 'conversation',
      cwd: '/home/dev/proj/web',
      branch: 'login',
      startedMs: Date.parse(time(1)),
      lastMs: Date.parse(time(3)),
    })
  })

  test('its bytes are counted with those of its helpers', () => {
    const main = linesOf([row(user(1, 'Please move the login'))])
    const path = transcriptOf(main, { 'agent-1.jsonl': 'x'.repeat(1_000) })
    expect(readEnds(path)).toMatchObject({ bytes: main.length + 1_000 })
  })

  test('lines may end as on Windows, and one may be half written', () => {
    const rows = [row(user(1, 'Please')), row(user(2, 'Go on'), { gitBranch: 'HEAD' })]
    const path = transcriptOf(`${linesOf(rows).replaceAll('\n', '\r\n')}{"type":"user","cwd":"/`)
    expect(readEnds(path)).toMatchObject({ cwd: ROOT, branch: null, lastMs: Date.parse(time(2)) })
  })

  test.each([
    ['100 KB', 100_000],
    ['3 MB', 3_000_000],
  ])('a first line of %s hides nothing', (_size, length) => {
    const found = endsOf(
      row(user(1, 'x'.repeat(length))),
      row(assistant(2, { content: [text('Done')] }), { gitBranch: 'b' }),
    )
    expect(found).toMatchObject({ kind: 'conversation', cwd: ROOT, branch: 'b', lastMs: Date.parse(time(2)) })
  })

  test('a last line of 100 KB hides nothing', () => {
    const found = endsOf(row(user(1, 'Please')), row(user(2, 'x'.repeat(100_000)), { gitBranch: 'b' }))
    expect(found).toMatchObject({ branch: 'b', lastMs: Date.parse(time(2)) })
  })

  test.each<[string, Array<Json | string>]>([
    ['an empty file', []],
    ['lines that are no JSON', ['"cwd" {', 'null', '[]', '"cwd"', '7']],
    ['nothing but titles', [{ type: 'summary', summary: 'x' }]],
    ['nothing but what hooks said', [row(attachment(1, { type: 'hook_success' }))]],
    ['a helper', [row(user(1, 'Look for it'), { isSidechain: true, agentId: 'x' })]],
    ['no time', [row(user(1, 'Please'), { timestamp: 'yesterday' })]],
    ['a folder that is no text', [row(user(1, 'Please'), { cwd: 7 })]],
  ])('%s is no conversation', (_name, rows) => {
    expect(endsOf(...rows)).toEqual({ kind: 'nothing' })
  })

  test('what cannot be read is told, and nothing is thrown', () => {
    const path = transcriptOf(linesOf([row(user(1, 'Please'))]))
    const folder = dirname(path)
    expect(readEnds(join(folder, 'gone.jsonl'))).toMatchObject({ kind: 'unreadable' })
    symlinkSync(path, join(folder, 'link.jsonl'))
    expect(readEnds(join(folder, 'link.jsonl'))).toMatchObject({ kind: 'unreadable' })
    expect(readEnds(folder)).toEqual({ kind: 'nothing' })
    if (process.getuid?.() === 0) return
    chmodSync(path, 0)
    expect(readEnds(path)).toMatchObject({ kind: 'unreadable' })
  })
})
