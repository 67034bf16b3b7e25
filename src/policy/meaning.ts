import { STOP_WORDS, stemOf } from './stem.ts'
import { tokensOf } from './word-tokens.ts'

/** A word that bears meaning, as it stands in its sentence. */
export interface Word {
  stem: string
  /** Without it the sentence says something else: a number, an identifier, a name, what was chosen. */
  isKey: boolean
  /** A verb of choosing and the like, which a paraphrase changes first. */
  isLight: boolean
  /** A verb that denies: "rejected", "dropped". */
  isRejecting: boolean
  isNegated: boolean
  /** It names only what something else was preferred to: "instead of Redis". */
  isAside: boolean
}

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(' '))
const stemSet = (words: string): ReadonlySet<string> => new Set(words.split(' ').map(stemOf))

const CHOICE = stemSet('use choose pick adopt select prefer go take')
const LIGHT = stemSet('decide decision want need keep make always only please ensure let plan get store put')
const REJECT = stemSet('reject abandon discard drop consider try replace remove avoid deprecate')
const MOVE = stemSet('switch move migrate change go')
const NEVER = wordSet('never no cannot nor neither none nobody nothing')
const BREAK = wordSet('but because since so while whereas although though however then therefore')
const AUXILIARY = wordSet(
  'do does did is are was were be been being has have had should must can could will would may might shall to',
)
/** Where a phrase that began with "instead of" is over. */
const AFTER_ASIDE = wordSet('for in on at as with by to when during we i you they it this that everywhere')

interface Clause {
  words: Word[]
  isNegated: boolean
  isAside: boolean
  /** It denies by a verb: "rejected", "replaced by". */
  isRejecting: boolean
  /** Whether what comes after it is denied. */
  outer: boolean
  /** The stems of its verbs of choosing and moving. */
  verbs: string[]
  mark: string
}

/** The words of one sentence, each with whether the sentence denies it. */
export function meaningOf(sentence: string): Word[] {
  const clauses: Clause[] = [clauseOf(false)]
  let previous = ''
  let isChosenNext = false
  for (const token of tokensOf(sentence)) {
    const clause = clauses.at(-1) ?? clauseOf(false)
    if (token.mark !== '') {
      clause.mark = token.mark
      clauses.push(clauseOf(false))
      previous = ''
      continue
    }
    const { lower } = token
    const stem = token.isExact ? lower : stemOf(lower)
    const turned = turnAt({ lower, stem, previous, clause })
    if (turned) clauses.push(turned)
    const here = turned ?? clause
    previous = lower
    const isVerb = CHOICE.has(stem) || MOVE.has(stem)
    if (isVerb) here.verbs.push(stem)
    if (STOP_WORDS.has(lower) || BREAK.has(lower) || isDenial(lower) || lower === 'over') continue
    const isLight = CHOICE.has(stem) || LIGHT.has(stem)
    const isRejecting = REJECT.has(stem)
    const isFull = !isLight && !isRejecting
    const isKey = isFull && (isChosenNext || token.isName || token.isExact)
    if (isFull) isChosenNext = false
    if (CHOICE.has(stem)) isChosenNext = true
    here.words.push({ stem, isKey, isLight, isRejecting, isNegated: false, isAside: here.isAside })
  }
  denyAcross(clauses)
  return clauses.flatMap(({ words, isNegated }) => words.map((word) => ({ ...word, isNegated })))
}

const clauseOf = (isNegated: boolean, more: Partial<Clause> = {}): Clause => ({
  words: [],
  isNegated,
  isAside: false,
  isRejecting: false,
  outer: isNegated,
  verbs: [],
  mark: '',
  ...more,
})

const isDenial = (lower: string) => NEVER.has(lower) || /^(?:not|without|except)$|n't$/.test(lower)
const hasContent = ({ words }: Clause) => words.some(({ isLight, isRejecting }) => !isLight && !isRejecting)

interface Turn {
  lower: string
  stem: string
  previous: string
  clause: Clause
}

/** What a word does to the clause it comes in: it denies it, or begins another one, which is given back. */
function turnAt({ lower, stem, previous, clause }: Turn): Clause | null {
  const begun = hasContent(clause)
  const aside = () => clauseOf(!clause.outer, { isAside: true, outer: clause.outer })
  if (BREAK.has(lower)) return clauseOf(false)
  const pair = `${previous} ${lower}`
  if (pair === 'instead of' || pair === 'rather than' || pair === 'away from') return aside()
  if (pair === 'favour of' || pair === 'favor of') return clauseOf(false)
  if (lower === 'over' && begun && clause.verbs.some((verb) => CHOICE.has(verb))) return aside()
  if (lower === 'from' && clause.verbs.some((verb) => MOVE.has(verb))) return aside()
  if (lower === 'not' && begun && !AUXILIARY.has(previous)) return aside()
  if ((lower === 'without' || lower === 'except') && begun) return clauseOf(true, { outer: clause.outer })
  if (isDenial(lower) || pair === 'decided against') clause.isNegated = clause.outer = true
  if (REJECT.has(stem)) return rejectedAt(previous, clause, begun)
  if (!begun) return null
  if (clause.isAside && (AFTER_ASIDE.has(lower) || CHOICE.has(stem))) return clauseOf(clause.outer)
  // "Considered Redis and chose Postgres", "replaced Redis by Postgres".
  const isOver = CHOICE.has(stem) || lower === 'by' || lower === 'with'
  return clause.isRejecting && isOver ? clauseOf(false) : null
}

/** "We use Postgres and dropped Redis" denies what follows; "Redis was dropped" all that came before. */
function rejectedAt(previous: string, clause: Clause, begun: boolean): Clause | null {
  if (begun && /^(?:and|or|to)$/.test(previous)) return clauseOf(true, { isRejecting: true })
  clause.isNegated = clause.isRejecting = clause.outer = true
  return null
}

/** A clause that only denies speaks of the one before it, "Redis: rejected", else of the next: "Rejected: Redis". */
function denyAcross(clauses: readonly Clause[]): void {
  for (const [at, clause] of clauses.entries()) {
    if (!clause.isNegated || hasContent(clause)) continue
    const before = clauses[at - 1]
    const next = clauses[at + 1]
    if (before && hasContent(before) && clause.isRejecting) before.isNegated = true
    else if (next && (clause.mark === ':' || clause.isRejecting)) next.isNegated = true
  }
}
