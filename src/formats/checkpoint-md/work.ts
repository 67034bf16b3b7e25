import type { Change, Completion } from '../../core/checkpoint.ts'
import { noChange } from '../../core/checkpoint.ts'
import { type Artifact, type Claim, type Decision, emptyWork, type WorkState } from '../../core/work.ts'
import { artifactsOf, type CheckpointDocument, isNone, listItems, sectionText } from './codec.ts'
import { tableRows } from './table.ts'

const claim = (text: string): Claim => ({ text, origin: 'file', confirmed: true })

/** Where work stands, as a document says it. Its deltas count: they are what happened since the body was written. */
export function workOf(document: CheckpointDocument): WorkState {
  const items = (name: Parameters<typeof sectionText>[1]) =>
    listItems(sectionText(document, name)).filter((item) => !isNone(item))
  const actions = items('Next Actions').filter((item) => !/^\[[xX]\]/.test(item))
  const work = emptyWork()
  return {
    ...work,
    problem: sectionText(document, 'Problem'),
    intent: sectionText(document, 'Session Intent'),
    decisions: items('Decisions').map(decision),
    rules: items('User Rules').map(claim),
    facts: items('Technical Context').map(claim),
    done: [
      ...items('Play-By-Play').map((text) => ({ text, at: null })),
      ...document.deltas.map(({ what, at }) => ({ text: what, at })),
    ],
    state: sectionText(document, 'Current State'),
    next: actions.filter((item) => !isBlocker(item)).map((text) => ({ text: text.replace(/^\[ \]\s*/, '') })),
    blockers: actions.filter(isBlocker).map((text) => ({ text: text.replace(/^\[ \]\s*/, '') })),
    artifacts: newestByPath([
      ...artifactsOf(sectionText(document, 'Artifact Trail')),
      ...document.deltas.flatMap(({ artifacts }) => artifacts),
    ]),
    references: tableRows(sectionText(document, 'Breadcrumbs')).map(
      ([kind = '', reference = '', hint = '']) => ({
        kind,
        text: hint === '' ? reference : `${reference}: ${hint}`,
      }),
    ),
    position: { ...work.position, anchor: document.front?.fields.get('anchor')?.value ?? '' },
  }
}

const isBlocker = (item: string) => /^(?:\[ \]\s*)?\**block(?:ed|er|ing)\b/i.test(item)

function decision(text: string): Decision {
  const isSuperseded = /^~~.*~~/.test(text) || /\bsuperseded by\b/i.test(text)
  return { ...claim(text), why: '', supersededBy: isSuperseded ? text : null }
}

/** One row a file, the newest; `-` says that there is none. */
function newestByPath(artifacts: Artifact[]): Artifact[] {
  const byPath = new Map<string, Artifact>()
  for (const artifact of artifacts) {
    if (artifact.path === '' || artifact.path === '-') continue
    byPath.delete(artifact.path)
    byPath.set(artifact.path, artifact)
  }
  return [...byPath.values()]
}

/** What the newest delta says happened; nothing where a document has none. */
export function changeOf({ deltas }: CheckpointDocument): Change {
  const newest = deltas.at(-1)
  if (newest === undefined) return noChange()
  const { what, artifacts, transitions } = newest
  return { summary: what, artifacts, transitions, commands: [] }
}

export function completionOf({ completion }: CheckpointDocument): Completion | null {
  if (completion === null) return null
  const { outcome, date, learnings } = completion
  return { outcome, date, learnings }
}
