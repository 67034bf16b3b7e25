import {
  type CheckpointDocument,
  DOCUMENT_SECTIONS,
  type NamedSection,
  type SectionName,
  withoutRule,
} from './codec.ts'

// `as`: these are the table's own keys.
const NAMES = Object.keys(DOCUMENT_SECTIONS) as SectionName[]
const PARTS = NAMES.filter((name) => DOCUMENT_SECTIONS[name].level === 3)

interface SectionPlace {
  offset: number
  level: number
}

/** Where a section goes that a document does not have: at its place in the order of the format. */
export function sectionPlaceOf(document: CheckpointDocument, name: SectionName): SectionPlace {
  const { level } = DOCUMENT_SECTIONS[name]
  if (name === 'Completion') return { offset: document.text.length, level }
  const [essential] = document.sections.get('Essential Information') ?? []
  if (level === 3 && essential) return partPlace(document, essential, name)
  const following = NAMES.slice(NAMES.indexOf(name) + 1).filter((other) => document.sections.has(other))
  // The heading over the parts goes above all of them, in whatever order they are.
  const isAbove = name === 'Essential Information' && PARTS.some((part) => document.sections.has(part))
  const before = isAbove ? following.filter((other) => PARTS.includes(other)) : following.slice(0, 1)
  const starts = before.map((other) => document.sections.get(other)?.[0]?.start ?? document.text.length)
  return { offset: Math.min(...starts, endOfBody(document)), level }
}

/** A part stays inside the heading over the parts, before the part that follows it. */
function partPlace(
  { sections }: CheckpointDocument,
  essential: NamedSection,
  name: SectionName,
): SectionPlace {
  const inside = PARTS.flatMap((part) => {
    const found = sections
      .get(part)
      ?.find(({ start }) => start > essential.start && start < essential.bodyEnd)
    return found ? [{ order: PARTS.indexOf(part), found }] : []
  })
  const order = PARTS.indexOf(name)
  const next = inside.find((part) => part.order > order)?.found
  const last = inside.findLast((part) => part.order < order)?.found
  return {
    offset: next?.start ?? last?.contentEnd ?? essential.contentEnd,
    level: (next ?? last)?.level ?? Math.min(essential.level + 1, 6),
  }
}

/** Behind everything but the deltas and the completion: these stay last. */
function endOfBody({ text, deltas, sections }: CheckpointDocument): number {
  const [delta] = deltas
  const [completion] = sections.get('Completion') ?? []
  const end = Math.min(delta ? offsetOfLine(text, delta.line) : text.length, completion?.start ?? text.length)
  return end === text.length ? end : withoutRule(text, 0, end)
}

function offsetOfLine(text: string, line: number): number {
  const breaks = /\r\n|\n|\r/g
  for (let number = 1; number < line; number += 1) breaks.exec(text)
  return line === 1 ? 0 : breaks.lastIndex
}
