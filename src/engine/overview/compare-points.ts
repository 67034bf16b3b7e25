import { ReasonError } from '../../core/reason.ts'
import { type DifferenceLine, differenceOf, type Hunk } from '../../formats/checkpoint-md/difference.ts'
import { brokenLines } from '../../formats/checkpoint-md/replacements.ts'
import type { Context } from '../context/context.ts'
import { readPointText } from '../documents/point.ts'
import { isShownTo } from './describe-work.ts'
import { requireStream } from './read-works.ts'

interface NumberedLine {
  number: number
  text: string
}

type ComparedRow =
  | { kind: 'same' | 'changed'; left: NumberedLine; right: NumberedLine }
  | { kind: 'removed'; left: NumberedLine; right: null }
  | { kind: 'added'; left: null; right: NumberedLine }
  | { kind: 'gap'; lines: number }

/** Two points of a piece of work, side by side. */
export async function comparePoints(context: Context, id: string, from: number, to: number) {
  const stream = await requireStream(context, id, 'work')
  const history = (await context.store.log.readHistory(id)).filter(isShownTo(context))
  const read = (at: number) => {
    const row = history.find(({ sequence }) => sequence === at)
    if (row === undefined) throw new ReasonError('checkpoint_unknown', { id: stream.name, at })
    return readPointText(context, stream, row, at)
  }
  const [old, now] = [await read(from), await read(to)]
  const { added, removed, hunks } = differenceOf(old.text, now.text)
  return {
    from: { sequence: old.sequence, at: old.at },
    to: { sequence: now.sequence, at: now.at },
    ...{ added, removed, rows: rowsOf(hunks, brokenLines(old.text).length) },
  }
}

/** Hunks with what stands between them counted. */
function rowsOf(hunks: readonly Hunk[], length: number): ComparedRow[] {
  const rows: ComparedRow[] = []
  let told = 0
  const gapTo = (line: number) => {
    if (line > told) rows.push({ kind: 'gap', lines: line - told })
  }
  for (const { fromLine, fromCount, toLine, toCount, lines } of hunks) {
    // With a count of 0 the line before is named.
    const start = fromCount === 0 ? fromLine : fromLine - 1
    gapTo(start)
    rows.push(...sideBySide(lines, start + 1, toCount === 0 ? toLine + 1 : toLine))
    told = start + fromCount
  }
  if (hunks.length > 0) gapTo(length)
  return rows
}

/** Lines that were taken away stand beside those that came in their place. */
function sideBySide(lines: readonly DifferenceLine[], fromLine: number, toLine: number): ComparedRow[] {
  const rows: ComparedRow[] = []
  let [left, right] = [fromLine, toLine]
  for (let at = 0; at < lines.length; ) {
    const line = lines[at]
    if (line?.mark === ' ') {
      rows.push({ kind: 'same', left: numberLine(left++, line), right: numberLine(right++, line) })
      at += 1
      continue
    }
    const gone = lines.slice(at).findIndex(({ mark }) => mark !== '-')
    const removed = lines.slice(at, gone < 0 ? lines.length : at + gone)
    const behind = lines.slice(at + removed.length)
    const came = behind.findIndex(({ mark }) => mark !== '+')
    const added = behind.slice(0, came < 0 ? behind.length : came)
    for (let pair = 0; pair < Math.max(removed.length, added.length); pair += 1) {
      const [old, now] = [removed[pair], added[pair]]
      if (old && now)
        rows.push({ kind: 'changed', left: numberLine(left++, old), right: numberLine(right++, now) })
      else if (old) rows.push({ kind: 'removed', left: numberLine(left++, old), right: null })
      else if (now) rows.push({ kind: 'added', left: null, right: numberLine(right++, now) })
    }
    at += removed.length + added.length
  }
  return rows
}

const numberLine = (number: number, { text }: DifferenceLine): NumberedLine => ({ number, text })
