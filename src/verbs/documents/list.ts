import { visible } from '../../core/visible.ts'
import { readOverview } from '../../engine/documents/read-overview.ts'
import type { Survey } from '../../engine/documents/survey.ts'
import {
  choiceFact,
  flagFact,
  integerFact,
  listFact,
  nullableFact,
  recordFact,
  textFact,
} from '../define/facts.ts'
import { defineVerb, type Screen } from '../define/verb.ts'
import { fitLines, tableLines } from '../say/table.ts'
import { isOfSession, type ListedDocument, listDocument, NOTHING_HERE, STANDINGS } from './list-document.ts'

const foreignFile = ({ id, path }: Survey['foreign'][number]): ListedDocument => ({
  ...{ id, path, standing: 'foreign', parent: null, created: '', updatedAt: '' },
  ...{ problem: '', next: '', checkpoints: 0, sequence: 0, foreign: true },
})

/** Its document is here; or it has none anywhere, and is as much here as elsewhere. */
const isOfHere = ({ path, created }: ListedDocument) => path !== null || created === ''

const TURN: Record<ListedDocument['standing'], number> = { focused: 0, open: 1, foreign: 2, archived: 3 }

/** The one in focus, then the newest; times compare as plain text. */
function inOrder(a: ListedDocument, b: ListedDocument): number {
  if (a.standing !== b.standing) return TURN[a.standing] - TURN[b.standing]
  if (a.updatedAt !== b.updatedAt) return a.updatedAt < b.updatedAt ? 1 : -1
  return a.id < b.id ? -1 : 1
}

export const list = defineVerb({
  name: 'list',
  summary: 'List the work of this workspace: checkpoint documents, and what was saved without one',
  detail:
    'The one in focus comes first, then the newest. With --all also those that are archived, and those that this workspace does not have because they are on another branch or in another worktree.',
  fields: {
    all: {
      kind: 'flag',
      about:
        'also archived ones, those that are not in this workspace, and what sessions saved by themselves',
    },
  },
  examples: ['savepoint list', 'savepoint list --all --json'],
  access: 'read',
  takesIn: 'events',
  async perform(context, { all }) {
    const survey = await readOverview(context)
    // Unreviewed documents are listed for people, never for agents.
    const isWithheld = (row: ListedDocument) => row.foreign && context.speaker === 'agent'
    const rows = survey.rows
      .map(listDocument)
      .map((row) => (isWithheld(row) ? { ...row, problem: '', next: '' } : row))
    const shown = all
      ? rows
      : rows.filter((row) => row.standing !== 'archived' && isOfHere(row) && !isOfSession(row))
    return {
      trusted: survey.trusted,
      documents: [...shown, ...survey.foreign.map(foreignFile)].sort(inOrder),
      hidden: rows.length - shown.length,
    }
  },
  say: ({ documents, hidden, trusted }, screen) =>
    [
      documents.length === 0 ? NOTHING_HERE : sayList(documents, screen),
      hidden > 0 ? `${hidden} more with --all.` : '',
      !trusted && documents.some(({ standing }) => standing === 'foreign')
        ? 'Foreign documents came with the repository. Look at them; if you trust them: savepoint trust'
        : '',
    ]
      .filter(Boolean)
      .join('\n'),
  tool: {
    title: 'List the work',
    when: 'Call it for the ids of the work that is here, before you name one elsewhere. To go on with work call resume, which tells more.',
    effect: 'reads',
    facts: {
      trusted: flagFact('whether the user trusts this workspace'),
      documents: listFact(
        'the work, the one in focus first, then the newest',
        recordFact('a piece of work', {
          id: textFact('its name'),
          standing: choiceFact('foreign: it came with the repository, which is not trusted', STANDINGS),
          path: nullableFact(textFact('its document; null where this workspace has none')),
          updatedAt: nullableFact(textFact('when it was saved last')),
          foreign: flagFact('whether it holds text that nobody here has reviewed'),
        }),
      ),
      hidden: integerFact('how many more there are that are listed only with "all"'),
    },
    factsOf: ({ trusted, documents, hidden }) => ({
      trusted,
      documents: documents.map(({ id, standing, path, updatedAt, foreign }) => ({
        ...{ id, standing, path, foreign },
        updatedAt: updatedAt || null,
      })),
      hidden,
    }),
  },
})

function sayList(documents: ListedDocument[], { columns }: Screen): string {
  const rows = documents.map((one) => [
    one.id,
    !isOfHere(one)
      ? `${one.standing}, elsewhere`
      : one.foreign && one.standing !== 'foreign'
        ? `${one.standing}, foreign`
        : one.standing,
    one.updatedAt.slice(0, 16).replace('T', ' '),
    visible(one.problem),
  ])
  const all: string[] = []
  for (const [row, line] of tableLines(['ID', 'STANDING', 'UPDATED', 'PROBLEM'], rows).entries()) {
    all.push(line)
    const next = row === 0 ? '' : visible(documents[row - 1]?.next ?? '')
    if (next !== '') all.push(`  next: ${next}`)
  }
  return fitLines(all.join('\n'), columns)
}
