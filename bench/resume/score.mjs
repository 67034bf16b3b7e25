// How much of what a colleague must know a text tells, and what that count does not see.
import { shows, toldLive } from './expression.mjs'
import { filesIn, spokenRows, wordsOf } from './rows.mjs'

/** Characters that a baseline gets at least. */
const LEAST = 2_700
export const WHO = ['brief', 'last_words', 'first_last_files']

/** Whole characters: a half of an emoji is none. */
const slice = (text, from, to) => Array.from(text).slice(from, to).join('')
export const lengthOf = (text) => Array.from(text).length

/** Who said what in the main talk. */
const saidIn = (rows) =>
  spokenRows(rows)
    .map((row) => ({ who: row.type === 'user' ? 'User' : 'Agent', text: wordsOf(row).trim() }))
    .filter(({ text }) => text !== '' && !text.startsWith('<local-command') && !text.startsWith('[Request'))

const talkOf = (said) => said.map(({ who, text }) => `${who}: ${text}`).join('\n\n')

/** As much of the end of the talk as has so many tokens. */
export function lastWordsWithin(rows, tokens, estimate) {
  const talk = Array.from(talkOf(saidIn(rows)))
  let [fits, tooMuch] = [0, talk.length + 1]
  while (tooMuch - fits > 1) {
    const size = (fits + tooMuch) >> 1
    if (estimate(talk.slice(-size).join('')) <= tokens) fits = size
    else tooMuch = size
  }
  return fits === 0 ? '' : talk.slice(-fits).join('')
}

/** Two plain texts of the brief's size: the end of the talk; first prompt, last answer and edited files. */
export function baselines(rows, brief) {
  const size = Math.max(LEAST, lengthOf(brief))
  const said = saidIn(rows)
  const first = said.find(({ who, text }) => who === 'User' && !text.startsWith('<'))?.text ?? ''
  const last = said.findLast(({ who }) => who === 'Agent')?.text ?? ''
  const files = filesIn(rows)
    .written.slice(-20)
    .reverse()
    .map((file) => file.split('/').slice(-4).join('/'))
    .join('\n')
  const room = Math.max(0, size - lengthOf(files) - 40)
  const third = Math.floor(room / 3)
  const answer = slice(last, 0, room - Math.min(lengthOf(first), third))
  return {
    last_words: slice(talkOf(said), -size),
    first_last_files: `Prompt: ${slice(first, 0, third)}\n\nLast answer: ${answer}\n\nFiles:\n${files}`,
  }
}

const FUNCTION = new Set(
  `the a an of to in on is are was were be been it its this that these those and or not no for with as at by from if
  then so we you i he they them our your my do does did done can could should would will has have had but which what
  when where how why there here only also now into than more just about after before because all any one`.split(
    /\s+/,
  ),
)

/** The lines that tell something: no frame, no headings, no list of files. */
function contentLines(text) {
  const lines = []
  let inFiles = false
  for (const line of text.split('\n').map((one) => one.trim())) {
    if (line === '' || /^(?:<savepoint|<\/savepoint|Drift:|Cut to fit|More:|```)/.test(line)) continue
    if (/^#+ /.test(line)) {
      inFiles = /^#+ *(?:files|working set)/i.test(line)
      continue
    }
    if (inFiles || /\[(?:fresh|stale|not found)/.test(line)) continue
    lines.push(line.replace(/^(?:[-*•]|\p{Nd}+\.)\s+/u, ''))
  }
  return lines
}

/** All runs of so many words. */
function runsIn(text, count) {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_./#-]+|[\u3040-\u9fff]/gu) ?? []
  const runs = []
  for (let at = 0; at + count <= words.length; at += 1) runs.push(words.slice(at, at + count).join(' '))
  return runs
}

const PRESENT = new Set(['question', 'next', 'failing'])

/** What recall does not see, as counts that can be added up. `language`: prose is measured by English words. */
function qualityOf({ rows, brief, facts, language = 'en' }) {
  const said = spokenRows(rows).map((row) => ({ type: row.type, text: wordsOf(row).trim() }))
  const of = (type) => said.filter((one) => one.type === type && one.text !== '').map(({ text }) => text)
  const talk = said.map(({ text }) => text).join('\n\n')
  const near = new Set(runsIn([...of('user'), ...of('assistant').slice(-3)].join('\n'), 4))
  const lines = contentLines(brief)
  let [cut, noise] = [0, 0]
  for (const line of lines) {
    const end = slice(line, -25)
    const at = lengthOf(line) >= 25 ? talk.indexOf(end) : -1
    const after = at >= 0 ? talk.slice(at + end.length, at + end.length + 1) : ''
    const insideWord = /[\p{L}\p{N}_]$/u.test(line) && /^[A-Za-z0-9_]/.test(after)
    if (insideWord || /(?:…|\.\.\.)[\])"”]*$/.test(line)) cut += 1
    const runs = runsIn(line, 4)
    const isNear = runs.length > 0 && runs.filter((run) => near.has(run)).length / runs.length >= 0.4
    if (!isNear && !facts.some(({ shown_by }) => shows(line, shown_by))) noise += 1
  }
  const six = runsIn(lines.join('\n'), 6)
  const latin = lines.flatMap((line) => (line.match(/[A-Za-z']+/g) ?? []).map((word) => word.toLowerCase()))
  const isEnglish = language === 'en' && countOf(brief, /[\u3040-\u9fff]/g) <= 0.15 * lengthOf(brief)
  const present = facts.filter(({ kind, shown_by }) => PRESENT.has(kind) && shows(brief, shown_by))
  const half = slice(brief, 0, Math.floor(lengthOf(brief) / 2))
  return {
    lines: lines.length,
    cut,
    noise,
    repeat: six.length - new Set(six).size,
    runs: six.length,
    prose:
      isEnglish && latin.length >= 30
        ? latin.filter((word) => FUNCTION.has(word)).length / latin.length
        : null,
    present: present.length,
    late: present.filter(({ shown_by }) => !shows(half, shown_by)).length,
  }
}

const countOf = (text, expression) => text.match(expression)?.length ?? 0

/** What each of the three texts tells of a session's facts, and which traps the brief tells as if they held. */
export function scoreBrief({ rows, brief, facts, traps = [], language }) {
  const texts = { brief, ...baselines(rows, brief) }
  const told = facts.map((fact) => ({
    ...fact,
    ...Object.fromEntries(WHO.map((who) => [who, shows(texts[who], fact.shown_by)])),
  }))
  return {
    texts,
    facts: told,
    of: told.length,
    told: Object.fromEntries(WHO.map((who) => [who, told.filter((fact) => fact[who]).length])),
    traps: traps.length,
    trapsTold: traps.filter((trap) => toldLive(brief, trap)).map(({ fact }) => fact),
    characters: lengthOf(brief),
    quality: qualityOf({ rows, brief, facts, language }),
  }
}
