import { instant } from '../../core/ports.ts'
import { usageError } from '../../core/reason.ts'
import { REJECTED, SEARCH_KINDS, type SearchKind } from '../../core/searchable.ts'
import { shortId } from '../../core/session-name.ts'
import { formatCount } from '../../core/text.ts'
import { visibleLine } from '../../core/visible.ts'
import { clipWidth } from '../../core/width.ts'
import type { Context } from '../../engine/context/context.ts'
import { readOverview } from '../../engine/documents/read-survey.ts'
import { glanceAt } from '../../engine/documents/survey.ts'
import { askIndex, fillIndex } from '../../engine/search/fill-index.ts'
import { readMoreEarlier } from '../../engine/sessions/ingest-sessions.ts'
import { nameRepositories } from '../../engine/transfer/repository-marks.ts'
import { withoutTags } from '../../formats/brief-md/render.ts'
import { readQuery, type SearchWords } from '../../policy/search-query.ts'
import type { SearchFilter, SearchHit } from '../../store/search-index.ts'
import {
  choiceFact,
  flagFact,
  integerFact,
  listFact,
  nullableFact,
  recordFact,
  textFact,
} from '../define/facts.ts'
import type { Screen } from '../define/screen.ts'
import { defineVerb } from '../define/verb.ts'
import { findLearnings, sayLearnings } from './search-learnings.ts'

const SHOWN = 10

const MOST_SHOWN = 50

export const search = defineVerb({
  name: 'search',
  summary: 'Search decisions, learnings, checkpoints, sessions and runs',
  detail:
    'All words must match, in any order and form. "a phrase" matches exactly; pref* matches every word that starts with it. If nothing matches all words, it looks for any of them. It searches this repository with all its worktrees.',
  fields: {
    words: { kind: 'words', at: 0, needed: true, about: 'words, "a phrase" or prefix*' },
    kind: { kind: 'choice', choices: SEARCH_KINDS, value: 'KIND', about: 'only this kind' },
    branch: { kind: 'text', value: 'BRANCH', names: 'branch', about: 'only from this branch' },
    since: {
      kind: 'text',
      value: 'WHEN',
      check: (value: string) => void sinceTime(value, 0),
      about: 'only newer: a date, a time, or an age (3d, 12h, 2w)',
    },
    allWorkspaces: { kind: 'flag', typed: true, about: 'search all your repositories' },
    learnings: {
      kind: 'flag',
      typed: true,
      about: 'only learnings of archived work; without words, all of them',
    },
    limit: {
      kind: 'count',
      least: 1,
      most: MOST_SHOWN,
      value: 'NUMBER',
      about: `how many results (default: ${SHOWN}, at most ${MOST_SHOWN})`,
    },
  },
  examples: [
    'savepoint search token refresh',
    `savepoint search '"race condition"' --kind decision`,
    'savepoint search migrat* --branch main --since 2w',
    'savepoint search --learnings webhook',
  ],
  access: 'read',
  lenient: true,
  perform: async (context, asked) =>
    asked.learnings ? findLearnings(context, asked.words) : searchRecords(context, asked),
  say: (answer, screen) => ('entries' in answer ? sayLearnings(answer, screen) : sayFound(answer, screen)),
  tool: {
    title: 'Search saved work',
    when: 'Call it before deciding what may already be decided, when the user mentions earlier work, or to find out why something was done. One or two specific words work best.',
    effect: 'reads',
    facts: {
      total: integerFact(),
      more: flagFact(),
      relaxed: flagFact('only some of the words match'),
      hits: listFact(
        recordFact({
          id: textFact(),
          kind: choiceFact(SEARCH_KINDS),
          where: textFact(),
          sequence: nullableFact(integerFact('pass it to savepoint_show as at, with where as id')),
          at: textFact(),
          open: textFact('shell command that shows it'),
        }),
        'best first',
      ),
    },
    // A tool cannot ask for learnings alone.
    factsOf: (answer) => ('entries' in answer ? NOTHING_FOUND : answer),
  },
})

