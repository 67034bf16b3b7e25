import type { DiffLine, DiffRow } from '../../src/apps/dashboard/api.ts'
import { plural } from '../app/format.ts'

/** Two texts side by side; one below the other where the screen is narrow. */
export function Diff({ rows, from, to }: { rows: readonly DiffRow[]; from: string; to: string }) {
  return (
    <table class="diff">
      <caption class="hidden-text">
        Changes from {from} to {to}
      </caption>
      <colgroup>
        <col class="diff-number-column" />
        <col />
        <col class="diff-number-column" />
        <col />
      </colgroup>
      <thead>
        <tr>
          <th colSpan={2} scope="col">
            {from}
          </th>
          <th colSpan={2} scope="col">
            {to}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <Row key={index} row={row} />
        ))}
      </tbody>
    </table>
  )
}

function Row({ row }: { row: DiffRow }) {
  if (row.kind === 'gap')
    return (
      <tr class="diff-gap">
        <td colSpan={4}>{plural(row.lines, 'unchanged line')}</td>
      </tr>
    )
  const { left, right, kind } = row
  const [was, is] = kind === 'changed' ? splitChange(left.text, right.text) : [null, null]
  return (
    <tr class={`diff-row is-${kind}`}>
      <Side line={left} parts={was} side="left" />
      <Side line={right} parts={is} side="right" />
    </tr>
  )
}

type Parts = readonly [string, string, string]

function Side({ line, parts, side }: { line: DiffLine | null; parts: Parts | null; side: 'left' | 'right' }) {
  if (!line) return <td class={`diff-none is-${side}`} colSpan={2} />
  return (
    <>
      <td class={`diff-number is-${side}`}>{line.number}</td>
      <td class={`diff-text is-${side}`}>
        {parts ? (
          <>
            {parts[0]}
            <mark>{parts[1]}</mark>
            {parts[2]}
          </>
        ) : (
          line.text
        )}
      </td>
    </>
  )
}

/** What two lines begin and end with alike, and what lies between. */
function splitChange(left: string, right: string): [Parts, Parts] {
  const most = Math.min(left.length, right.length)
  let start = 0
  while (start < most && left[start] === right[start]) start += 1
  // Half a word is harder to read than a whole one.
  while (start > 0 && /\w/.test(left[start - 1] ?? '')) start -= 1
  let end = 0
  while (end < most - start && left.at(-1 - end) === right.at(-1 - end)) end += 1
  while (end > 0 && /\w/.test(left.at(-end) ?? '')) end -= 1
  const cut = (text: string): Parts => [
    text.slice(0, start),
    text.slice(start, text.length - end),
    text.slice(text.length - end),
  ]
  return [cut(left), cut(right)]
}
