import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sandbox } from '../support/sandbox.ts'
import { put, textOf, workBox } from './document-lab.ts'
import { INDEX, LEDGER_ON, treeOf } from './save-lab.ts'

/** A workspace in which every kind of file is kept, with work that has a document and work that has none. */
export function richBox(): Sandbox {
  const box = workBox({ auth: textOf('auth', { status: 'current' }), side: textOf('side') })
  mkdirSync(box.path('.claude'), { recursive: true })
  put(box, INDEX, '{\n  "owner": "another tool",\n  "last_checkpoint": "2025-01-01T00:00:00Z"\n}\n')
  put(box, '.agents.yml', LEDGER_ON)
  put(
    box,
    'old/handoff.md',
    '---\npurpose: Port it\ncreated: 2025-05-05\n---\n# Handoff: Port it\n\n## Next\n\n- Look at the parser\n',
  )
  for (const what of ['Read it', 'Wrote it'])
    box.json(['delta', 'auth', '--what', what, '--artifact', 'a.ts:created:x'])
  box.json(['new', 'done'])
  box.json(['archive', 'done', '--outcome', 'All of it', '--learning', 'Write less'])
  box.json(['save', 'One', '--stream', 'plain', '--decision', 'Tabs over spaces'])
  const decision = ['--decision', 'Spaces over tabs', '--supersedes', 'Tabs', '--unconfirmed']
  box.json(['save', 'Two', '--stream', 'plain', ...decision])
  box.json(['list'])
  return box
}

type Answer = Record<string, unknown>

/** What a person can see of a workspace: every file's bytes, the work, what is listed and found. */
export function sight(box: Sandbox): Answer {
  // `as` in these: the shapes are what the verbs answer with.
  const resumed = box.json(['resume']) as Answer & { work?: unknown }
  const { documents } = box.json(['list', '--all']) as { documents: Answer[] }
  return {
    files: Object.fromEntries(
      treeOf(box.repo).map((path) => [path, readFileSync(join(box.repo, path), 'latin1')]),
    ),
    resume: [resumed.kind, resumed.stream, resumed.why, resumed.savedAt, resumed.work],
    list: documents.map(({ checkpoints: _all, sequence: _here, ...one }) => one),
    focus: box.json(['focus']).id,
    search: ['tabs', 'tokens', 'shipped', 'login'].map((word) => box.json(['search', word]).hits),
    ledger: box.json(['ledger']).text,
  }
}