interface RecordsAsked {
  words: readonly string[]
  kind: SearchKind | null | undefined
  branch: string | null | undefined
  since: string | undefined
  allWorkspaces: boolean
  limit: number | undefined
}

/** Whatever has the words. `isFilled`: false where somebody else fills the index, and what it has by now will do. */
export async function searchRecords(
  context: Context,
  { words, kind = null, branch = null, since, allWorkspaces, limit = SHOWN }: RecordsAsked,
  { isFilled = true } = {},
) {
  const wanted = readQuery(words.join(' '))
  if (typeof wanted === 'string') throw usageError(wanted)
  if (isFilled) {
    await takeInEdits(context)
    await readMoreEarlier(context)
    await fillIndex(context)
  }
  const { found, relaxed } = await lookFor(context, wanted, {
    repository: allWorkspaces ? null : context.identity.repository,
    ...{ kind, branch, most: limit },
    since: since === undefined ? null : sinceTime(since, context.ports.now()),
  })
  const projects = allWorkspaces ? await nameRepositories(context) : null
  return {
    query: words.join(' '),
    total: found.total,
    /** There are more than `total`: of many matches only the newest are ranked. */
    more: found.more,
    /** Nothing has all of the words: these have any of them. */
    relaxed,
    /** A kind, a branch or a time was asked for. */
    narrowed: kind !== null || branch !== null || since !== undefined,
    hits: found.hits.map((hit) => describeHit(context, hit, projects)),
    /** Records that hold text which nobody has reviewed are not told. */
    foreign: { records: found.foreign.records, work: found.foreign.streams },
  }
}

type FoundAnswer = Awaited<ReturnType<typeof searchRecords>>

const NOTHING_FOUND = { total: 0, more: false, relaxed: false, hits: [] }

/** What a document says is found as soon as it is on the disk; where there is no document, nothing is looked at. */
async function takeInEdits(context: Context): Promise<void> {
  if (glanceAt(context.place.root)?.marks.length !== 0) await readOverview(context)
}

/** All of the words; where nothing has them that may be told, any. */
async function lookFor(context: Context, wanted: SearchWords, filter: SearchFilter) {
  if (wanted.unspaced) {
    const contains = wanted.terms.map((term) => term.text.replace(/\*+$/, ''))
    return { found: await askIndex(context, { contains }, filter), relaxed: false }
  }
  const { terms } = wanted
  const all = await askIndex(context, { terms, of: 'all' }, filter)
  if (all.total > 0 || terms.length === 1) return { found: all, relaxed: false }
  const any = await askIndex(context, { terms, of: 'any' }, filter)
  // What was asked for and may not be told is still what was asked for.
  const { foreign } = all.foreign.records > 0 ? all : any
  return { found: { ...any, foreign }, relaxed: any.total > 0 }
}

