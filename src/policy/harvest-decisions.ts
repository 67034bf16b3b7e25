import { decisionOf } from '../core/decision.ts'
import type { Decision } from '../core/work.ts'
import { isIdle, isPlaced } from './harvest-idle.ts'
import type { Sentence } from './harvest-sentences.ts'

export type Choice = Pick<Decision, 'text' | 'why'>
export type Speaker = 'user' | 'agent'

/** A longer sentence is an explanation or a paste; what somebody decides is short. */
const LONGEST = 500

// Every pattern is anchored or without a repeated group, so that any text costs its length and no more.
const LEAD =
  /^(?:(?:no|nope|nein|non)[,.:;!—–-]{1,2} |(?:ok|okay|yes|yeah|yep|sure|well|hm{1,3}|wait|ah|oh|so|now|then|and|but|also|please|actually|right|alright|great|good|fine|perfect|thanks|sorry|for now|in that case|on second thoughts?|instead|therefore|thus|given that|one more thing|gut|ja|bitte|oui|bien|sí|vale)\b[,.:;!—–-]{0,2} ){1,4}/i

/** The words before the point of a sentence. */
export const withoutLead = (text: string) => text.replace(LEAD, '')

// What asks, wonders or supposes is not decided.
const OPEN =
  /\b(?:should (?:we|i)|could (?:we|you|i)|what if|whether|maybe|perhaps|might|not sure|wonder(?:ing)?|if we|if you|would it|in case you|alternatively|option [a-d1-4]\b|either|vielleicht|peut-être|quizás)\b/i
