/** Work being told, and means that are put away again, are no choices. */
const TOOL =
  /^(?:the |a |an |my |your |our |some |this |these |that |it |its |both |multiple |parallel |several )*(?:`?(?:grep|rg|ripgrep|find|sed|awk|cat|ls|head|tail|curl|wget|jq|git|bash|shell|glob|read|edit|write|multiedit|todowrite|task|webfetch|websearch|notebookedit|ultrathink|ctrl|npx|node -e|python -c)`?(?=[\s,.;:)!]|$)|(?:(?!for |in |as |to |with )\S{1,30} ){0,2}(?:tools?|sub-?agents?|agents?|debugger|search|command|commands|script|scripts|regex|breakpoint|explore)\b)/i
/** What a word like "it" points at is not in the sentence. */
const POINTS =
  /^(?:it|this|that|these|those|them|one|the (?:following|above|below|same|first|second|other|latter|former))\b/i
/** Where or how it is to be done is said all the same. */
const PLACED = /^(?:it|this|that|them) (?:in|into|on|to|under|as|with|without|by|per|via|at) \S/i
/** A slip, a trace of looking for one, and what somebody sent along. */
const PASSING =
  /^(?:(?:a|an|the|my|some|another|one) )?(?:(?:small|silly|stupid|temporary|quick|few) )?(?:mistakes?|errors?|typo|wrong|slip|note|backup|look|start|guess|assumption|console\.\S{1,10}|print|prints|printf|log(?:ging)? (?:line|statement|call)s?|logs|debug(?:ging)? \S{1,20}|(?:screenshot|image|picture|link|file|text|sample|example|data|url) (?:i|we|you|that|from|above|below|attached))(?=[\s,.;:]|$)/i
const GIVEN_UP =
  /^(?:(?:your|the) (?:own |best |better |good )?(?:judge?ment|imagination|intuition|head|discretion|common sense)|whatever|whichever|anything|what(?:ever)? you|any (?:of|you)|the same \S{1,30} as (?:before|yesterday|last time))\b/i

const OBJECT =
  /^(?:.{0,60}?\b(?:use|used|using|go with|going with|stick with|keep|pick|choose|chose|picked|adopt|take|put|make|made|store|drop|replace)\s)(?:up |to use )?/i

/** It names a tool of the agent, or points at something that is not said. */
export function isIdle(text: string): boolean {
  const object = text.replace(OBJECT, '')
  if (TOOL.test(object) || PASSING.test(object) || GIVEN_UP.test(object)) return true
  if (/^(?:going|it up|an eye|in mind|calm|working|trying|me posted|up the)\b/i.test(object)) return true
  return POINTS.test(object) && object.split(' ').length < 4
}

/** It says where or how something is to be done that it only points at. */
export const isPlaced = (text: string) => PLACED.test(text.replace(OBJECT, ''))