function describeHit(
  { identity }: Context,
  hit: SearchHit,
  projects: Awaited<ReturnType<typeof nameRepositories>> | null,
) {
  const { id, kind, at, branch, superseded, place, repository, snippet } = hit
  const { name: project = null, path = null } = projects?.get(repository) ?? {}
  const command = commandFor(hit)
  return {
    /** `superseded`: what took a decision's place, or why it was rejected. `repository`: the id of it. */
    ...{ id, kind, at, branch, superseded, repository },
    /** The work, the run or the session that says it. */
    where: place?.stream ?? shortId(id),
    /** The number of the checkpoint there; null for a session. */
    sequence: place?.sequence ?? null,
    /** A part of its text, with `**` around each match. */
    snippet: snippet.replace(/\s+/g, ' ').replace(MATCH_MARKS, '**').trim(),
    /** The command that shows it. */
    open:
      path === null || repository === identity.repository ? command : `cd ${quotePath(path)} && ${command}`,
    archived: place?.archived ?? false,
    /** The folder of its project, where all of them were searched. */
    project,
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they stand around each match, and in no record.
const MATCH_MARKS = /[\u0001\u0002]/g

function commandFor({ id, kind, place }: SearchHit): string {
  if (place === null) return `savepoint sessions show ${id}`
  if (kind === 'run') return `savepoint run show ${place.stream} ${place.checkpoint}`
  return `savepoint show ${place.stream} --at ${place.sequence}`
}

/** A path as one word of a shell. */
const quotePath = (path: string) =>
  /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`

const SPAN = /^(\d{1,5})([mhdw])$/
const SPAN_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const
const TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)?)?$/

/** A date, a time, or how long ago: `3d`. Where no zone is said it is the local one, as in all that people are shown. */
function sinceTime(text: string, nowMs: number): string {
  const [, number, unit] = SPAN.exec(text) ?? []
  // `as`: the expression lets only these letters through.
  if (number !== undefined) return instant(nowMs - Number(number) * SPAN_MS[unit as keyof typeof SPAN_MS])
  // A date alone would be read as UTC.
  const ms = TIME.test(text)
    ? Date.parse(text.length <= 10 ? `${text}T00:00` : text.replace(' ', 'T'))
    : Number.NaN
  if (!Number.isNaN(ms)) return instant(ms)
  throw usageError(
    `--since takes a date, a time or how long ago (2026-01-31, 2026-01-31T08:00, 3d, 12h, 2w), not ${JSON.stringify(text.slice(0, 40))}`,
  )
}

/** Three lines a record: what and where, the words around the match, the command that shows it. */
function sayFound(answer: FoundAnswer, screen: Screen): string {
  const { columns, paint } = screen
  const { hits, total, more, relaxed, narrowed, foreign } = answer
  const lines = hits.flatMap((hit) => [
    clipWidth(headOf(hit, screen), columns),
    clipWidth(`  ${paintFound(plain(hit.snippet), screen)}`, Math.max(columns, MIN_SNIPPET)),
    `  ${paint('faint', hit.open)}`,
  ])
  return [
    ...(relaxed
      ? [`No exact match${foreign.records > 0 ? ' that may be shown' : ''}; partial matches:`]
      : []),
    ...(hits.length === 0
      ? [`No match${narrowed ? ' with these filters' : ''}. Try fewer words, or a prefix: refresh*`]
      : lines),
    ...sayRest(total - hits.length, more),
    ...sayForeign(foreign),
  ].join('\n')
}

const MIN_SNIPPET = 40

/** The words that were looked for: in colour, else between the marks that a snippet has. */
const paintFound = (snippet: string, { hasColour, paint }: Screen) =>
  hasColour ? snippet.replace(/\*\*(.+?)\*\*/g, (_, word: string) => paint('found', word)) : snippet

function headOf(
  { kind, where, at, branch, archived, superseded, project }: FoundAnswer['hits'][number],
  { time, paint }: Screen,
): string {
  const parts = [
    project === null ? where : `${project}: ${where}`,
    time(at),
    ...(branch === null ? [] : [`on ${branch}`]),
    ...(archived ? ['archived'] : []),
    ...(superseded === null
      ? []
      : [superseded.startsWith(REJECTED) ? superseded : `superseded by: ${superseded}`]),
  ]
  return `${paint('head', kind)}  ${parts.map(plain).join(', ')}`
}

const sayRest = (rest: number, more: boolean): string[] =>
  rest <= 0 && !more
    ? []
    : [
        `${more ? 'More than ' : ''}${formatCount(Math.max(rest, 1), 'more record')} ${rest === 1 && !more ? 'matches' : 'match'}: --limit shows more, --kind, --branch and --since narrow it`,
      ]

/** What nobody has reviewed is not told, only that it is there. */
function sayForeign({ records, work }: FoundAnswer['foreign']): string[] {
  if (records === 0) return []
  const named = work.slice(0, MOST_NAMED).join(' ')
  return [`${formatCount(records, 'record')} not shown until you review: savepoint trust --review ${named}`]
}

const MOST_NAMED = 3

/** One line in which nothing drives a terminal, and no tag begins. */
const plain = (text: string) => withoutTags(visibleLine(text))
