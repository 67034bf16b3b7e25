import { inOneLine, redactToLine } from './quote.ts'
import { KEEP, type RunningCommand, type SummaryParts } from './state.ts'

const HEADING_TEXT = /^\s{0,3}#{1,6}\s+(.{1,200})$/
const FENCE = /^\s{0,8}(?:`{3}|~{3})/

/** A Markdown text as its title, its headings in order, and its first paragraphs. */
export function outlineOf(text: string): { title: string; outline: string[]; opening: string } {
  const headings: string[] = []
  const prose: string[] = []
  let isFenced = false
  for (const line of text.slice(0, 24_000).split('\n')) {
    if (FENCE.test(line)) isFenced = !isFenced
    else if (!isFenced) {
      const heading = HEADING_TEXT.exec(line)?.[1]
      const plain = heading?.replace(/\s*#+\s*$/, '').replace(/\*\*/g, '')
      if (plain !== undefined) headings.push(redactToLine(plain, 120))
      else if (line.trim() !== '' && headings.length < 3) prose.push(line)
    }
  }
  const [title = redactToLine(prose[0] ?? '', 120), ...outline] = headings
  return {
    title: title.replace(/^(?:the )?plan\s?[:—–-]\s+/i, ''),
    outline: outline.slice(0, KEEP.outline),
    opening: redactToLine(inOneLine(prose.join('\n')), 1_200),
  }
}

/** A numbered heading, or an item of a numbered list at the margin. */
const STEP =
  /^(?:#{1,6}\s+(?:\*\*)?(?:Step|Phase|Schritt|Étape|Paso|Шаг|步骤|ステップ)?\s*\d{1,2}[a-z]?\s*[.:)–—-]?\s+\S|\d{1,2}[.)]\s+\S)/i
const NAMED_STEP = /(?:\b(?:steps?|phase|schritte?|étapes?|pasos?)|шаг|步骤|ステップ)\s*#?(\d{1,2})/giu
const HEADING = /^#{1,6}\s/
/** Words in capitals that mark what must be kept to. */
const RULE = /\b(?:CRITICAL|IMPORTANT|NEVER|MUST(?: NOT)?|ALWAYS|DO NOT|WARNING)\b/
/** What stands under such a line in a list is a rule. */
const RULES_BELOW =
  /^(?:#{1,6}\s+|\*\*)?(?:rules?|constraints?|guardrails?|regeln|reglas|règles)\b[^\n]{0,40}$/i
const BULLET = /^\s*(?:[-*+]|\d{1,2}[.)])\s+/
const CODE = /`([^`\n]{4,120})`/g

/** Patterns are held against lines of so many characters, with single spaces: some look back often. */
const LONGEST_LINE = 600

/** The steps and rules of a slash command's own text. Numbered headings count; without them, numbered items. */
export function commandOf(text: string): Pick<RunningCommand, 'steps' | 'rules'> {
  const lines = text.split('\n').map((line) => line.slice(0, LONGEST_LINE).replace(/[^\S\n]+/g, ' '))
  const hasHeadings = lines.filter((line) => HEADING.test(line) && STEP.test(line)).length >= 2
  const steps: RunningCommand['steps'] = []
  const rules: string[] = []
  let isBelowRules = false
  for (const line of lines) {
    if (!BULLET.test(line) && line.trim() !== '') isBelowRules = RULES_BELOW.test(line)
    const bare = line.replace(/\*\*/g, '')
    const isStep = STEP.test(line) && HEADING.test(line) === hasHeadings
    if (isStep && steps.length < KEEP.steps)
      steps.push({ text: redactToLine(bare.replace(/^#{1,6}\s+/, ''), 140), commands: [], reached: false })
    // What a step has run tells that it was reached.
    const step = steps.at(-1)
    if (step && step.commands.length < 6) step.commands.push(...commandsNamedIn(line))
    if (
      (RULE.test(line) || (isBelowRules && BULLET.test(line))) &&
      line.length < 600 &&
      rules.length < KEEP.rules &&
      !HEADING.test(line) &&
      !/:\**\s*$/.test(line)
    )
      rules.push(redactToLine(line.replace(BULLET, '').replace(/\*\*/g, ''), 240))
  }
  return { steps: hasHeadings ? steps : longestRun(steps), rules }
}

/** Of several numbered lists the longest is the one of the steps. */
function longestRun(steps: RunningCommand['steps']): RunningCommand['steps'] {
  const runs: Array<RunningCommand['steps']> = []
  let before = Number.POSITIVE_INFINITY
  for (const step of steps) {
    const number = Number.parseInt(step.text, 10)
    if (number <= before) runs.push([])
    runs.at(-1)?.push(step)
    before = number
  }
  return runs.reduce((a, b) => (b.length > a.length ? b : a), [])
}

/** Commands of at least two words, as far as nothing in them is to be filled in. */
function commandsNamedIn(line: string): string[] {
  const inline = [...line.matchAll(CODE)].map(([, code = '']) => code)
  const block = /^\s*(?:\$ )?([a-z][\w.-]+(?: [\w./:-]+)+)/.exec(line)?.[1]
  return [...inline, ...(block === undefined || inline.length > 0 ? [] : [block])]
    .map((code) => redactToLine(code.split(/[<{["$|&;]/, 1)[0] ?? '', 100))
    .filter((code) => /^[a-z][\w./-]* [\w./-]+/.test(code) && code.length >= 8)
    .slice(0, 3)
}

/** A step is reached when something that it names is run. */
export function reachByRun(command: RunningCommand, run: string): void {
  const isRun = ({ commands }: { commands: string[] }) => commands.some((mark) => run.includes(mark))
  reachUpTo(command, command.steps.findLastIndex(isRun))
}

/** So it is when the user asks for it by its number, or the agent goes on with it. */
export function reachByName(command: RunningCommand, text: string): void {
  const numbers = [...text.matchAll(NAMED_STEP)].map(([, number]) => Number(number))
  const isNamed = ({ text: step }: { text: string }) =>
    numbers.includes(Number(/\d{1,2}/.exec(step.slice(0, 20))?.[0]))
  reachUpTo(command, command.steps.findLastIndex(isNamed))
}

function reachUpTo(command: RunningCommand, place: number): void {
  const fresh = command.steps.slice(0, place + 1).filter(({ reached }) => !reached)
  for (const step of fresh) step.reached = true
  if (fresh.length > 0) command.requestsSince = 0
}

type QuotedParts = Pick<SummaryParts, 'intent' | 'userSaid' | 'pending' | 'currentWork'>

/** The parts of a summary that may be quoted, by the words that clients give them. What went wrong is not among them. */
const PARTS: ReadonlyArray<readonly [RegExp, name: keyof QuotedParts, most: number]> = [
  [/user messages|user said/, 'userSaid', 1_500],
  [/primary request|intent|goal/, 'intent', 1_200],
  [/pending|remaining|left to do|open/, 'pending', 900],
  [/current work|current state|in progress/, 'currentWork', 1_200],
]
const HEAD = /^(?:#{1,6}\s+|\d{1,2}[.)]\s+|\*\*)([^\n:*]{3,80})(?:\*\*)?:?\s*(.*)$/

/** The client's own summary of a compaction, in parts; the rest of it is left alone. */
export function summaryOf(text: string): QuotedParts {
  const parts: QuotedParts = { intent: '', userSaid: '', pending: '', currentWork: '' }
  let part: keyof QuotedParts | null = null
  for (const line of text.slice(0, 60_000).split('\n')) {
    const head = /^\s/.test(line) ? null : HEAD.exec(line)
    const title = (head?.[1] ?? '').toLowerCase()
    const named = head ? PARTS.find(([pattern]) => pattern.test(title))?.[1] : undefined
    if (head) part = named ?? null
    const said = head ? (head[2] ?? '') : line
    if (part !== null && said.trim() !== '') parts[part] += `${said.trim()}\n`
  }
  for (const [, name, most] of PARTS) parts[name] = redactToLine(inOneLine(parts[name]), most)
  return parts
}
