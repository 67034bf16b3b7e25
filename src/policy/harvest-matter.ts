/** Words that say nothing about what a sentence is about. */
const EMPTY = new Set(
  `a an the this that these those it its is are was were be been to of in on at by and or so we i you they he she our
  my your their me us will would should shall can could may might must do does did done yes ok okay but plus please decided decide opted settled agreed
  let's lets let just now then here there from with as for because since instead rather than use using used uses go
  going goes went keep take pick choose chose have has had i'll we'll i'm i've we've i'd we'd everything all any only
  also actually well der die das den dem ein eine einen wir ich für und oder statt le la les un une des nous on
  pour et ou el los las uno una nosotros para y o en`.split(/\s+/),
)

const WORD = /[\p{L}\p{N}][\p{L}\p{N}_'.+#/@-]*/gu

/** The words of a text that matter, in their order. */
export const wordsOf = (text: string): string[] =>
  (
    text
      .toLowerCase()
      .replace(/\u2019/g, "'")
      .match(WORD) ?? []
  )
    .map((word) => word.replace(/['./@-]+$/, ''))
    .filter((word) => !EMPTY.has(word))

/** Two texts with the same key say the same. */
export function keyOf(text: string): string {
  const words = wordsOf(text)
  return words.length === 0 ? text.trim().toLowerCase() : words.join(' ')
}

const stem = (word: string) => (/[^s]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word)

/** Between a question and what was chosen. */
export const ANSWERED = ' → '

const CHOOSES =
  /\b(?:use|using|used|uses|go(?:ing)? with|go for|went with|stick(?:ing)? (?:with|to)|stay(?:ing)? with|switch(?:ing)? (?:back )?to|mov(?:e|ing) to|migrat(?:e|ing) to|adopt(?:ing)?|pick(?:ed)?|choose|chose|opt(?:ed)? for|settled on|decided (?:on|for|to use)|take|run on|back to|lieber|nehmen|nimm|verwenden?|benutzen?|nutzen?|utilis(?:e|ons|er|ez)|prend|prends|prenons|usa|usar|usemos|usamos|vamos con)\s/i
const OBJECT_ENDS =
  /[,;:.!?()]|\s(?:for|as|instead|rather|because|since|so|over|in|to|on|not|and|with|when|where|than|everywhere|here|now|after|statt|anstatt|weil|für|pour|plutôt|au|car|en|para|porque)(?=\s|$)/i
const FOR =
  /\b(?:for|für|pour|para)\s(?:the |our |all |its |die |den |das |le |la |les |el |los |las )?([^,;:.!?()]{1,80})/i
const FOR_ENDS =
  /\s(?:because|since|so|instead|rather|as|and|when|that|which|with|using|not|use|i|we|i'll|we'll|i'm|weil|statt|car|porque|plutôt|en lugar)(?=\s|$)/i
const OWNED =
  /^(?:the|our) ((?:\S{1,30} ){1,3}?)(?:should |will |must |shall |to )?(?:use|uses|run on|runs on) /i
const OLD =
  /\b(?:instead of|rather than|(?:, |is |and )not|no longer|not use|over|statt|anstatt|plutôt que|au lieu de|en lugar de|en vez de|(?:switch|switching|move|moving|migrate|migrating) (?:away )?from|replace|replacing|drop|dropping|stop using|don't use|do not use|never use|get rid of)\s(?:using |the |our |to use )?([^,;:.!?()]{1,60})/gi
const OLD_ENDS =
  /\s(?:for|to|with|by|because|since|so|any|anymore|in|and|as|on|für|weil|pour|para|car|porque)(?=\s|$)/i
const REPLACES = /\b(?:replace|replacing)\s[^,;:.!?()]{1,60}?\s(?:with|by)\s([^,;:.!?()]{1,60})/i

const CHANGES =
  /\b(?:instead|rather|actually|switch(?:ing)?|change|changed|no longer|any ?more|after all|replace|drop|on second thoughts?|changed my mind|back to|stattdessen|lieber|plutôt|finalement|mejor)\b|^no\b/i

// All small letters and an s at the end: a plural, unless it is one of these.
const NAMES_IN_S = new Set(
  'redis postgres kubernetes nats jenkins windows macos aws gcs sqs sns s3 js css sass rails express pandas keras axios nodejs nextjs tailwindcss cypress deno https tls dns ecs eks turbopack windows'.split(
    ' ',
  ),
)

/** "Do it per account": how, and by which word. */
const MANNER = /\bdo (?:it|this|that) (per|via|by|with|without|as) [^,;:.!?()]/i

/** What a decision is about: what it takes, what for, and what it gives up. */
interface Matter {
  object: string[]
  /** What it takes is described ("the simple dictionary") and not called by its name. */
  described: boolean
  subject: string[]
  old: string[][]
  changes: boolean
}

function matterOf(text: string): Matter {
  const said = text.replace(/[\u2018\u2019]/g, "'").replace(/\s+/g, ' ')
  const [asked = '', answer] = said.split(ANSWERED, 2)
  if (answer !== undefined)
    return {
      ...{ object: wordsOf(answer).slice(0, 6), subject: subjectOf(asked), old: [], changes: false },
      described: DESCRIBED.test(answer),
    }
  const chosen = CHOOSES.exec(said)
  const replaced = REPLACES.exec(said)?.[1]
  const after = chosen ? said.slice(chosen.index + chosen[0].length) : ''
  const object = replaced ?? after.slice(0, endOf(after, OBJECT_ENDS))
  const aim = FOR.exec(said)?.[1] ?? ''
  const subject = aim === '' ? (OWNED.exec(said)?.[1] ?? '') : aim.slice(0, endOf(aim, FOR_ENDS))
  const old = [...said.matchAll(OLD)].map(([, given = '']) => wordsOf(given.slice(0, endOf(given, OLD_ENDS))))
  return {
    object: wordsOf(object).slice(0, 6),
    described: DESCRIBED.test(object),
    subject: subjectOf(subject),
    old: old.filter((words) => words.length > 0),
    changes: CHANGES.test(said),
  }
}

const DESCRIBED = /^(?:the|our|this|that|an?) [a-z]/i

const subjectOf = (text: string) => [...new Set(wordsOf(text).map(stem))].slice(0, 12)

const endOf = (text: string, ends: RegExp) => ends.exec(text)?.index ?? text.length

const isName = ([word = '', ...more]: string[]) =>
  more.length === 0 && word !== '' && (!/[^s]s$/.test(word) || NAMES_IN_S.has(word) || !/^[a-z]+$/.test(word))

const includes = (all: string[], some: string[]) =>
  some.length > 0 && some.every((word) => all.includes(word))

/**
 * Whether a new decision takes an earlier one's place. It says so (instead of, not … any more, from … to), or both
 * choose one thing for the same purpose. `isLast`: the earlier one was the last that was said before.
 */
export function replacing(fresh: string): (earlier: string, isLast: boolean) => boolean {
  const about = matterOf(fresh)
  const manner = MANNER.exec(fresh)?.[1]?.toLowerCase()
  if (about.object.length + about.old.length === 0)
    return (earlier, isLast) =>
      manner !== undefined && isLast && about.changes && earlier.toLowerCase().includes(` ${manner} `)
  return (earlier, isLast) => isReplaced(matterOf(earlier), about, isLast)
}

const isApart = (fresh: Matter, old: Matter) =>
  fresh.subject.length > 0 &&
  old.subject.length > 0 &&
  !includes(fresh.subject, old.subject) &&
  !includes(old.subject, fresh.subject)

function isReplaced(old: Matter, fresh: Matter, isLast: boolean): boolean {
  if (old.object.length === 0 || isApart(fresh, old)) return false
  if (fresh.old.some((words) => includes(old.object, words) || includes(words, old.object))) return true
  const isOther =
    fresh.object.length > 0 && !includes(fresh.object, old.object) && !includes(old.object, fresh.object)
  if (!isOther) return false
  if (fresh.subject.length > 0 && old.subject.length > 0)
    return fresh.changes || (isName(fresh.object) && isName(old.object))
  return isLast && fresh.changes && fresh.old.length === 0 && fresh.subject.length === 0
}

const WEIGHED = /\bafter all\b|\bswitch(?:ing)? to\b/i

/**
 * Which of the standing decisions a change is about that does not say so: the last, or where it returns to what was
 * weighed before ("after all") the last that has a name, with what chose the same thing for the same end.
 */
export function meantBy(fresh: string, standing: readonly string[]): (text: string) => boolean {
  const matters = standing
    .filter((text) => !text.startsWith(PLAN))
    .map((text) => ({ text, ...matterOf(text) }))
  const last = matters.at(-1)
  const isNamed = ({ object, described }: Matter) => object.length > 0 && !described
  const about = matterOf(fresh)
  // "Use inserts: COPY can't do that" says which one it gives up.
  const spoken = wordsOf(fresh)
  const given = matters.findLast((one) => isNamed(one) && isGivenUp(one.object, about.object, spoken))
  if (given) return (text) => text === given.text
  if (!last?.described || !WEIGHED.test(fresh) || !isNamed(about)) return (text) => text === last?.text
  const meant = matters.filter(isNamed).at(-1) ?? last
  const same = matters.filter((one) => one.object[0] === meant.object[0] && !isApart(one, meant))
  return (text) => text === meant.text || same.some((one) => one.text === text)
}

const isGivenUp = (object: string[], taken: string[], spoken: string[]) =>
  includes(spoken, object) && !object.some((word) => taken.includes(word))

/** How a decision begins that agrees to a plan. */
export const PLAN = 'Approved plan: '

/** Whether a sentence says that something changes. */
export const isCorrection = (sentence: string) => CHANGES.test(sentence)

/** Whether a statement only says again what a decision has chosen, in no more words. */
export function restates(fresh: string, decision: string): boolean {
  const [about, known] = [matterOf(fresh), matterOf(decision)]
  return includes(known.object, about.object) && includes(wordsOf(decision), wordsOf(fresh))
}

/** Whether a decision chose what a text names. */
export const chooses = (decision: string, named: string) =>
  includes(matterOf(decision).object, matterOf(named).object)

/** Whether a text names what a decision chose. */
export const names = (text: string, decision: string) => includes(wordsOf(text), matterOf(decision).object)
