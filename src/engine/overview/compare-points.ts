import { ReasonError } from '../../core/reason.ts'
import { type DifferenceLine, differenceOf, type Hunk } from '../../formats/checkpoint-md/difference.ts'
import { brokenLines } from '../../formats/checkpoint-md/merge.ts'
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
  let [removed, added]: [string[], string[]] = [[], []]
  const pairUp = () => {
    for (let pair = 0; pair < Math.max(removed.length, added.length); pair += 1) {
      const [old, now] = [removed[pair], added[pair]]
      const was = old === undefined ? null : { number: left++, text: old }
      const is = now === undefined ? null : { number: right++, text: now }
      if (was && is) rows.push({ kind: 'changed', left: was, right: is })
      else if (was) rows.push({ kind: 'removed', left: was, right: null })
      else if (is) rows.push({ kind: 'added', left: null, right: is })
    }
    removed = []
    added = []
  }
  for (const { mark, text } of lines) {
    if (mark === ' ' || (mark === '-' && added.length > 0)) pairUp()
    if (mark === '-') removed.push(text)
    else if (mark === '+') added.push(text)
    else rows.push({ kind: 'same', left: { number: left++, text }, right: { number: right++, text } })
  }
  pairUp()
  return rows
}
