import { nameKey } from '../../core/id.ts'
import { formatCount } from '../../core/text.ts'
import { visible, visibleLine } from '../../core/visible.ts'
import { readOverview } from '../../engine/documents/read-survey.ts'
import type { Survey } from '../../engine/documents/survey.ts'
import { listSessions } from '../../engine/sessions/current.ts'
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
import { fitLines, tableLines } from '../say/table.ts'
import { isOfSession, type ListedDocument, listDocument, NOTHING_HERE, STANDINGS } from './list-document.ts'
import {
  belowSayer,
  groupSessions,
  NO_SESSIONS,
  type SessionsBelow,
  type UnsavedWork,
} from './list-sessions.ts'
import { type DocumentTree, readTree, sayTree } from './list-tree.ts'

type ListedWork = ListedDocument & SessionsBelow

/** Work of which nothing is saved. */
const UNKNOWN = { parent: null, created: '', problem: '', next: '', checkpoints: 0, sequence: 0 }

const foreignFile = ({ id, path }: Survey['foreign'][number]): ListedWork => ({
  ...{ ...UNKNOWN, id, path, standing: 'foreign', updatedAt: '', foreign: true, ...NO_SESSIONS },
})

/** Its document is here; or it has none anywhere, and is as much here as elsewhere. */
const isOfHere = ({ path, created }: ListedDocument) => path !== null || created === ''

const TURN: Record<ListedDocument['standing'], number> = { focused: 0, open: 1, foreign: 2, archived: 3 }

type ListOrder = Pick<ListedDocument, 'id' | 'standing' | 'updatedAt'>

/** The one in focus, then the newest; times compare as plain text. */
function inOrder(a: ListOrder, b: ListOrder): number {
  if (a.standing !== b.standing) return TURN[a.standing] - TURN[b.standing]
  if (a.updatedAt !== b.updatedAt) return a.updatedAt < b.updatedAt ? 1 : -1
  return a.id < b.id ? -1 : 1
}

/** So many are looked at, the newest: whoever asks what is worked on does not ask for last year. */
const MOST_SESSIONS = 50

export const list = defineVerb({
  name: 'list',
  summary: 'List the work in this workspace',
  detail:
    'The work in focus comes first, then the newest, each with its three newest sessions and their requests. Sessions without a save are listed under the work of their branch. Archived work, work on other branches or worktrees, and automatic saves of other sessions are only counted; --all lists them.',
  fields: {
    all: { kind: 'flag', about: 'include archived work, work elsewhere, and automatic saves' },
    tree: { kind: 'flag', typed: true, about: 'show forks as a tree, including archived work' },
  },
  examples: ['savepoint list', 'savepoint list --tree', 'savepoint list --all --json'],
  access: 'read',
  takesIn: 'events',
  async perform(context, { all, tree }): Promise<WorkList | DocumentTree> {
    if (tree) return readTree(context)
    const survey = await readOverview(context)
    // Unreviewed documents are listed for people, never for agents.
    const isWithheld = (row: ListedDocument) => row.foreign && context.speaker === 'agent'
    // Its document came with the repository and is listed as foreign: it is not on another branch as well.
    const foreign = new Set(survey.foreign.map(({ id }) => nameKey(id)))
    const rows = survey.rows
      .map(listDocument)
      .filter((row) => !(foreign.has(nameKey(row.id)) && whyHidden(row) === 'elsewhere'))
      .map((row) => (isWithheld(row) ? { ...row, problem: '', next: '' } : row))
    const shown = rows.filter((row) => all || whyHidden(row) === null)
    const { repository, workspace } = context.identity
    const found = groupSessions(await listSessions(context, { repository, most: MOST_SESSIONS }), {
      ...{ works: shown.map(({ id }) => id), workspace, nowMs: context.ports.now() },
      closed: rows.filter((row) => !all && row.standing === 'archived'),
    })
    const isNamed = survey.trusted || context.speaker !== 'agent'
    const hiddenBy = { archived: 0, elsewhere: 0, sessions: 0 }
    for (const row of all ? [] : rows) {
      const why = whyHidden(row)
      if (why !== null && !(why === 'sessions' && found.streams.has(row.id))) hiddenBy[why] += 1
    }
    return {
      trusted: survey.trusted,
      documents: [
        // The rows are ours alone: thousands of copies would cost more than the list.
        ...shown.map((row) => Object.assign(row, found.byWork.get(nameKey(row.id)) ?? NO_SESSIONS)),
        ...survey.foreign.map(foreignFile),
      ].sort(inOrder),
      unsaved: found.unsaved.map((one) => (isNamed ? one : { ...one, branch: null })),
      hidden: hiddenBy.archived + hiddenBy.elsewhere + hiddenBy.sessions,
      hiddenBy,
    }
  },
  say: (answer, screen) => ('cycles' in answer ? sayTree(answer) : sayWork(answer, screen)),
  tool: {
    title: 'List the work',
    when: 'Call it to find the name of work for another call. To continue work call resume.',
    effect: 'reads',
    facts: {
      trusted: flagFact(),
      documents: listFact(
        recordFact({
          id: textFact(),
          standing: choiceFact(STANDINGS, 'foreign: from the repository, not reviewed'),
          path: nullableFact(textFact()),
          updatedAt: nullableFact(textFact()),
          foreign: flagFact('has unreviewed text'),
          sessions: listFact(textFact()),
        }),
        'focused first, then newest',
      ),
      unsaved: integerFact('branches with sessions but no save'),
      hidden: integerFact('listed only with "all"'),
    },
    factsOf: (answer) => ({
      trusted: answer.trusted,
      documents: answer.documents.map((one) => ({
        ...{ id: one.id, standing: one.standing, path: one.path, foreign: one.foreign },
        updatedAt: one.updatedAt || null,
        sessions: 'sessions' in one ? one.sessions.map(({ id }) => id) : [],
      })),
      ...('cycles' in answer
        ? { unsaved: 0, hidden: 0 }
        : { unsaved: answer.unsaved.length, hidden: answer.hidden }),
    }),
  },
})

