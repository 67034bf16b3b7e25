// The language in which facts say how a text shows them: regular expressions as Python's `re` reads them, `a&&b` for both.

/** What Python calls a letter of a word, in any script. JavaScript's own \w and \b know only ASCII. */
const WORD = '\\p{L}\\p{N}_'
const OUTSIDE = {
  w: `[${WORD}]`,
  W: `[^${WORD}]`,
  b: `(?:(?<=[${WORD}])(?![${WORD}])|(?<![${WORD}])(?=[${WORD}]))`,
  B: `(?:(?<=[${WORD}])(?=[${WORD}])|(?<![${WORD}])(?![${WORD}]))`,
  d: '\\p{Nd}',
}
const IN_CLASS = { w: WORD, d: '\\p{Nd}', b: '\\b' }
/** Escapes that JavaScript reads as Python does; any other letter or mark stands for itself. */
const SAME = /[DsSnrtfv0-9ux^$\\.*+?()[\]{}|/-]/

/** The same expression in JavaScript's spelling: case does not count, and a dot meets a line break. */
export function pythonExpression(source) {
  let [text, inClass] = ['', false]
  for (let at = 0; at < source.length; at += 1) {
    const char = source[at]
    if (char === '\\') {
      at += 1
      const next = source[at] ?? '\\'
      const known = (inClass ? IN_CLASS : OUTSIDE)[next]
      text += known ?? (SAME.test(next) && (inClass || next !== '-') ? `\\${next}` : next)
    } else if (inClass) {
      inClass = char !== ']'
      text += char === '[' ? '\\[' : char
    } else if (char === '[') {
      inClass = true
      text += char
    } else if (char === '{') text += /^\{\d*,?\d*\}/.test(source.slice(at)) ? char : '\\{'
    else if (char === '}') text += /\{\d*,?\d*$/.test(source.slice(0, at)) ? char : '\\}'
    else text += char === ']' ? '\\]' : char
  }
  return new RegExp(text, 'isu')
}

const compiled = new Map()
function partsOf(expression) {
  const known = compiled.get(expression)
  if (known) return known
  const parts = expression.split('&&').map(pythonExpression)
  compiled.set(expression, parts)
  return parts
}

/** Whether one of the expressions is in the text. */
export const shows = (text, expressions) =>
  expressions.some((expression) => partsOf(expression).every((part) => part.test(text)))

/** A line tells the trap, and no word in it says that it is over. */
export const toldLive = (text, { shown_by, unless = [] }) =>
  text.split('\n').some((line) => shows(line, shown_by) && !(unless.length > 0 && shows(line, unless)))
