import { withoutLead } from './harvest-decisions.ts'
import type { Sentence } from './harvest-sentences.ts'

const LONGEST = 400

// What a "don't" of talk is about, and a "never" of complaint.
const TALK =
  /^(?:don'?t|do not) (?:know|think|worry|see|understand|care|mind|like|want|have|need|believe|get (?:it|why|how|what)|forget|bother|stop|you|we|i|say|panic|give up|do (?:that|this|it)\b|move on)/i
const COMPLAINT =
  /^(?:never|always) (?:mind|seen|saw|heard|had|been|was|were|did|got|worked|happened|thought|knew|is|are|has|have|fails?|works?|the case|ever|again\b|wanted|understood|green|red|fine|slow|passing|failing|passes|broken|there\b|on my\b)/i
/** Only for this once. */
const ONCE = /\b(?:yet|(?<!from )now(?! on\b)|at the moment|this time|today)\b/i

const RULE: readonly RegExp[] = [
  /^(?:please )?(?:never|always) [a-z]/i,
  /^(?:please )?(?:don'?t|do not) [a-z]/i,
  /^(?:you |we |it |code |tests? |this |that )?(?:must not|mustn't|must never|should never|shall not|must always|should always|may not|are not allowed to|can never) /i,
  /^(?:you|we) (?:never|always) [a-z]/i,
  /^from now on\b/i,
  /^(?:please )?only (?:ever )?(?:use|commit|write|change|edit|touch|add|run|answer|reply|work|push|make|modify) /i,
  // Anybody and anything may be forbidden something.
  /^(?!(?:if|when|why|how|what|who|whether|because|since|i|he|she|they|there|something|someone|somebody|maybe|perhaps)\b)(?:\S{1,30} ){1,6}(?:must not|mustn't|must never|must always|must only|may never|may only|should never) (?!have\b|be (?:[a-z]{2,20}ing|there|the|a)\b)\S/i,
  /^(?:please )?stop (?!running\b|trying\b|working\b)[a-z]{2,20}ing (?!(?:it|that|this)[.!]?$)\S/i,
  /^it(?:'s| is) (?:very |really )?important (?:that (?:you|we) |to )(?:never|always|not|do not|don't) /i,
  /^(?:before|after) (?:\S{1,30} ){1,5}(?:always|never) [a-z]/i,
  /^remember\s?[:,] /i,
  /^(?:please )?make sure (?:to|you|that you|we) (?:always|never) /i,
  /^(?:i |we )?(?:(?:always |strongly )?prefer) [a-z`]/i,
  /^i'd prefer [a-z`]/i,
  /^(?:please )?avoid [a-z`]/i,
  /^(?:rule|house rule|convention|important)\s?:\s/i,
  /^(?:whenever|every time) (?:you|we) /i,
  /^under no circumstances\b/i,
  /^(?:please )?ask (?:me )?(?:first )?before /i,
  /^(?:remember to always|remember to never|remember that you must|remember,? never|remember,? always) /i,
  // German, French, Spanish.
  /^(?:bitte )?(?:niemals|nie|immer|keinesfalls|auf keinen fall|ab jetzt|von jetzt an|ab sofort) /i,
  /^(?:bitte )?(?:verwende|benutze|nutze|nimm|ändere|committe|schreibe?|pushe?) (?:bitte )?(?:niemals|nie|immer|kein|keine|keinen|nicht) /i,
  /^(?:ne |n')\S{1,30} (?:jamais|pas) /i,
  /^(?:toujours|jamais|désormais|dorénavant|à partir de maintenant) /i,
  /^(?:nunca|siempre|jamás|a partir de ahora|de ahora en adelante) /i,
  /^no (?:uses|hagas|toques|cambies|modifiques|borres|escribas|añadas|subas) /i,
]
const NO_THINGS =
  /^no (?!(?:problem|idea|way|need|worries|one|luck|clue|doubt|matter|longer|change|changes|difference|errors?|failures?|rush|thanks|such|tests? (?:ran|were|found)|output|result|results|response|it|that|this|i|we|you|he|they|the|more questions|leave|put|keep|do|use|make|take|move|go|try|write|call|name|store|split|return|add|build|show|start|set|run|let|just|please|not|instead)\b)[a-z][a-z-]{1,30}(?: [a-z-]{1,30}){0,3} (?:in|on|without|at|into|from|inside|outside|please)\b/i
/** In the middle of a sentence, after what is asked for. */
const CLAUSE =
  /(?:[,;:–—-]| and| but)\s(?:please |also |and |but )?((?:never|always|do not|don'?t|from now on|under no circumstances) [a-z].*)$/i
const MUST = /^you must (?!have|be kidding|admit|know)/i

/** The rule that a sentence of the user lays down, in their words; null where it lays down none. */
export function ruleIn({ text }: Sentence): string | null {
  if (text.length > LONGEST || text.endsWith('?') || /^["“«']/.test(text)) return null
  const bare = withoutLead(text)
  if (isRule(bare)) return text
  const clause = CLAUSE.exec(text)?.[1]
  return clause !== undefined && isRule(clause) ? clause : null
}

/** What stands before a rule at the end of a sentence. */
export const withoutRule = (text: string, rule: string | null) =>
  rule === null ? text : text.slice(0, -rule.length).replace(/(?:[,;:–—-]| and| but|\s){1,6}$/i, '')

function isRule(text: string): boolean {
  if (text.split(' ').length < 3 && !/^no /i.test(text)) return false
  if (TALK.test(text) || COMPLAINT.test(text) || ONCE.test(text)) return false
  if (/^(?:don'?t|do not) \S{1,20} (?:it|that|this)[.!]?$/i.test(text)) return false
  return RULE.some((pattern) => pattern.test(text)) || MUST.test(text) || isNoThings(text)
}

// "No tests in CI passed" tells what happened.
const HAPPENED = /\b(?:passed|failed|ran|works?|worked|found|changed|exists?|appears?|happened)\b/i
const isNoThings = (text: string) =>
  text.split(' ').length <= 14 && NO_THINGS.test(text) && !HAPPENED.test(text)

// "The token must be expired" guesses; "dates must be in UTC" demands.
const GUESS =
  /\bmust be (?:(?:a|an|the|some|something|because|due|from|that|it|stale|cached|wrong|broken|missing|expired|outdated|related|done|fixed|ready|finished|more|less|better|kidding|joking)\b|[a-z]{2,20}(?:ing|er)\b)/i
const CONSTRAINT: readonly RegExp[] = [
  /^(?!(?:the|this|that|these|those|it|a|an|my|your|there|something|someone|somebody|i|he|she|they|you|we|if|when|because|since|maybe|perhaps|why|how|what|who|which|so)\b)(?:\S{1,30} ){1,5}must be \S/i,
  /^(?!(?:it|this|that|there|something|someone|somebody|i|he|she|they|you|we|if|when|because|since|maybe|perhaps|why|how|what|who|which|so)\b)(?:\S{1,30} ){1,5}must (?:also |still |all )?(?:return|answer|reject|accept|refuse|show|hide|contain|include|match|validate|redirect|stay|come|end|start|begin|follow|respond|survive|finish)\b/i,
  /^(?:we|it|this|that|everything|all of it|they|the \S{1,30}(?: \S{1,30}){0,2}|our \S{1,30}(?: \S{1,30})?) (?:also |still |all )?(?:must|have to|has to|need to|needs to|should) (?:also |still |all |always )?(?:support|work|run|stay|remain|keep|be (?:able|compatible|backwards?|deterministic|idempotent|offline|accessible|thread|under|below|at (?:most|least)|less|no (?:more|larger|slower))|fit|pass on|handle|comply|not (?:need|require|exceed|depend))\b/i,
  /^(?:must|has to|needs to) (?:also )?(?:work|run|support|stay|remain|be|keep|fit|handle)\b/i,
  /^(?:we|it|you) (?:can'?t|cannot|can not|may not) (?:use|add|rely|depend|require|change|break|upgrade|touch|install|exceed)\b/i,
  /^we (?:only have|are limited to|are stuck (?:on|with)|are bound to)\b/i,
  /^we're (?:limited to|stuck (?:on|with)|bound to)\b/i,
  /^we(?: are|'re) (?:still )?on [a-z][\w.-]{1,30} v?\d/i,
  /^we (?:still )?(?:use|run on|support|target|deploy (?:to|on)) [`\w]/i,
  /^(?:the )?(?:deadline|budget|limit|constraint|requirement)s? (?:is|are)\b/i,
  /^(?:constraint|requirement)\s?:\s/i,
  /^no (?:new |additional |extra |external |third-party )(?:dependenc|packages?|librar|modules?|services?)/i,
  /^(?:es|das|wir) (?:muss|müssen) (?:\S{1,30} ){0,5}(?:unterstützen|funktionieren|laufen|bleiben)/i,
  /^(?:il faut|ça doit|cela doit|on doit) (?:supporter|marcher|fonctionner|rester|tourner)\b/i,
  /^(?:tiene que|debe|hay que|tenemos que) (?:funcionar|soportar|seguir|ser compatible)\b/i,
]

/** What the user says that the work is bound to; null where a sentence says nothing of the kind. */
export function constraintIn({ text }: Sentence): string | null {
  if (text.length > LONGEST || text.endsWith('?') || /^["“«']/.test(text)) return null
  const bare = withoutLead(text)
  return CONSTRAINT.some((pattern) => pattern.test(bare)) && !GUESS.test(bare) ? text : null
}

const DEAD: readonly RegExp[] = [
  /\b(?:did not|didn'?t) (?:work|help|fix|solve)\b/i,
  /\b(?:had|has) no effect\b/i,
  /\b(?:won'?t|will not|cannot|can'?t) work (?:because|since|as|here|with)\b/i,
  /\b(?:approach|attempt|idea|strategy|workaround|experiment)\b.{0,80}\b(?:failed|fails|broke|breaks|was wrong|is wrong|does ?n[o']t work|doesn't work)\b/i,
  /\b(?:is|was|turned out to be) a dead end\b/i,
  /^(?:i|we)(?:'ve| have)? (?:already )?tried .{3,200}\b(?:but|without success|to no avail|it failed|and it (?:failed|broke))\b/i,
  /^(?:i|we)(?:'ve| have)? (?:reverted|rolled back|backed out|undid|abandoned|gave up on|given up on) /i,
  /^dead end\b/i,
  /\b(?:hat nicht funktioniert|n'a pas (?:marché|fonctionné)|no funcionó)\b/i,
]
const UNTOLD = /^(?:it|this|that|that one|nope|no|still|sadly|unfortunately)[,]? (?:still )?(?:did|had|has)/i

/** What was tried in vain, as a sentence tells it. */
export function deadEndIn({ text }: Sentence): string | null {
  if (text.length > LONGEST || text.endsWith('?')) return null
  if (!DEAD.some((pattern) => pattern.test(text))) return null
  const bare = withoutLead(text).replace(/^dead end\s?[:—–-]?\s?/i, '')
  if (UNTOLD.test(bare) && !/\b(?:because|since|as it)\b/i.test(bare)) return null
  return bare.split(' ').length < 4 ? null : bare
}

const PROBLEM =
  /^(?:the |our |my |main |current )*(?:problem|issue|bug) (?:is|here is|we have is|seems to be)\b|^problem\s?:|\b(?:is|are) (?:totally |completely |still )?broken\b|^(?:das problem ist|le problème (?:est|c'est)|el problema es)\b/i

/** A problem that the user states. */
export function problemIn({ text }: Sentence): string | null {
  return text.length <= LONGEST && !text.endsWith('?') && PROBLEM.test(withoutLead(text)) ? text : null
}
