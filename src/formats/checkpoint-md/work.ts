import { type Change, type Completion, noChange } from '../../core/checkpoint.ts'
import { titleKey } from '../../core/outline.ts'
import { type Artifact, type Breadcrumb, emptyWork, type WorkState } from '../../core/work.ts'
import {
  artifactsOf,
  type CheckpointDocument,
  isNone,
  type SectionName,
  sectionBody,
  sectionText,
} from './codec.ts'
import { placedItems } from './items.ts'
import {
  ACTION,
  CLAIM,
  DECISION,
  FACT,
  readBlock,
  revealCommentMarks,
  type Spelling,
  STEP,
  splitStateAndNow,
} from './spell.ts'
import { tableRows } from './table.ts'
import { isHintedKind } from './vocabulary.ts'

/** Where work stands, as a document says it. Its deltas count: they are what happened since the body was written. */
export function workOf(document: CheckpointDocument): WorkState {
  const items = <Value>(name: SectionName, { read }: Spelling<Value>) =>
    placedItems(sectionBody(document, name)).items.flatMap(({ item }) => read(item) ?? [])
  const facts = items('Technical Context', FACT)
  const actions = items('Next Actions', ACTION)
  const work = emptyWork()
  return {
    ...work,
    ...splitStateAndNow(sectionText(document, 'Current State')),
    problem: readBlock(sectionText(document, 'Problem')),
    intent: readBlock(sectionText(document, 'Session Intent')),
    decisions: items('Decisions', DECISION),
    constraints: facts.filter(({ kind }) => kind === 'constraints').map(claim),
    rules: items('User Rules', CLAIM),
    facts: facts.filter(({ kind }) => kind === 'facts').map(claim),
    done: [
      ...items('Play-By-Play', STEP).map(({ text }) => ({ text, at: null })),
      ...document.deltas.map(({ what, at }) => ({ text: what, at })),
    ],
    next: actions.filter(({ kind }) => kind === 'next').map(({ text }) => ({ text })),
    blockers: actions.filter(({ kind }) => kind === 'blockers').map(({ text }) => ({ text })),
    questions: actions.filter(({ kind }) => kind === 'questions').map(claim),
    artifacts: newestByPath([
      ...artifactsOf(sectionText(document, 'Artifact Trail')).map(readArtifact),
      ...document.deltas.flatMap(({ artifacts }) => artifacts),
    ]),
    references: tableRows(sectionText(document, 'Breadcrumbs'))
      .filter((cells) => !cells.every(isNone))
      .map(readReference),
    position: { ...work.position, anchor: document.front?.fields.get('anchor')?.value ?? '' },
  }
}

const claim = ({ text, confirmed }: { text: string; confirmed: boolean }) =>
  ({ text, origin: 'file', confirmed }) as const

/** A file as its row says it, with what was escaped in it. */
export const readArtifact = ({ path, action, description }: Artifact): Artifact => ({
  path: revealCommentMarks(path),
  action: revealCommentMarks(action),
  description: revealCommentMarks(description),
})

/** A breadcrumb is what a row of type, reference and hint says; an external one may have its kind in the hint. */
export function readReference([type = '', reference = '', hint = '']: readonly string[]): Breadcrumb {
  const isHinted = isHintedKind(hint) && titleKey(type) === 'external'
  const text = isHinted || hint === '' ? reference : `${reference}: ${hint}`
  return { kind: revealCommentMarks(isHinted ? hint : type), text: revealCommentMarks(text) }
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
