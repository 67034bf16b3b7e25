import { type OutlinePart, outlinePartsOf, titleKey } from '../../core/outline.ts'
import type { WorkState } from '../../core/work.ts'
import {
  encodeLedger,
  foreignBullets,
  keyOf,
  knownParts,
  LEDGER_SECTIONS,
  type LedgerSection,
  STATE,
  TITLE,
  updatedLine,
  writeSection,
} from './codec.ts'

/**
 * The ledger with new content in the sections that the format knows. All else stays where and as it is: sections
 * of people's own, text above the first one, headings as they wrote them, the kind of line breaks.
 */
export function replaceLedger(old: string, work: WorkState, { at }: { at: string }): string {
  const eol = /\r\n|\n|\r/.exec(old)?.[0] ?? '\n'
  const withLineBreaks = (text: string) => text.replaceAll('\n', eol)
  const parts = outlinePartsOf(old)
  const known = knownParts(parts)
  const title = parts.find(({ key }) => key === titleKey(TITLE)) ?? null
  if (known.size === 0 && title === null) {
    const fresh = withLineBreaks(encodeLedger(work, { at }))
    return old.replace('\uFEFF', '').trim() === '' ? fresh : `${old}${gapBehind(old, eol)}${fresh}`
  }
  const edits = stampEdits(old, title, updatedLine(at), eol)
  const place = new MissingSections(old, eol, placeOfFirst(known, title))
  for (const section of LEDGER_SECTIONS) {
    const part = known.get(keyOf(section))
    if (part === undefined) {
      place.miss(section, (heading) => withLineBreaks(writeSection({ ...section, heading }, work)))
      continue
    }
    edits.push(...place.flush())
    if (keyOf(section) !== titleKey(STATE)) {
      const body = old.slice(part.bodyStart, part.bodyEnd)
      const foreign = section.heading === '## Working Set' ? foreignBullets(body) : []
      edits.push(bodyEdit(old, part, withLineBreaks([section.encode(work), ...foreign].join('\n')), eol))
    }
    place.moveTo(section, part, endOfSection(parts, known, part))
  }
  return applyEdits(old, [...edits, ...place.flush()])
}

interface Edit {
  start: number
  end: number
  put: string
}

const isSub = ({ heading }: LedgerSection) => heading.startsWith('### ')

/** Where sections that are missing go: behind the one that comes before them in the format's order. */
class MissingSections {
  #missing: string[] = []
  #top = 2
  #level = 2
  #behind = false
  readonly #old: string
  readonly #eol: string
  #at: number

  constructor(old: string, eol: string, { at, behind }: { at: number; behind: boolean }) {
    this.#old = old
    this.#eol = eol
    this.#at = at
    this.#behind = behind
  }

  /** Its heading is never deeper than what stands there, or it would end up inside a section of people's own. */
  miss(section: LedgerSection, text: (heading: string) => string): void {
    const level = isSub(section) ? Math.min(this.#top + 1, this.#level, 6) : Math.min(this.#top, this.#level)
    this.#missing.push(text(`${'#'.repeat(level)}${section.heading.replace(/^#+/, '')}`))
    this.#passed(section, level)
  }

  moveTo(section: LedgerSection, { level }: OutlinePart, end: number): void {
    this.#at = end
    this.#behind = true
    this.#passed(section, level)
  }

  #passed(section: LedgerSection, level: number): void {
    if (!isSub(section)) this.#top = level
    this.#level = section.heading === `## ${STATE}` ? level + 1 : level
  }

  flush(): Edit[] {
    if (this.#missing.length === 0) return []
    const [eol, at] = [this.#eol, this.#at]
    const put = this.#missing.join(eol + eol)
    this.#missing = []
    const ahead = this.#behind ? gapBehind(this.#old.slice(0, at), eol) : ''
    return [{ start: at, end: at, put: `${ahead}${put}${at >= this.#old.length ? eol : eol + eol}` }]
  }
}

function placeOfFirst(
  known: ReadonlyMap<string, OutlinePart>,
  title: OutlinePart | null,
): { at: number; behind: boolean } {
  if (known.size === 0 && title) return { at: title.bodyEnd, behind: true }
  return { at: Math.min(...[...known.values()].map(({ start }) => start)), behind: false }
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

/** An empty line between what is there and what comes. */
function gapBehind(before: string, eol: string): string {
  if (/(?:\r\n|\n|\r)[ \t]*(?:\r\n|\n|\r)$/.test(before.slice(-200))) return ''
  return `${lineBehind(before, eol)}${eol}`
}

function applyEdits(old: string, edits: readonly Edit[]): string {
  let text = ''
  let at = 0
  for (const { start, end, put } of [...edits].sort((a, b) => a.start - b.start)) {
    text += old.slice(at, start) + put
    at = end
  }
  return text + old.slice(at)
}
