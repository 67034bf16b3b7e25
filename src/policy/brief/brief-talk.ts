import { type PageLine, type PageSection, plainPageLine } from '../../core/brief-page.ts'
import { formatCount } from '../../core/text.ts'
import { didSomething, isDone, tellOutcome } from '../digest/outcome.ts'
import { inOneLine, shorten } from '../digest/quote.ts'
import { type Digest, isTyped } from '../digest/state.ts'
import { type DigestSection, tellDigest } from '../digest/tell.ts'
import type { DigestSurroundings } from '../digest/tell-parts.ts'
import { isLasting } from '../digest/tell-requests.ts'
import { bisectRange } from './bisect-range.ts'

export interface Talk {
  id: string
  /** How long ago it was last heard of, in words: "2 hours". */
  age: string
  /** Where it stands, in words that follow its name. */
  state: string
  isLive: boolean
  /** The session that it goes on from, after a clear or a fork. */
  parent: string | null
  digest: Digest
}

/** The sessions of one piece of work: the newest that did something, small ones after it, and all those before. */
export interface Talks {
  main: Talk
  after: Talk[]
  before: Talk[]
  around: DigestSurroundings
}

const MOST = { after: 1, before: 3, lasting: 6 }

/** A line of what a session said, and when where that is known. */
export interface TalkLine extends PageLine {
  /** Empty for a line of other work. */
  session: string
  at: string | null
  /** What shows the whole of it, where no session said it. */
  command?: string
}

export interface TalkSection extends PageSection {
  lines: TalkLine[]
}

/** What the sessions of a piece of work are told with, on a scale from 0 to 1. */
export function tellTalks(talks: Talks, leads = false): (scale: number) => TalkSection[] {
  const tellMain = tellDigest(talks.main.digest, talks.around, leads ? taskLabel(talks) : undefined)
  return (scale) => withOthers(tellMain(scale), talks, scale)
}

/** Whether the newest task is being done, or is over, as far as anybody can tell. */
const taskLabel = ({ main, around: { trusted } }: Talks) =>
  isTaskDone(main, trusted) ? `Last task (${tellOutcome(main.digest, main.isLive, trusted)})` : 'Current task'

export const isTaskDone = ({ digest, isLive }: Talk, trusted: boolean) => !isLive && isDone(digest, trusted)

function withOthers(
  told: DigestSection[],
  { main, after, before, around }: Talks,
  scale: number,
): TalkSection[] {
  const { trusted, roots } = around
  const tellSession = (when: 'Later' | 'Earlier', talk: Talk, most: number) =>
    lineOf(talk, `${when}, ${talk.age} ago: ${sessionLine(talk, trusted, most)}`, null, roots)
  const did = before.filter(({ digest }) => didSomething(digest))
  const others = [
    ...after.slice(0, MOST.after).map((talk) => tellSession('Later', talk, 160)),
    ...lastingWords(before, around),
    ...did.slice(0, Math.round(MOST.before * scale)).map((talk) => tellSession('Earlier', talk, 200)),
  ]
  const sections = told.map((section) => ({
    ...{ ...section, more: '', lines: section.lines.map(({ text, at }) => lineOf(main, text, at, roots)) },
  }))
  return others.length === 0 ? sections : [...sections, { title: 'Other sessions', lines: others, more: '' }]
}

const lineOf = ({ id }: Talk, text: string, at: string | null, roots: readonly string[]): TalkLine => ({
  ...plainPageLine(roots.reduce(withoutRoot, text)),
  ...{ session: id, at },
})

/** Words that hold for good stay quoted, whichever session they were said in. */
const lastingWords = (before: readonly Talk[], { trusted, roots }: DigestSurroundings) =>
  before
    .flatMap((talk) =>
      talk.digest.requests
        .filter((request) => isTyped(request, trusted) && isLasting(request.text))
        .map(({ text, at }) =>
          lineOf(talk, `Said ${talk.age} ago: user: "${shorten(inOneLine(text), 300)}"`, at, roots),
        ),
    )
    .slice(0, MOST.lasting)

/** What a session was about, in a line: its first and its newest request, how it ended, what it changed. */
function sessionLine({ digest, isLive }: Talk, trusted: boolean, most: number): string {
  const { requests, commits, counts } = digest
  const typed = requests.filter((request) => isTyped(request, trusted))
  const [first] = typed
  const last = typed.at(-1)
  if (!first || !last) return 'no request'
  const quote = (text: string) => `user: "${shorten(inOneLine(text), first === last ? most : most / 2)}"`
  const did = [
    counts.edits > 0 && formatCount(counts.edits, 'edit'),
    commits.length > 0 && formatCount(commits.length, 'commit'),
  ].filter(Boolean)
  const said = first === last ? quote(first.text) : `${quote(first.text)} … ${quote(last.text)}`
  return [said, tellOutcome(digest, isLive, trusted), did.join(', ')].filter(Boolean).join('; ')
}

/** Paths below the workspace, where they begin a word. */
function withoutRoot(line: string, root: string): string {
  if (root.replace(/\/+$/, '') === '') return line
  const parts = line.split(`${root}/`)
  return parts.reduce((told, part) =>
    /(?:^|[^\p{L}\p{N}._/-])$/u.test(told) && /^[\p{L}\p{N}._@-]/u.test(part)
      ? told + part
      : `${told}${root}/${part}`,
  )
}

const STEPS = 256

/** The largest scale at which what is told fits; null where not even the smallest does. */
export function fitScale(fits: (scale: number) => boolean): number | null {
  if (fits(1)) return 1
  return fits(0) ? bisectRange(0, STEPS, (step) => fits(step / STEPS)) / STEPS : null
}
