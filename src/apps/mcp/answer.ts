import type { ReasonError } from '../../core/reason.ts'
import { renderInline, renderNotes, renderWords, withNotes } from '../../formats/brief-md/render.ts'
import { pickFacts } from '../../verbs/define/facts.ts'
import { optionName } from '../../verbs/define/field.ts'
import { PLAIN_SCREEN } from '../../verbs/define/screen.ts'
import { type ToolVerb, toolFields } from './tool-list.ts'

/** The answer to a call, in the protocol's form. */
export interface ToolAnswer {
  content: Array<{ type: 'text'; text: string }>
  structuredContent?: Record<string, unknown>
  isError?: true
  _meta?: Record<string, unknown>
  [key: string]: unknown
}

/** More than this is no answer but a flood: clients cut it, or put it into a file. About ten thousand tokens. */
const MOST_CHARACTERS = 40_000

/**
 * A result for an agent: facts, and words behind a fence. Some clients show their model the structured content alone,
 * others the words alone, so both have all of it; what was saved is only ever in the words.
 */
export function answerOf(verb: ToolVerb, result: unknown, notices: readonly string[]): ToolAnswer {
  const { tool, name } = verb
  const words = tool.fenced?.(result) ?? wordsOf(name, verb.say(result, PLAIN_SCREEN))
  const text = withNotes(words, [...new Set(notices)])
  return {
    content: [{ type: 'text', text }],
    structuredContent: { ...cleanFacts(pickFacts(tool.facts, tool.factsOf(result))), text },
  }
}

/** What was done is done: a result that cannot be put into words is told as it is. */
export const plainAnswerOf = (
  { name }: ToolVerb,
  result: unknown,
  notices: readonly string[],
): ToolAnswer => ({
  content: [{ type: 'text', text: withNotes(wordsOf(name, JSON.stringify(result)), [...new Set(notices)]) }],
})

/** What an agent is to do, where that is not what somebody at a shell is to do. */
const HINTS: Partial<Record<ReasonError['reason'], string>> = {
  usage_invalid: "See the tool's input schema.",
}

/**
 * A refusal that an agent can act on: what is wrong, what to do, and the code that never changes. It may name what was
 * saved, or a file that a stranger named: so it stands behind the same fence.
 */
export function toolRefusalOf(verb: ToolVerb, reason: ReasonError, notices: readonly string[]): ToolAnswer {
  const said = [reason.message, HINTS[reason.reason] ?? reason.hint].map((line) => asArguments(verb, line))
  const title = `savepoint ${verb.name} failed (${reason.reason})`
  return {
    content: [{ type: 'text', text: renderNotes(title, [...new Set([...said, ...notices])]) }],
    isError: true,
    // Beside an error no client takes structured content: a program finds it here.
    _meta: { 'savepoint/reason': reason.reason },
  }
}

/** What the command line calls `--what` is the argument "what" here, but in a command; and `<id>` would look like a tag. */
function asArguments(verb: ToolVerb, line: string): string {
  const names = new Map(Object.keys(toolFields(verb)).map((name) => [optionName(name), name]))
  return line
    .replace(/`[^`]*`|savepoint [a-z]+ .*|--([a-z][a-z-]*)/g, (words, option?: string) => {
      const name = option === undefined ? undefined : names.get(option)
      return name === undefined ? words : JSON.stringify(name)
    })
    .replace(/<([a-z][a-z.-]*)>/g, (_, name: string) => name.toUpperCase())
}

/** Lines that are drawn for the eye cost an agent tokens, and tell it nothing. */
const DRAWN = /^━+\n\n?|\n\n?━+$/gm

function wordsOf(name: string, said: string): string {
  const words = said.replace(DRAWN, '')
  const left = words.length - MOST_CHARACTERS
  if (left <= 0) return renderWords(`Output of savepoint ${name}`, words)
  const end = words.lastIndexOf('\n', MOST_CHARACTERS)
  const shown = words.slice(0, end > 0 ? end : MOST_CHARACTERS)
  const cut = `… ${words.length - shown.length} more characters. Run savepoint ${name} in a shell for the rest.`
  return renderWords(`Output of savepoint ${name}`, `${shown}\n${cut}`)
}

/** Facts are ids, numbers and paths; yet a name on the disk may be a stranger's, too. */
function cleanFacts(facts: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, cleanedValue(value)]))
}

function cleanedValue(value: unknown): unknown {
  if (typeof value === 'string') return renderInline(value)
  if (Array.isArray(value)) return value.map(cleanedValue)
  return typeof value === 'object' && value !== null ? cleanFacts(value) : value
}
