/** Words that say nothing by themselves. Those that deny something are not among them. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a an the this that these those it its we us our i me my you your he she they them their there here who which ' +
    'what is are was were be been being am do does did done has have had having should must can could will would ' +
    'may might shall and or as at by for from in into of off on onto out per than to up upon via with within also ' +
    'just very too so then when if about any all each every both some such same still now again already yet etc ' +
    'eg ie instead rather through behind against'
  ).split(' '),
)

const IRREGULAR: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ chose: 'choose', chosen: 'choose', kept: 'keep', ran: 'run', wrote: 'write', written: 'write' },
    ...{ went: 'go', gone: 'go', made: 'make', built: 'build', sent: 'send', took: 'take', taken: 'take' },
    ...{ held: 'hold', left: 'leave', found: 'find', broke: 'break', broken: 'break', threw: 'throw' },
    ...{ two: '2', three: '3', four: '4', five: '5', six: '6', seven: '7', eight: '8', nine: '9', ten: '10' },
  }),
)

const VOWEL = /[aeiouyäöü]/

/** A word without its endings, lightly: "using", "used" and "uses" are "use". Expects lower case. */
export function stemOf(word: string): string {
  const known = IRREGULAR.get(word)
  if (known !== undefined) return known.replace(/e$/, '')
  return withoutTail(withoutVerbEnding(singular(word)))
}

function singular(word: string): string {
  if (word.length < 4 || /(?:ss|us|is)$/.test(word)) return word
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (/(?:ch|sh|x|z|ss)es$/.test(word)) return word.slice(0, -2)
  return word.endsWith('s') ? word.slice(0, -1) : word
}

function withoutVerbEnding(word: string): string {
  const [, rest = ''] = /^(.*?)(?:ing|(?<!e)ed)$/.exec(word) ?? []
  if (rest.length < 2 || !VOWEL.test(rest)) return word
  // "dropped" is "drop", but "passed" is "pass".
  return /([bdgkmnprt])\1$/.test(rest) ? rest.slice(0, -1) : rest
}

const withoutTail = (word: string) =>
  word.length < 3
    ? word
    : word
        .replace(/(?<=.{3})at(?:ion|or|e)$/, 'at')
        .replace(/(?<=.{3}[st])ion$/, '')
        .replace(/(?<=.{3})ly$/, '')
        .replace(/e$/, '')
        .replace(/(?<=.{2})y$/, 'i')
