import { type OutlinePart, outlinePartsOf, titleKey } from '../../core/outline.ts'
import type { WorkState } from '../../core/work.ts'
import { applyEdits, type Edit, gapBehind, lineBreakOf } from '../markdown/splice.ts'
import {
  encodeLedger,
  keyOf,
  knownParts,
  LEDGER_SECTIONS,
  STATE,
  TITLE,
  updatedLine,
  writeSection,
} from './codec.ts'
import { foreignBullets } from './working-set.ts'

/**
 * The ledger with new content in the sections that the format knows. All else stays where and as it is: sections
 * of people's own, text above the first one, headings as they wrote them, the kind of line breaks.
 */
export function replaceLedger(old: string, work: WorkState, { at }: { at: string }): string {
  const eol = lineBreakOf(old)
  const withLineBreaks = (text: string) => text.replaceAll('\n', eol)
  const parts = outlinePartsOf(old)
  const known = knownParts(parts)
  const title = parts.find(({ key }) => key === titleKey(TITLE)) ?? null
  if (known.size === 0 && title === null) {
    const fresh = withLineBreaks(encodeLedger(work, { at }))
    return old.replace('\uFEFF', '').trim() === '' ? fresh : `${old}${gapBehind(old, eol)}${fresh}`
  }
  const edits = stampEdits(old, title, updatedLine(at), eol)
  // Where sections that are missing go: behind the one that comes before them in the format's order.
  const starts = [...known.values()].map(({ start }) => start)
  let place = { at: known.size > 0 ? Math.min(...starts) : (title?.bodyEnd ?? 0), behind: known.size === 0 }
  let missing: string[] = []
  const addMissing = () => {
    const ahead = place.behind ? gapBehind(old.slice(0, place.at), eol) : ''
    const put = `${ahead}${missing.join(eol + eol)}${place.at >= old.length ? eol : eol + eol}`
    if (missing.length > 0) edits.push({ start: place.at, end: place.at, put })
    missing = []
  }
  let [top, deepest] = [2, 2]
  for (const section of LEDGER_SECTIONS) {
    const part = known.get(keyOf(section))
    const isSub = section.heading.startsWith('### ')
    // A heading is never deeper than what stands there, or it would end up inside a section of people's own.
    const level = part?.level ?? Math.min(isSub ? top + 1 : top, deepest, 6)
    if (part === undefined) {
      const heading = `${'#'.repeat(level)}${section.heading.replace(/^#+/, '')}`
      missing.push(withLineBreaks(writeSection({ ...section, heading }, work)))
    } else {
      addMissing()
      if (keyOf(section) !== titleKey(STATE)) {
        const body = old.slice(part.bodyStart, part.bodyEnd)
        const foreign = section.heading === '## Working Set' ? foreignBullets(body) : []
        edits.push(bodyEdit(old, part, withLineBreaks([section.encode(work), ...foreign].join('\n')), eol))
      }
      place = { at: endOfSection(parts, known, part), behind: true }
    }
    if (!isSub) top = level
    deepest = keyOf(section) === titleKey(STATE) ? level + 1 : level
  }
  addMissing()
  return applyEdits(old, edits)
}

/** What people put below a section, under headings of their own, belongs to it. */
function endOfSection(
  parts: readonly OutlinePart[],
  known: ReadonlyMap<string, OutlinePart>,
  part: OutlinePart,
): number {
  let { bodyEnd } = part
  for (const next of parts.slice(parts.indexOf(part) + 1)) {
    if (next.level <= part.level || known.get(next.key) === next) break
    bodyEnd = next.bodyEnd
  }
  return bodyEnd
}

/** Only the body's text is replaced: the empty lines around it stay. */
function bodyEdit(old: string, { bodyStart, bodyEnd }: OutlinePart, content: string, eol: string): Edit {
  const body = old.slice(bodyStart, bodyEnd)
  const kept = body.trimEnd()
  if (kept === '') {
    const put = content === '' ? '' : `${lineBehind(old.slice(0, bodyStart), eol)}${content}${eol}`
    return { start: bodyStart, end: bodyStart, put }
  }
  const lead = /^(?:[ \t]*(?:\r\n|\n|\r))*/.exec(body)?.[0].length ?? 0
  if (content !== '') return { start: bodyStart + lead, end: bodyStart + kept.length, put: content }
  const lineBreak = /^[ \t]*(?:\r\n|\n|\r)/.exec(body.slice(kept.length))?.[0].length ?? 0
  return { start: bodyStart, end: bodyStart + kept.length + lineBreak, put: '' }
}

/** The line with the time stands below the title; where people took it out, it comes back there. */
function stampEdits(old: string, title: OutlinePart | null, stamp: string, eol: string): Edit[] {
  if (title === null) return []
  const found = /^_Last updated:[^\r\n]*/m.exec(old.slice(title.bodyStart, title.bodyEnd))
  const start = title.bodyStart + (found?.index ?? 0)
  if (found) return [{ start, end: start + found[0].length, put: stamp }]
  return [{ start, end: start, put: `${lineBehind(old.slice(0, start), eol)}${stamp}${eol}` }]
}

const lineBehind = (before: string, eol: string) => (/[\r\n]$/.test(before) ? '' : eol)
