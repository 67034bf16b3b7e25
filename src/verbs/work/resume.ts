import { requireName } from '../../core/id.ts'
import { count } from '../../core/text.ts'
import { visible } from '../../core/visible.ts'
import { type Resumed, resumed } from '../../engine/brief/resume-work.ts'
import { notesHere } from '../../engine/brief/session-notes.ts'
import { read } from '../../engine/documents/read.ts'
import { worldOf } from '../../engine/surroundings/world.ts'
import { renderBriefPlain } from '../../formats/brief-md/render.ts'
import { MIN_TOKENS } from '../../policy/brief/brief-fit.ts'
import type { Candidate } from '../../policy/resolve.ts'
import { listOf, maybe, oneOf, text, whole } from '../define/facts.ts'
import { operation, type Screen } from '../define/operation.ts'
import { namedRows } from '../say/table.ts'
import { reviewCommands, sayReview } from './say-review.ts'

export const resume = operation({
  name: 'resume',
  summary: 'Show where the work stands, checked against the files and git',
  detail:
    'A brief for whoever goes on: what the work is, decisions with their reasons, rules, state, next actions, open questions; then files, steps, facts. It never has more tokens than its budget, and its last line says what was cut. Into a pipe it goes as Markdown for an agent, on a terminal as a page.',
  fields: {
    id: {
      kind: 'text',
      at: 0,
      check: (name: string) => void requireName(name, 'the stream'),
      about: 'the piece of work; the one in focus, of the plan or of the branch without it',
    },
    budget: {
      kind: 'count',
      least: MIN_TOKENS,
      value: 'TOKENS',
      about: `how many tokens it may have (estimated); 1500 without it, at least ${MIN_TOKENS}`,
    },
    markdown: { kind: 'flag', typed: true, about: 'Markdown also on a terminal' },
  },
  examples: ['savepoint resume', 'savepoint resume auth-system --budget 600', 'savepoint resume --json'],
  access: 'read',
  takesIn: 'talk',
  lenient: true,
  async perform(context, { id, budget = context.settings.brief_tokens, markdown }) {
    const survey = await read(context)
    // What is uncommitted is in no brief: git need not be asked for it.
    const world = await worldOf(context, survey, { wantsDirty: false })
    const notes = await notesHere(context, survey, null)
    return { markdown, ...(await resumed(context, survey, world, { named: id ?? null, budget, notes })) }
  },
  say: (result, screen) => sayResumed(result, screen),
  exact: (result) => (result.kind === 'brief' ? `${result.text}\n` : null),
  tool: {
    title: 'Brief of saved work',
    when: 'Call it to go on with earlier work: at the start of a session that was not briefed, after /clear, or for another piece of work by its name. Check its UNCONFIRMED lines and ask its questions before you build on them.',
    effect: 'reads',
    facts: {
      kind: oneOf('a brief, a choice between several, an offer of older work, or nothing saved', [
        'brief',
        'choose',
        'offered',
        'nothing',
      ]),
      stream: maybe(text('the piece of work that is told')),
      checkpoint: maybe(text('the checkpoint that the brief was made from')),
      savedAt: maybe(text('when that was saved')),
      tokens: maybe(whole('how many tokens the brief has (estimated)')),
      candidates: listOf('names to choose from', text('the name of a piece of work')),
    },
    factsOf: (result) => ({
      kind: result.kind,
      stream: 'stream' in result ? result.stream : null,
      checkpoint: result.kind === 'brief' ? result.checkpoint : null,
      savedAt: 'savedAt' in result ? result.savedAt : null,
      tokens: result.kind === 'brief' ? result.tokens : null,
      candidates: result.kind === 'choose' ? result.candidates.map(({ name }) => name) : [],
    }),
    fenced: (result) => (result.kind === 'brief' ? result.text : null),
  },
})

function sayResumed(result: Resumed & { markdown: boolean }, { columns }: Screen): string {
  switch (result.kind) {
    case 'nothing':
      return [
        'Nothing has been saved here yet. Begin with:',
        '  savepoint save "what you are working on" --next "…"',
        ...(result.foreign > 0
          ? [
              `${count(result.foreign, 'document')} came with the repository: savepoint list, then savepoint trust`,
            ]
          : []),
      ].join('\n')
    case 'offered': {
      const where = result.branch === null ? '' : ` on the branch ${visible(result.branch)}`
      return `${result.stream} was saved ${result.age} ago${where}. To go on with it: savepoint resume ${result.stream}`
    }
    case 'choose':
      return sayChoice(result, columns)
    case 'brief':
      return result.markdown || !Number.isFinite(columns)
        ? result.text
        : renderBriefPlain(result.page, columns)
  }
}

function sayChoice({ candidates, trusted }: Extract<Resumed, { kind: 'choose' }>, columns: number): string {
  const names = candidates.map(({ name }) => name)
  const isForeignAlone = candidates.every(({ foreign }) => foreign)
  if (isForeignAlone && candidates.length === 1) return `${names[0]} ${sayReview(names, trusted)}`
  const noted = ({ name, foreign, why }: Candidate) => {
    if (isForeignAlone) return ''
    if (foreign) return `, not reviewed: ${reviewCommands([name], trusted).join(', then ')}`
    return why === 'branch' ? ', on this branch' : ''
  }
  return [
    ...(isForeignAlone
      ? [`All that is here ${sayReview(names, trusted)}`]
      : ['Several could be meant. Choose one:', '  savepoint resume <id>']),
    namedRows(
      candidates.map((one) => [one.name, `saved ${one.age} ago${noted(one)}`]),
      columns,
    ),
  ].join('\n')
}
