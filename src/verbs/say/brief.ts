import type { Style } from '../../core/style.ts'
import type { RenderedBrief } from '../../engine/brief/brief-of.ts'
import { type BriefPart, renderBriefPlain } from '../../formats/brief-md/render.ts'
import { MIN_TOKENS } from '../../policy/brief/brief-fit.ts'
import type { Fields } from '../define/field.ts'
import type { Screen } from '../define/screen.ts'

/** What every verb takes that tells a brief. */
export const BRIEF_FIELDS = {
  budget: {
    kind: 'count',
    least: MIN_TOKENS,
    value: 'TOKENS',
    about: `most tokens, estimated (default: 1500, at least ${MIN_TOKENS})`,
  },
  markdown: { kind: 'flag', typed: true, about: 'print Markdown on a terminal too' },
} as const satisfies Fields

type MaybeBrief = { kind: string; text?: string }

const isBrief = ({ kind }: MaybeBrief) => kind === 'brief' || kind === 'found'

/** The brief with its fence; null for any other answer. */
export const fencedBrief = (result: MaybeBrief) => (isBrief(result) ? (result.text ?? '') : null)

export const exactBrief = (result: MaybeBrief) => (isBrief(result) ? `${result.text}\n` : null)

/** Markdown into a pipe, a page on a terminal. */
export const sayBrief = (
  { markdown, text, page }: RenderedBrief & { markdown: boolean },
  { columns, paint }: Screen,
) =>
  markdown || !Number.isFinite(columns)
    ? text
    : renderBriefPlain(page, columns, (part, line) => paintPart(paint, part, line))

const STYLES: { readonly [Part in BriefPart]?: Style } = {
  title: 'head',
  heading: 'head',
  lead: 'warn',
  question: 'warn',
  end: 'faint',
}

/** What is not confirmed, does not hold any more or failed is seen first. */
const MARKED = /UNCONFIRMED|\[(?:stale|not found|unverifiable)[^\]]*\]|\bFailing\b/g

function paintPart(paint: Screen['paint'], part: BriefPart, line: string): string {
  const style = STYLES[part]
  if (style !== undefined) return paint(style, line)
  if (/^Drift: (?!none)/.test(line)) return paint('warn', line)
  return line.replace(MARKED, (word) => paint(word === 'Failing' ? 'bad' : 'warn', word))
}
