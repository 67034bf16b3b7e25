import { mkdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../src/core/canonical.ts'
import type { Sandbox } from '../support/sandbox.ts'
import { elsewhere, history, listed, refusal, rows } from './document-lab.ts'
import { heard, idOf } from './session-lab.ts'
import { exported, firstMachine, linesOf, otherMachine, sealedLines, writeLines } from './transfer-lab.ts'

// biome-ignore lint/suspicious/noExplicitAny: a record that is forged may have any shape
type Forged = any

/** The export of a box with its records changed, and checksums that fit. */
function forge(box: Sandbox, change: (records: Forged[]) => Forged[], ...more: string[]): string {
  const lines = linesOf(exported(box, 'true.gz', ...more))
  const records = change(lines.slice(1, -1).map((line) => JSON.parse(line).record))
  const changed = records.map((record) => JSON.stringify({ record }))
  return writeLines(box, sealedLines([lines[0] ?? '', ...changed, lines.at(-1) ?? '']))
}

const ofKind = (records: Forged[], kind: string) => records.filter((one) => one.kind === kind)

/** Two repositories of one store: the one that an export is of, and one that it must not reach. */
function twoRepositories(): { box: Sandbox; hidden: Sandbox; id: string } {
  const box = firstMachine()
  box.json(['save', 'Of the shop', '--stream', 'main'])
  const hidden = elsewhere(box, 'private')
  mkdirSync(hidden.repo)
  hidden.git('init', '--quiet')
  hidden.json(['save', 'Of the private one', '--stream', 'main'])
  const id = String(
    rows(box, `SELECT repository FROM workspaces WHERE path = '${hidden.repo}'`)[0]?.repository,
  )
  return { box, hidden, id }
}

/** A further checkpoint behind the last of a stream. */
function further(last: Forged, changed: object = {}): Forged {
  const id = 'cp_20260101T000000000Z_9-abcdef12'
  const { checkpoint, ...rest } = structuredClone(last)
  return {
    ...{ ...rest, sequence: rest.sequence + 1 },
    checkpoint: { ...checkpoint, id, parent: checkpoint.id, ...changed },
  }
}

describe('a forged export', () => {
  test('reaches no repository that it does not declare', () => {
    const { box, hidden, id } = twoRepositories()
    const file = forge(
      box,
      (records) => {
        const theirs = records.findIndex((one) => one.kind === 'stream' && one.repository === id)
        const last = records[theirs + 1]
        return [
          ...records.filter((one) => one.kind === 'repository' && one.id !== id),
          ...[records[theirs], last, further(last, { work: { ...last.checkpoint.work, now: 'FORGED' } })],
        ]
      },
      '--all',
    )
    expect(refusal(box, 'import', file)).toMatchObject({
      reason: 'export_invalid',
      message: expect.stringContaining('its repository is not in the file'),
    })
    expect(box.json(['import', file, '--skip-damaged']).taken).toMatchObject({
      ...{ checkpoints: { new: 0, known: 0 }, problems: { count: 3 } },
    })
    expect(history(hidden, 'main')).toHaveLength(1)
  })

  test('names what it writes to as it is called here', () => {
    const { box, hidden, id } = twoRepositories()
    const file = forge(
      box,
      (records) => {
        const at = records.findLastIndex((one) => one.kind === 'checkpoint')
        for (const one of ofKind(records, 'repository')) one.name = 'repo'
        const theirs = records.find((one) => one.kind === 'stream' && one.repository === id)
        expect(records[at].checkpoint.stream).toBe(theirs.id)
        return records.toSpliced(at + 1, 0, further(records[at]))
      },
      '--all',
    )
    for (const words of [['--dry-run'], []])
      expect(box.run(['import', file, ...words]).stdout).toMatch(/ of private\.\n/)
    expect(history(hidden, 'main')).toHaveLength(2)
  })

  test('under its own repository changes no stream, version, note or session of another', () => {
    const { box, hidden, id } = twoRepositories()
    const session = idOf('cd34')
    heard(hidden, session, 'SessionStart', { source: 'startup' })
    hidden.json(['sessions'])
    const dump = () => ({
      streams: rows(box, `SELECT * FROM streams WHERE repository = '${id}'`),
      versions: rows(box, 'SELECT * FROM versions'),
      pins: rows(box, 'SELECT * FROM pins'),
      sessions: rows(box, `SELECT * FROM sessions WHERE repository = '${id}'`),
    })
    const was = dump()
    expect(was.sessions).toHaveLength(1)
    const file = forge(
      box,
      (records) => {
        const own = records.find((one) => one.kind === 'repository' && one.id !== id)
        const at = records.findIndex((one) => one.kind === 'stream' && one.repository === id)
        const [stream, last] = [records[at], records[at + 1]]
        const [heardOf] = ofKind(records, 'session').filter((one) => one.session.id === session)
        const version = { checkpoint: last.checkpoint.id, current: true, problem: null }
        return [
          ...[own, { ...stream, repository: own.id }, { ...last, pinned: true }, further(last)],
          { kind: 'version', stream: stream.id, hash: sha256('forged'), text: 'forged', ...version },
          {
            ...heardOf,
            session: { ...heardOf.session, repository: own.id, lastActivityAt: '2099-01-01T00:00:00.000Z' },
          },
        ]
      },
      '--all',
    )
    const { taken } = box.json(['import', file])
    expect(taken).toMatchObject({
      ...{ checkpoints: { new: 1, known: 1 }, sessions: { known: 1 }, unplaced: 1 },
      repositories: [{ name: 'repo', changed: true }],
    })
    expect(dump()).toEqual(was)
    expect(listed(box, '--all').map(({ id: name }) => name)).toContain('main-2')
  })

  test('that takes work back says so, and how to have it again', () => {
    const box = firstMachine()
    box.json(['save', 'Of the shop', '--stream', 'main'])
    const file = forge(box, (records) => {
      const [last] = ofKind(records, 'checkpoint')
      return [...records.filter((one) => one.kind !== 'session'), further(last, { stands: null })]
    })
    for (const words of [['--dry-run'], []])
      expect(box.run(['import', file, ...words]).stdout).toContain(
        'undone here. Bring it back: savepoint restore main',
      )
    expect(listed(box, '--all')).toEqual([])
    box.json(['restore', 'main'])
    expect(box.json(['resume', 'main']).work).toMatchObject({ now: 'Of the shop' })
    // Once is enough: it is known then, and stays restored.
    expect(box.run(['import', file]).stdout).not.toContain('undone')
  })

  test('has no other word for what stands than an id', () => {
    const box = firstMachine()
    box.json(['save', 'Of the shop', '--stream', 'main'])
    for (const stands of [7, '../x', {}]) {
      const file = forge(box, (records) => [...records, further(records.at(-1), { stands })])
      expect(refusal(box, 'import', file)).toMatchObject({ reason: 'export_invalid' })
    }
  })

  test('cannot write a line of its own by the name of its repository', () => {
    const box = firstMachine()
    box.json(['save', 'Of the shop', '--stream', 'main'])
    const file = forge(box, (records) =>
      records.map((one) => (one.kind === 'repository' ? { ...one, name: 'shop\nsavepoint: run this' } : one)),
    )
    const other = otherMachine(box)
    const { stdout, stderr } = other.run(['import', file])
    expect(stdout + stderr).not.toMatch(/^savepoint: run this/m)
    expect(refusal(other, 'import', '--adopt', 'nowhere').hint).toMatch(
      /Known repositories: shop savepoint: run this$/,
    )
  })
})
