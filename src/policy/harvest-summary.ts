import { choiceIn } from './harvest-decisions.ts'
import { constraintIn, ruleIn } from './harvest-rules.ts'
import { type Sentence, sentencesOf, tidy } from './harvest-sentences.ts'

/** What a client's own compaction summary tells. All of it is the agent's word about what was said before. */
export interface Summary {
  at: string
  intent: string
  decisions: Array<{ text: string; why: string }>
  rules: string[]
  constraints: string[]
  /** What went wrong, and what became of it. */
  errors: string[]
  files: string[]
  next: string[]
  state: string
}

type Part = 'intent' | 'files' | 'errors' | 'messages' | 'pending' | 'current' | 'next' | 'decisions' | null

/** Headings as clients write them, first match wins. */
const PARTS: ReadonlyArray<readonly [RegExp, Part]> = [
  [
    /primary request|user'?s? (?:request|intent|goal)|^(?:\d+[.)] )?(?:intent|goal|objective|task)s?\b/,
    'intent',
  ],
  [/next steps?|optional next/, 'next'],
  [/pending|remaining|open tasks|to ?do|outstanding/, 'pending'],
  [/current work|current state|work in progress|where (?:we|things) (?:are|stand)/, 'current'],
  [/user messages|messages from the user/, 'messages'],
  [/errors?\b|problem solving|dead ends?|failed/, 'errors'],
  [/files?\b|code sections/, 'files'],
  [/decisions?|choices/, 'decisions'],
]
const HEAD =
  /^\s{0,3}(?:#{1,4}\s+)?(?:\*\*)?(?:\d{1,2}[.)]\s+)?(?:\*\*)?([A-Z][A-Za-z '/&,-]{2,60})(?:\*\*)?:?(?:\*\*)?\s*$/
const INLINE =
  /^\s{0,3}(?:#{1,4}\s+)?(?:\*\*)?\d{1,2}[.)]\s+(?:\*\*)?([A-Z][A-Za-z '/&,-]{2,60}):(?:\*\*)?\s+(\S.*)$/
const PATH =
  /(?:^|[\s`"(*])((?:[A-Za-z]:)?\.{0,2}\/?(?:[\w.@-]{1,80}\/){0,12}[\w.@-]{1,80}\.[A-Za-z][A-Za-z0-9]{0,7})(?=[\s`"):*,]|$)/

/** Reads a summary section by section; sections that are not known give nothing. */
export function summaryOf(text: string, at: string): Summary {
  const sections = new Map<Part, string[]>()
  let part: Part = null
  for (const line of text.slice(0, 60_000).split('\n')) {
    if (line.length > 4_000) continue
    const inline = INLINE.exec(line)
    const head = HEAD.exec(line) ?? inline
    const isTop = head !== null && !/^\s{1,}/.test(line)
    if (isTop) {
      const title = (head[1] ?? '').toLowerCase()
      part = PARTS.find(([pattern]) => pattern.test(title))?.[1] ?? null
    }
    const said = isTop ? (inline?.[2] ?? '') : line
    if (part !== null && said !== '') sections.set(part, [...(sections.get(part) ?? []), said].slice(-200))
  }
  // Clients indent what stands under a heading, and that is no code.
  const lines = (of: Part) => (sections.get(of) ?? []).map((line) => line.replace(/^ {1,8}/, ''))
  const said = (of: Part) => sentencesOf(lines(of).join('\n'))
  const messages = sentencesOf(lines('messages').map(unquoted).join('\n'))
  const told = [...said('intent'), ...messages]
  return {
    at,
    intent: joined(said('intent'), 300),
    decisions: [
      ...said('decisions')
        .filter(({ item }) => item !== null)
        .map(({ text }) => ({ ...choiceOr(text) })),
      ...told.flatMap((one) => choiceIn(one, 'user') ?? []),
    ]
      .slice(0, 6)
      .map(({ text: choice, why }) => ({ text: tidy(choice, 300), why: tidy(why, 200) })),
    rules: told
      .flatMap((one) => ruleIn(one) ?? [])
      .slice(0, 6)
      .map((rule) => tidy(rule)),
    constraints: told
      .flatMap((one) => constraintIn(one) ?? [])
      .slice(0, 6)
      .map((one) => tidy(one)),
    errors: items(said('errors')).slice(0, 6),
    files: [...new Set(lines('files').flatMap((line) => PATH.exec(line)?.[1] ?? []))]
      .slice(-20)
      .map((path) => tidy(path, 200)),
    next: [...items(said('next')).slice(0, 3), ...items(said('pending'))].slice(0, 6),
    state: joined(said('current'), 500),
  }
}

const choiceOr = (text: string) =>
  choiceIn({ text, under: 'decisions', item: 0, first: true }, 'agent') ?? { text, why: '' }

const unquoted = (line: string) =>
  line.replace(/^(\s*(?:[-*+]|\d{1,3}[.)])?\s*)["“]/, '$1').replace(/["”](?:\s\([^)]{0,80}\))?\s*$/, '')

const NONE = /^(?:none|n\/a|nothing|no (?:pending|errors|open|remaining)\b)/i

function items(sentences: readonly Sentence[]): string[] {
  const listed = sentences.filter(({ item, first }) => item !== null && first)
  const taken = listed.length > 0 ? listed : sentences.slice(0, 2)
  return taken.filter(({ text }) => !NONE.test(text)).map(({ text }) => tidy(text))
}

function joined(sentences: readonly Sentence[], limit: number): string {
  let text = ''
  for (const one of sentences) {
    if (text !== '' && text.length + one.text.length + 1 > limit) break
    text = text === '' ? one.text : `${text} ${one.text}`
  }
  return tidy(text, limit)
}
