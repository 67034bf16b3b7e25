import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type Sandbox, sandbox } from '../support/sandbox.ts'

/** A repository with a commit, a user's home and a home of Savepoint, gone when the test is over. */
export function project(): Sandbox {
  const place = sandbox()
  place.git('config', 'user.name', 'Lab')
  place.git('config', 'user.email', 'lab@example.invalid')
  writeFileSync(place.path('README.md'), '# Lab\n')
  place.git('add', 'README.md')
  place.git('commit', '--quiet', '-m', 'Begin')
  return place
}

/** The same with Savepoint set up in it, as a user would. */
export function installed(): Sandbox {
  const place = project()
  place.json(['init', '--agent', 'claude', '--scope', 'project'])
  return place
}

/** What Savepoint knows of a session. */
export const shown = (place: Sandbox, sessionId: string): unknown =>
  place.json(['sessions', 'show', sessionId]).session

/** Where the client keeps what was said. */
export const transcriptOf = (place: Sandbox, sessionId: string): string =>
  join(
    place.env.HOME ?? '',
    '.claude',
    'projects',
    place.repo.replaceAll(/[^A-Za-z0-9]/g, '-'),
    `${sessionId}.jsonl`,
  )

/** Where hooks leave what they heard. */
export const journalOf = (place: Sandbox, sessionId: string): string =>
  join(place.home, 'sessions', 'claude', `${sessionId}.jsonl`)

/** Whether a file is there and has these words. */
export const has = (file: string, text: string): boolean =>
  existsSync(file) && readFileSync(file, 'utf8').includes(text)

/** Once something holds that no event tells; after ten seconds the test goes on, and fails where it matters. */
export async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1_000 && !holds(); tries++) await setTimeout(10)
}