interface WorkList {
  trusted: boolean
  documents: ListedWork[]
  /** By branch, the newest first. */
  unsaved: UnsavedWork[]
  hidden: number
  hiddenBy: Record<'archived' | 'elsewhere' | 'sessions', number>
}

function sayWork({ documents, unsaved, hidden, hiddenBy, trusted }: WorkList, screen: Screen): string {
  const nothing = hidden > 0 ? 'No open work here.' : NOTHING_HERE
  const isForeign = !trusted && documents.some(({ standing }) => standing === 'foreign')
  return [
    documents.length + unsaved.length > 0 ? sayList(documents, unsaved, screen) : nothing,
    hidden > 0 ? sayHidden(hiddenBy) : '',
    isForeign ? 'Foreign documents came with the repository. Read them, then: savepoint trust' : '',
  ]
    .filter(Boolean)
    .join('\n')
}

/** Why a list leaves work out that is not asked for; null where it does not. */
function whyHidden(row: ListedDocument): 'archived' | 'elsewhere' | 'sessions' | null {
  if (row.standing === 'archived') return 'archived'
  if (isOfSession(row)) return 'sessions'
  return isOfHere(row) ? null : 'elsewhere'
}

function sayHidden({ archived, elsewhere, sessions }: WorkList['hiddenBy']): string {
  const parts = [
    archived > 0 ? `${archived} archived` : '',
    elsewhere > 0 ? `${elsewhere} on another branch or in another worktree` : '',
    sessions > 0 ? `${formatCount(sessions, 'other session')} without a save` : '',
  ]
  return `Not shown: ${parts.filter((part) => part !== '').join(', ')} (savepoint list --all)`
}

/** Documents and work without a save, in one order. */
function sayList(documents: readonly ListedWork[], unsaved: readonly UnsavedWork[], screen: Screen): string {
  const { columns, paint } = screen
  const works = unsaved.length === 0 ? documents : [...documents, ...unsaved.map(unsavedWork)].sort(inOrder)
  const rows = works.map((one) => [
    one.standing === 'focused' ? paint('head', one.id) : one.id,
    one.foreign ? paint('warn', sayStanding(one)) : sayStanding(one),
    screen.time(one.updatedAt),
    visible(one.problem),
  ])
  const sayBelow = belowSayer(works, screen)
  const [head = '', ...lines] = workLines(rows, columns)
  const all = [paint('faint', head)]
  for (const [at, work] of works.entries()) {
    const next = visible(work.next)
    all.push(lines[at] ?? '')
    if (next !== '') all.push(`  next: ${next}`)
    if (work.sessions.length > 0) all.push(...sayBelow(work))
  }
  return fitLines(all.join('\n'), screen)
}

/** So wide the last column should be, and so much of the time is told: less of it where there is no room. */
const PROBLEM_ROOM = 16
const TIMES = [17, 10, 0]

function workLines(rows: readonly string[][], columns: number): string[] {
  const wanted = Math.min(PROBLEM_ROOM, Math.max(...rows.map(([, , , problem = '']) => problem.length)))
  let lines: string[] = []
  for (const length of TIMES) {
    const fit = ([id = '', standing = '', at = '', problem = '']: readonly string[]) =>
      length === 0 ? [id, standing, problem] : [id, standing, at.slice(0, length), problem]
    lines = tableLines(fit(['ID', 'STANDING', 'UPDATED', 'PROBLEM']), rows.map(fit))
    if (columns - (lines[0] ?? '').indexOf('PROBLEM') >= wanted) break
  }
  return lines
}

const unsavedWork = ({ branch, updatedAt, sessions, moreSessions }: UnsavedWork): ListedWork => ({
  ...{ ...UNKNOWN, id: branch === null ? '(no branch name)' : visibleLine(branch), standing: 'open' },
  ...{ path: null, updatedAt, foreign: false, sessions, moreSessions },
})

function sayStanding(one: ListedDocument): string {
  if (one.checkpoints === 0 && one.standing === 'open') return 'not saved yet'
  if (!isOfHere(one)) return `${one.standing} (file not here)`
  return one.foreign && one.standing !== 'foreign' ? `${one.standing}, foreign` : one.standing
}