/** To look or to run something is a step of the work, whoever decided on it. */
const DECIDES =
  /^(?:i|we)(?:'ve| have)? (?:decided|chosen|chose|picked|opted|settled on|went with|agreed)\b(?! (?:yesterday|today|earlier|already|last|about)\b)(?! to (?:first |also |just |quickly )?(?:look|have|take|read|re-?read|run|re-?run|check|open|search|grep|start|begin|try|wait|ask|see|inspect|explore|examine|investigate|verify|debug|continue|proceed)\b)/i

/** A return to what was chosen before. */
export const BACK =
  /^(?:let'?s )?(?:(?:go|switch|move|get) )?back to (?!work\b|square\b|normal\b|it\b|this\b|that\b|what\b|where\b|you\b|me\b|(?:the|our|my|your) (?!(?:old|original|previous|first|former|earlier)\b))/i

const USER: readonly RegExp[] = [
  /^let'?s (?:just |rather |actually |instead |also |not )?(?:use|go with|go for|stick (?:with|to)|stay (?:with|on)|switch (?:back )?to|keep|drop|adopt|pick|choose|take|move to|migrate to|store|put|name|call|make|do (?:it |this )?(?:with|in|via)|avoid|skip|split|replace)\s/i,
  /^let'?s (?:do|make|have) .{2,100}(?:\brather than\b|, not )/i,
  /^let'?s (?:do|make|have|run|keep) (?:it|this|that|them) (?!later\b|tomorrow\b|today\b|now\b|first\b|next\b|on (?:mon|tues|wednes|thurs|fri)day)\S.{0,100}\binstead\b/i,
  /^(?:just |rather |only )?use\s(?!cases?\b|of\b)/i,
  /^(?:for|in|on) (?:(?!(?:use|example|instance)\b)\S{1,30} ){1,4}use\s/i,
  /^(?:go|stick|stay) with\s(?!me\b|us\b)/i,
  /^(?:switch|migrate|move) (?:back )?(?:to|from)\s(?!the (?:next|other)\b|(?:the )?(?:\S{1,40} )?(?:branch|terminal|tab|folder|directory|window)\b)/i,
  BACK,
  /^replace \S.{0,80} (?:with|by)\s/i,
  /^(?:pick|choose|adopt|drop)\s(?!up\b|me\b|a (?:good|better)\b|(?:the |all |that |this |my )*(?:\S{1,30} )?(?:database|db|tables?|collection|volume)\b)/i,
  /^(?:i|we)(?:'ll| will|'re going to| are going to|'re| are)? (?:go|going|stick|sticking|stay) with\s/i,
  /^we(?:'ll| will|'re going to| are going to| should| shall) (?:use|keep|switch to|adopt|drop|store|take)\s/i,
  DECIDES,
  /^i(?:'d| would) rather (?:use|have|keep|go|not)\s/i,
  /^i (?:want|would like|'d like) (?:us |you |it |this |to )*(?:to )?(?:use|go with|keep|switch to|stick with)\s/i,
  /^i'd like (?:us |you |it |this |to )*(?:to )?(?:use|go with|keep|switch to|stick with)\s/i,
  /^(?:the|our) (?:\S{1,30} ){1,3}(?:should|will|must|shall) (?:use|run on|be stored in|be written in|live in|go (?:in|into|to))\s/i,
  /^(?!(?:it|this|that|you|they|he|she|there|why|what|how|which|who)\b)\S{2,30} (?:\S{1,30} ){0,2}(?:should|must|shall) use\s/i,
  // German, French, Spanish.
  /^(?:doch )?lieber \S/i,
  /^(?:wir nehmen|wir verwenden|wir benutzen|wir nutzen|wir bleiben bei|wir entscheiden uns für|lass uns|nimm|verwende|benutze|nutze|ich habe mich für|wir haben uns für)\s/i,
  /^(?:utilisons|utilise[rz]?|on prend|prenons|prends|on va utiliser|on utilise|restons sur|passons à|j'ai décidé|nous avons décidé|on a décidé)\s/i,
  /^(?:usemos|usa|usar|vamos a usar|vamos con|utiliza|utilicemos|decidimos|hemos decidido|he decidido|cambia a|cambiemos a)\s/i,
]

/** What is to be made here and not taken from others. */
export const BY_HAND =
  /^(?:write|do|build|implement|make|code|parse|generate|create) (?:it|this|that|them|(?:the|our own|your own) \S{1,30}) (?:by hand|from scratch|ourselves|in-house|without (?:a |any )?(?:package|librar|dependenc)\S{0,10})(?=[\s,.!]|$)/i

/** A change to one file is a step of the work. */
const EDIT = /^replace\s.*\bin `?[\w./-]{1,80}\.[a-z]{1,5}`?[.!]?$/i

/** "No, per account": how instead, in a few words. */
const HOW =
  /^(?:no|nope|nah)[,.:] (?:per|via|with|without|by|in the|on the|into the) (?:\S{1,30} ){0,5}\S{1,40}$/i

/** What a refusal tells to do in place of it. */
const IN_PLACE =
  /^(?:no|nope|nein|non|rather|instead|nah)[,.:]? (?:please |just |rather |let'?s |we |i )?(?:do|use|make|take|put|keep|go|try|write|call|name|leave|store|split|move|return|throw|add|build|start with|mach|nimm|utilise|usa)\s/i
const DOES =
  /^(?:do|make|put|write|store|keep|call|name|place|take|return|throw|save|move)\s.{2,200}\b(?:instead|rather than|, not)\b/i

/** In the middle of a wish: what to do it with. */
const CLAUSE =
  /(?:,| and|, and| but)\s(?:please |rather |just |then )?((?:use|go with|switch to|stick with)\s[^,]{2,200})$/i

const AGENT: readonly RegExp[] = [
  DECIDES,
  /^(?:i|we)(?:'ll| will|'m going to| am going to|'re going to| are going to|'m| am|'re| are)? (?:go|going|stick|sticking|stay|staying) with\s/i,
  /^(?:going|sticking|staying) with\s/i,
  /^(?:opted|chose|decided) (?:for|to|on|against)\s(?!(?:first |also |just )?(?:look|read|run|check|open|search|start|begin|try|wait|ask|see)\b)/i,
  /^(?:ich habe mich für|wir haben uns für|wir entscheiden uns für|j'ai décidé|nous avons décidé|he decidido|hemos decidido|decidimos)\s/i,
]

/** These need a reason, or what was not taken, to be more than work being told. */
const REASONED: readonly RegExp[] = [
  /^(?:i|we)(?:'ll| will|'m going to| am going to|'re going to| are going to)? (?:use|used|keep|kept|adopt|adopted|switch(?:ed)? to|store|stored|put|made|make|take|avoid|avoided|skip|skipped|drop|dropped|replace|replaced|prefer|preferred)\s/i,
  /^i(?:'m| am) (?:using|keeping|storing|switching to|avoiding|dropping)\s/i,
  /^we(?:'re| are) (?:using|keeping|storing|switching to|avoiding|dropping)\s/i,
  /^(?:using|keeping|storing|switching to|avoiding|preferring|switched to|used|kept)\s/i,
  /^(?:ich verwende|ich nehme|ich nutze|wir verwenden|wir nehmen|j'utilise|je prends|nous utilisons|uso|usaré|usamos)\s/i,
]
/** Any other deed is a choice only where its reason stands with it, and where it is no step of the work itself. */
const DEED =
  /^(?:i|we)(?:'ll| will) (?!(?:run|re-?run|read|re-?read|check|re-?check|look|open|search|grep|start|begin|try|test|wait|ask|verify|fix|debug|inspect|explore|examine|investigate|see|continue|proceed|first|now|need|have|be|also|just|then|go|do|add|update|write|edit|create)\b)[a-z]{3,20}\s.{1,300}\s(?:because|instead of|rather than)\s/i
const WEIGHS =
  /\s(?:because|instead of|rather than|over|so that|weil|statt|anstatt|parce que|car|plutôt que|au lieu de|porque|en lugar de|en vez de)\s/i

const LABEL =
  /^(?:(?:design |key |final |architecture |technical )?decisions?(?: made)?(?: #?\d{1,3})?|decided|entscheidung|décision|decisión)\s?[:—–]\s+/i
/** A list under such a heading holds decisions. */
const DECIDED =
  /^(?:\d{1,2}[.)] )?(?:(?:key|design|final|main|my|architecture|architectural|technical|important) )?(?:decisions|choices)(?: made| taken| so far)?:?$/i
const CHOOSES =
  /\b(?:use|using|go(?:ing)? with|stick(?:ing)? with|keep(?:ing)?|switch(?:ing)? to|nehmen|verwenden?|utilis|usa)/i

/** The choice that a sentence tells, and why; null where it tells none. */
export function choiceIn({ text, under, item }: Sentence, who: Speaker): Choice | null {
  const said = text.replace(/, (?:ok|okay|right|alright|please)\s?[?.!]?$/i, '.')
  if (said.length > LONGEST || said.length < 6 || said.endsWith('?') || /^["“«']/.test(said)) return null
  const label = LABEL.exec(said)
  if (label) return choice(said.slice(label[0].length))
  if (item !== null && DECIDED.test(under)) return choice(said)
  const bare = withoutLead(said)
  if (isOpen(bare)) return null
  if (who === 'agent') return isAgents(bare.replace(PURPOSE, '')) ? choice(bare) : null
  if (isUsers(said, bare))
    return choice(IN_PLACE.test(said) ? bare.replace(/^(?:no|nope|nah|nein|non) /i, '') : bare)
  const clause = CLAUSE.exec(bare.replace(/[.!]+$/, ''))?.[1]
  return clause !== undefined && isUsers(clause, clause) ? choice(clause) : null
}

const isOpen = (text: string) => OPEN.test(text)

function isUsers(said: string, bare: string): boolean {
  if (HOW.test(said)) return true
  if (IN_PLACE.test(said) && bare.split(' ').length > 2) return !isIdle(bare) || isPlaced(bare)
  if (DOES.test(bare) || BY_HAND.test(bare)) return true
  if (isContrast(bare)) return true
  return USER.some((pattern) => pattern.test(bare)) && !isIdle(bare) && !EDIT.test(bare)
}

function isAgents(bare: string): boolean {
  if (AGENT.some((pattern) => pattern.test(bare))) return !isIdle(bare)
  if (DEED.test(bare)) return !isIdle(bare)
  return REASONED.some((pattern) => pattern.test(bare)) && weighs(bare) && !isIdle(bare)
}

/** "For the tokens I'll …": what it is for may stand first. */
const PURPOSE = /^(?:for|in) (?:(?!(?:i|we|i'll|we'll|i'm)\b)\S{1,30} ){1,5}(?=(?:i|we)(?:'ll|'m|'ve)? )/i

const weighs = (text: string) => WEIGHS.test(text) || reasonAt(text) !== null

const FINITE =
  /\b(?:is|are|was|were|be|isn't|aren't|has|have|had|do|does|did|fails?|failed|works?|worked|happens?|it|this|that|i|you|we|they|he|she|there|seems?|looks?|means?|get|gets|got|still|only|why|how|what)\b/i

/** "Tabs, not spaces": a few words against a few words, and no statement of what is. */
function isContrast(text: string): boolean {
  const at = text.indexOf(', not ')
  if (at < 2 || text.length > 140) return false
  const [before, after] = [text.slice(0, at), text.slice(at + 6)]
  if (/^(?:sure|yet|only|just|really|necessarily|even|that|so|now|always)\b/i.test(after)) return false
  // "Mock it in the store, not in the test" may take more words to say where.
  const most = /^(?:in|on|by|via|with|from|at|per|into|to) /i.test(after) ? 10 : 5
  return before.split(' ').length <= most && !FINITE.test(before)
}

// "since 2019" and "since the last release" tell a time.
const SINCE =
  /\ssince\s(?!\d|v\d|then\b|last\b|yesterday\b|the (?:last|first|beginning|start|previous|release|upgrade)\b|version\b|monday\b|day\b)/i
const OTHERS: readonly RegExp[] = [
  SINCE,
  /\sso that\s/i,
  /,? as (?=(?:it|they|this|that|we|there|you|users|the user)(?:'s|'re)? )/i,
  /[,\s](?:weil|denn)\s/i,
  /\s(?:parce qu(?:e |')|car |puisque )/i,
  /\s(?:porque|ya que|puesto que)\s/i,
  /\s(?=to (?:avoid|prevent|reduce|minimi[sz]e|ensure|make sure)\b)/i,
]

function reasonAt(text: string): { from: number; to: number } | null {
  for (const pattern of OTHERS) {
    const found = pattern.exec(text)
    if (found && found.index > 5) return { from: found.index, to: found.index + found[0].length }
  }
  return null
}

/** A sentence as a decision: what was chosen, and why. */
export function choice(sentence: string): Choice {
  const said = sentence.trim().replace(/[.!;,]+$/, '')
  const because = decisionOf(said)
  if (because.why !== '') return trimmed(because)
  const reason = reasonAt(said)
  const found = reason && { text: said.slice(0, reason.from).trim(), why: said.slice(reason.to).trim() }
  return trimmed(found && found.text !== '' && found.why !== '' ? found : { text: said, why: '' })
}

const trimmed = ({ text, why }: Choice): Choice => ({ text: text.replace(/[,;:]+$/, '').trim(), why })

/** Whether a sentence that was proposed is a choice at all: to run or to commit something is none. */
export const isChoice = (text: string) => CHOOSES.test(text) && !isIdle(text)
