import type { Screen } from '../define/screen.ts'

/** A unified difference in the usual colours. */
export const paintDifference = (diff: string, paint: Screen['paint']) =>
  diff
    .split('\n')
    .map((line) => {
      if (/^(?:---|\+\+\+) /.test(line)) return paint('head', line)
      if (line.startsWith('@@')) return paint('faint', line)
      if (line.startsWith('+')) return paint('good', line)
      return line.startsWith('-') ? paint('bad', line) : line
    })
    .join('\n')
