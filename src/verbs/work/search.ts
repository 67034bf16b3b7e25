import { ReasonError } from '../../core/reason.ts'
import { SEARCH_KINDS, type SearchKind } from '../../core/searchable.ts'
import { shortId } from '../../core/session-name.ts'
import type { Context } from '../../engine/context/context.ts'
import { readOverview } from '../../engine/documents/read-overview.ts'
import { glanceAt } from '../../engine/documents/survey.ts'
import { askIndex, fillIndex } from '../../engine/search/fill-index.ts'
import { readMoreEarlier } from '../../engine/sessions/ingest-sessions.ts'
import { nameRepositories } from '../../engine/transfer/repository-marks.ts'
import { readQuery, type SearchWords } from '../../policy/search-query.ts'
import type { SearchAnswer, SearchFilter, SearchHit } from '../../store/search-index.ts'
import {
  choiceFact,
  flagFact,
  integerFact,
  listFact,
  nullableFact,
  recordFact,
  textFact,
} from '../define/facts.ts'
import { defineVerb } from '../define/verb.ts'
import { type FoundAnswer, type FoundRecord, sayFound } from './say-found.ts'
import { sinceTime } from './since.ts'

const SHOWN = 10

const MOST_SHOWN = 50

export const search = defineVerb({
  name: 'search',
  summary: 'Search what was saved: decisions, learnings, checkpoints, sessions and runs',
  detail:
    'All words must match, in any order and form; "a phrase" matches as it stands, pref* matches what begins so. Where nothing has all of the words, any of them is looked for. It searches this repository with all its worktrees.',
  fields: {
    words: { kind: 'words', at: 0, needed: true, about: 'what to look for: words, "a phrase", pref*' },
    kind: {
      kind: 'choice',
      choices: SEARCH_KINDS,
      value: 'KIND',
      about: `only one kind: ${SEARCH_KINDS.join(', ')}`,
    },
    branch: { kind: 'text', value: 'BRANCH', about: 'only what was saved on this branch' },
    since: {
      kind: 'text',
      value: 'WHEN',
      check: (value: string) => void sinceTime(value, 0),
      about: 'only what is newer: a date, a time, or how long ago (3d, 12h, 2w)',
    },
    allWorkspaces: {
      kind: 'flag',
      typed: true,
      about: 'every project of this user, not this repository alone',
    },
    limit: {
      kind: 'count',
      least: 1,
      most: MOST_SHOWN,
      value: 'NUMBER',
      about: `how many to show; ${SHOWN} without it, at most ${MOST_SHOWN}`,
    },
  },
  examples: [
    'savepoint search token refresh',
    `savepoint search '"race condition"' --kind decision`,
    'savepoint search migrat* --branch main --since 2w',
  ],
  access: 'read',
  lenient: true,
  async perform(context, asked) {
    const wanted = readWanted(asked.words)
    await takeInEdits(context)
    await readMoreEarlier(context)
    await fillIndex(context)
    return answerFromIndex(context, wanted, asked)
  },
  say: sayFound,
  tool: {
    title: 'Search saved work',
    when: 'Call it before you decide something that may have been decided, when the user speaks of earlier work, or to find why something is as it is. One or two telling words find more than a sentence.',
    effect: 'reads',
    facts: {
      total: integerFact('how many records match'),
      more: flagFact('there are more than that'),
      relaxed: flagFact('nothing has all of the words; these have some of them'),
      hits: listFact(
        'the best first',
        recordFact('a record', {
          id: textFact('its id, always the same'),
          kind: choiceFact('what it is', SEARCH_KINDS),
          where: textFact('the work, the run or the session that says it'),
          sequence: nullableFact(
            integerFact(
              'the number of its checkpoint there: savepoint_show with "where" as id and this as at tells it',
            ),
          ),
          at: textFact('when that was'),
          open: textFact('the command, at a shell, that shows all of it'),
        }),
      ),
    },
    factsOf: ({ total, more, relaxed, hits }) => ({
      ...{ total, more, relaxed },
      hits: hits.map(({ id, kind, where, sequence, at, open }) => ({ id, kind, where, sequence, at, open })),
    }),
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

export function readWanted(words: readonly string[]): SearchWords {
  const wanted = readQuery(words.join(' '))
  if (typeof wanted === 'string') throw new ReasonError('usage_invalid', { problem: wanted })
  return wanted
}

/** What the index has, as it stands. */
export async function answerFromIndex(
  context: Context,
  wanted: SearchWords,
  { words, kind = null, branch = null, since, allWorkspaces, limit = SHOWN }: RecordsAsked,
): Promise<FoundAnswer> {
  const { found, relaxed } = await lookFor(context, wanted, {
    repository: allWorkspaces ? null : context.identity.repository,
    ...{ kind, branch, most: limit },
    since: since === undefined ? null : sinceTime(since, context.ports.now()),
  })
  const projects = allWorkspaces ? await nameRepositories(context) : null
  return {
    ...{ query: words.join(' '), total: found.total, more: found.more, relaxed },
    narrowed: kind !== null || branch !== null || since !== undefined,
    hits: found.hits.map((hit) => describeHit(context, hit, projects)),
    foreign: { records: found.foreign.records, work: found.foreign.streams },
  }
}

/** What a document says is found as soon as it is on the disk; where there is no document, nothing is looked at. */
async function takeInEdits(context: Context): Promise<void> {
  if (glanceAt(context.place.root)?.marks.length !== 0) await readOverview(context)
}

/** All of the words; where nothing has them that may be told, any. */
async function lookFor(
  context: Context,
  wanted: SearchWords,
  filter: SearchFilter,
): Promise<{ found: SearchAnswer; relaxed: boolean }> {
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
): FoundRecord {
  const { id, kind, at, branch, superseded, place, repository, snippet } = hit
  const { name: project = null, path = null } = projects?.get(repository) ?? {}
  const command = commandFor(hit)
  return {
    ...{ id, kind, at, branch, superseded, repository },
    where: place?.stream ?? shortId(id),
    sequence: place?.sequence ?? null,
    snippet: snippet.replace(/\s+/g, ' ').replace(MATCH_MARKS, '**').trim(),
    open:
      path === null || repository === identity.repository ? command : `cd ${quotePath(path)} && ${command}`,
    archived: place?.archived ?? false,
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
