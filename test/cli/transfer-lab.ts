import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { runCommandLine } from '../../src/apps/cli/main.ts'
import { canonicalJson, sha256 } from '../../src/core/canonical.ts'
import type { Sandbox } from '../support/sandbox.ts'
import { workBox } from './document-lab.ts'

export const REMOTE = 'git@example.org:team/shop.git'

/** The first machine: a trusted repository that has a remote. */
export function firstMachine(documents: Record<string, string> = {}): Sandbox {
  const box = workBox(documents)
  box.git('remote', 'add', 'origin', REMOTE)
  return box
}

/** Another machine: a home of its own, and a fresh clone. */
export function otherMachine(
  box: Sandbox,
  name = 'other',
  remote = 'https://me:token@example.org/team/shop',
): Sandbox {
  const repo = join(box.root, name, 'shop')
  const done = spawnSync('git', ['clone', '--quiet', box.repo, repo], { env: box.env, encoding: 'utf8' })
  if (done.status !== 0) throw new Error(done.stderr)
  const home = join(box.root, name, 'home')
  const other: Sandbox = Object.assign(Object.create(box), {
    ...{ repo, home, env: { ...box.env, SAVEPOINT_HOME: home } },
  })
  other.git('remote', 'set-url', 'origin', remote)
  return other
}

export const fileIn = (box: Sandbox, name = 'work.savepoint.gz') => join(box.root, name)

/** Exports, and answers the file. */
export function exported(box: Sandbox, name = 'work.savepoint.gz', ...more: string[]): string {
  const file = fileIn(box, name)
  box.json(['export', file, '--force', ...more])
  return file
}

export const linesOf = (file: string) => gunzipSync(readFileSync(file)).toString('utf8').trimEnd().split('\n')

/** The same records with checksums that fit: what somebody would make who knows how. */
export function sealedLines(lines: readonly string[]): string[] {
  const records = lines.slice(1, -1).map((line) => JSON.parse(line).record as unknown)
  const sums = records.map((record) => sha256(canonicalJson(record)))
  const sum = sums.reduce((total, one) => sha256(total + one), '')
  const sealed = records.map((record, at) => JSON.stringify({ sum: sums[at], record }))
  return [lines[0] ?? '', ...sealed, JSON.stringify({ savepoint: 'end', records: records.length, sum })]
}

export function writeLines(box: Sandbox, lines: readonly string[], name = 'changed.gz'): string {
  const file = fileIn(box, name)
  writeFileSync(file, gzipSync(`${lines.join('\n')}\n`))
  return file
}

/** The command line with a person before it, who gives these answers; answers what was asked and told. */
export async function withAnswers(
  box: Sandbox,
  words: string[],
  answers: string[],
): Promise<{ asked: string[]; told: string; code: number }> {
  const asked: string[] = []
  let told = ''
  const write = (text: string) => {
    told += text
  }
  const code = await runCommandLine(
    {
      ...{ words, cwd: box.repo, env: { ...box.env, CI: '', TERM: 'xterm' }, version: 'test' },
      ...{ width: 100, screen: { columns: 100 }, errScreen: {}, out: write, err: write },
      readInput: () => Promise.reject(new Error('nothing is piped in')),
    },
    {
      isThere: true,
      columns: null,
      ask: async (questions) => {
        asked.push(...questions)
        return questions.map((_, at) => answers[at] ?? '')
      },
    },
  )
  return { asked, told, code }
}
