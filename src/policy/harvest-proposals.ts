import { type Choice, choice, choiceIn, isChoice } from './harvest-decisions.ts'
import { wordsOf } from './harvest-matter.ts'
import type { Sentence } from './harvest-sentences.ts'

const SUGGESTS =
  /^(?:so,? |therefore,? )?(?:(?:i|we)(?:'d| would)? (?:suggest|recommend|propose|advise)|my (?:suggestion|recommendation|proposal|preference) (?:is|would be)|(?:recommendation|proposal|suggestion|(?:proposed|recommended) approach)\s?:|ich schlage vor|ich würde|je propose|je recommande|propongo|recomiendo|sugiero)\b\s?/i
const ASKS =
  /^(?:so,? )?(?:should|shall|may|can|could) (?:i|we) |^(?:do you want|would you like|want) me to |^(?:how|what) about |^(?:does it make sense|is it ok(?:ay)?) to |^(?:soll ich|sollen wir) /i
const ACTS =
  /^(?:that (?:i|we|you) )?(?:first )?(?:also )?(?:run|running|commit|committing|push|pushing|continue|continuing|proceed|start|begin|go ahead|fix|look|check|show|open|investigat|test|re-?run|deploy|merge|restart|try|explain|read)/i
const CHANGES =
  /\b(?:add|adding|move|moving|split|splitting|renam|replac|remov|introduc|extract|stor|writ|creat|mak|mak(?:e|ing)|put|drop|mock|cach|implement|build)/i
export const WEIGHS = /\s(?:instead of|rather than|over)\s/i
/** A question that only asks for leave to go on with what was said. */
const LEAVE =
  /\b(?:ok(?:ay)?|sounds? good|look(?:s)? good|work for you|agree|proceed|go ahead|continue|start|begin|implement (?:it|this|that)|do (?:it|this|that)|make (?:it|this|these|the) ?(?:changes?)?|what do you think|approve|happy with|right|passt das|einverstanden|d'accord|de acuerdo)\b[^?]{0,60}\?$/i

/** What the agent's last words put before the user. */
export interface Offer {
  /** What a yes agrees to, and a no refuses. */
  proposals: Choice[]
  /** The question at the end; empty without one. */
  question: string
}

export function offerOf(sentences: readonly Sentence[]): Offer {
  const question = questionOf(sentences)
  const asked = question === '' ? null : proposalIn(question)
  if (asked !== null) return { proposals: [asked], question }
  if (question !== '' && !LEAVE.test(question)) return { proposals: [], question }
  const proposals = sentences.flatMap((one) => proposalIn(one.text) ?? choiceIn(one, 'agent') ?? [])
  return { proposals: proposals.slice(0, 5), question }
}

/** The question that a text ends with; after it at most a sentence may follow, or the list of what to choose from. */
export function questionOf(sentences: readonly Sentence[]): string {
  const last = sentences.slice(-2).reverse()
  const direct = last.find(({ text }) => text.endsWith('?'))
  if (direct) return direct.text
  const inList = sentences.findLastIndex(({ item }) => item === null)
  const before = inList === sentences.length - 1 ? undefined : sentences[inList]
  return before?.text.endsWith('?') ? before.text : ''
}

function proposalIn(text: string): Choice | null {
  if (text.length > 400) return null
  const suggests = SUGGESTS.exec(text)
  if (suggests) {
    const what = text.slice(suggests[0].length)
    return ACTS.test(what) || !(isChoice(what) || CHANGES.test(what) || WEIGHS.test(what))
      ? null
      : choice(text)
  }
  const asks = ASKS.exec(text)
  if (!asks || !text.endsWith('?')) return null
  const what = text
    .slice(asks[0].length)
    .replace(/,? (?:or (?:not|something else|leave it)|instead)?\s?\?$/i, '')
    .replace(/\?$/, '')
  if (ACTS.test(what) || !isChoice(what) || /\sor\s/i.test(what)) return null
  return choice(what.charAt(0).toUpperCase() + what.slice(1))
}

// A yes that stands for itself, and words that only follow a proposal alone.
const YES =
  /^(?:yes|yep|yeah|yup|sure|sounds good|looks good|lgtm|go ahead|go for it|do it|please do|proceed|approved?|i agree|agreed?|i approve|absolutely|definitely|let'?s do (?:it|that|this)|ship it|ja|jawohl|genau|passt|mach das|einverstanden|oui|d'accord|vas-y|allez-y|sí|si|vale|dale|de acuerdo|adelante|claro|confirmed?)(?=[\s,.!;:]|$)/i
const WELL =
  /^(?:ok(?:ay)?|k|great|perfect|fine|right|correct|exactly|good|nice|cool|gut|super|bien|bueno)(?=[\s,.!;:]|$)[\s,.!;:]*(?:(?:yes|do (?:it|that|so)|go ahead|go for it|go on|proceed|let'?s do (?:it|that)|please|thanks|thank you|then|i agree|agreed|sounds good|start|mach das)[\s,.!]*){0,3}$/i
const LIMITS =
  /\b(?:but|except|instead|however|though|rather|only if|not|don'?t|unless|without|aber|nur|mais|pero|sauf)\b|\?/i
// "No comments in code" forbids something, and "no tests yet?" asks: of these a no is only the first word.
const NO =
  /^(?:(?:nope|nah|nein|lieber nicht|non|rather not|i(?:'d| would) rather (?:not|you didn'?t)|that'?s (?:not|wrong)|i disagree|reject(?:ed)?)(?=[\s,.!;:]|$)|no(?=[,.!;:—–]|$| [—–-]| (?:it|that|this|i|we|you|he|they|the|there|leave|put|keep|do|use|make|take|move|go|try|write|call|name|store|split|return|add|build|show|start|set|run|let'?s|just|please|not|don'?t|never|instead|rather|thanks|thank|way|stop|wait|sorry|actually|nimm|mach|utilise|usa)\b))(?!,? (?:problem|worries|idea|need|doubt|rush|hurry)|[,.]? (?:forget|worry))/i
/** A "don't" that names what not to do is a rule, and no answer to what was offered. */
const DONT =
  /^(?:please )?(?:don'?t|do not|i don'?t (?:want|like|agree(?: with)?))(?: (?:do|use|want|add|go with|like))?(?: (?:it|that|this|so|either))?(?=[.,!;:]|$)/i

/** What a prompt says to an offer. */
export function answerOf(prompt: string): 'yes' | 'no' | null {
  const [first = ''] = prompt
    .trim()
    .slice(0, 400)
    .replace(/[\u2018\u2019]/g, "'")
    .split(/\n/, 1)
  if ((NO.test(first) && !/^no [^,.!;:]*\?$/i.test(first)) || DONT.test(first)) return 'no'
  if (WELL.test(first)) return 'yes'
  const said = YES.exec(first)
  // What another sentence says does not limit it.
  const [rest = ''] = first.slice(said?.[0].length ?? 0).split(/(?<=[.!;])\s/, 1)
  return said && !LIMITS.test(rest) ? 'yes' : null
}

/** "Redis or Postgres?", answered by one of them. */
export function chosenOf(question: string, prompt: string): string | null {
  const [said = ''] = prompt
    .trim()
    .slice(0, 400)
    .replace(/\s+/g, ' ')
    .split(/(?<=[.!]) /, 1)
  if (!/\sor\s/i.test(question) || said.length > 160 || said.endsWith('?')) return null
  const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}.+#-]*/gu) ?? []
  const asked = words(question)
  const [first = '', second = ''] = words(
    said.replace(/^(?:let'?s |please |i'?d |go |with |use |the |option )+/i, ''),
  )
  const isNamed =
    first.length > 1 && asked.includes(first) && !/^(?:or|and|the|a|we|i|should|it|use)$/.test(first)
  return isNamed || (first === 'option' && second !== '') ? said : null
}

const COULD = /\b(?:could|can|alternatively|or|would|option|might|either)\b/i

/** "Flush after each chunk then": what the agent named as another way, taken up. */
export function takenUp(sentences: readonly Sentence[], prompt: string): Choice | null {
  const said = prompt.trim().replace(/[.!]$/, '')
  if (said.length > 120 || !/(?:^then |[, ]then$)/i.test(said)) return null
  const what = said
    .replace(/,? then$/i, '')
    .replace(/^(?:then|ok(?:ay)?|so|let'?s|just|please)[, ]{1,2}/i, '')
  const words = wordsOf(what)
  if (words.length < 2 || ACTS.test(what)) return null
  const isNamed = ({ text }: Sentence) => {
    const known = new Set(wordsOf(text))
    return COULD.test(text) && words.every((word) => known.has(word))
  }
  return sentences.some(isNamed) ? choice(what) : null
}

const NUMBER = /^(?:no,? |make it |better |rather )?(\d{1,9})(?: ?[a-z%]{1,12})?[.!]?$/i

/** A choice with another number in it; null where it holds none or several, or no number was said. */
export function withNumber(text: string, prompt: string): string | null {
  const said = NUMBER.exec(prompt.trim())?.[1]
  const known = text.match(/\b\d{1,9}\b/g) ?? []
  const [only] = known
  if (said === undefined || only === undefined || known.length > 1 || only === said) return null
  return text.replace(only, said)
}
