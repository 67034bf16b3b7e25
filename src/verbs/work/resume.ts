import { requireLookupName } from '../../core/id.ts'
import { formatCount } from '../../core/text.ts'
import { visible } from '../../core/visible.ts'
import { type ResumeResult, resumeStream } from '../../engine/brief/resume-work.ts'
import { notesHere } from '../../engine/brief/session-notes.ts'
import type { UntoldWork } from '../../engine/brief/tell-found.ts'
import { readSurvey } from '../../engine/documents/read-survey.ts'
import { worldOf } from '../../engine/surroundings/world.ts'
import { offerAdoption } from '../../engine/transfer/adopt-repository.ts'
import type { ExplainedLine } from '../../policy/brief/explain.ts'
import type { StreamCandidate } from '../../policy/resolve.ts'
import { choiceFact, integerFact, listFact, nullableFact, textFact } from '../define/facts.ts'
import { defineVerb, type Screen } from '../define/verb.ts'
import { BRIEF_FIELDS, exactBrief, fencedBrief, sayBrief } from '../say/brief.ts'
import { namedRows } from '../say/table.ts'
import { sayExplained } from './say-explained.ts'
import { reviewCommands, sayReview } from './say-review.ts'

export const resume = defineVerb({
  name: 'resume',
  summary: 'Show where the work stands, checked against the files and git',
  detail:
    'A brief for whoever goes on: what the work is, decisions with their reasons, rules, state, next actions, open questions; then files, steps, facts. It never has more tokens than its budget, and its last line says what was cut. Into a pipe it goes as Markdown for an agent, on a terminal as a page.',
  fields: {
    id: {
      kind: 'text',
      at: 0,
      check: requireLookupName,
      about:
        'the work, by its id, its branch, or the beginning of its id; without it the one in focus, of the plan or of the branch',
    },
    ...BRIEF_FIELDS,
    explain: {
      kind: 'flag',
      typed: true,
      about: 'each line with where it comes from, what it costs, whether it holds, and what changes it',
    },
  },
  examples: [
    'savepoint resume',
    'savepoint resume auth-system --budget 600',
    'savepoint resume --json',
    'savepoint resume --explain',
  ],
  access: 'read',
  takesIn: 'talk',
  lenient: true,
  async perform(context, { id, budget = context.settings.brief_tokens, markdown, explain }) {
    await offerAdoption(context)
    const survey = await readSurvey(context)
    // What is uncommitted is in no brief: git need not be asked for it.
    const world = await worldOf(context, survey, { wantsDirty: false })
    const notes = await notesHere(context, survey, null)
    const asked = { named: id ?? null, budget, notes, explains: explain }
    return { markdown, ...(await resumeStream(context, survey, world, asked)) }
  },
  say: (result, screen) => sayResumed(result, screen),
  exact: (result) => (isExplained(result) ? null : exactBrief(result)),
  tool: {
    title: 'Brief of saved work',
    when: 'Call it to go on with earlier work: at the start of a session that was not briefed, after /clear, or for another piece of work by its name. Check its UNCONFIRMED lines and ask its questions before you build on them.',
    effect: 'reads',
    facts: {
      kind: choiceFact('a brief, one of a file that nobody saved, a choice, an offer, or nothing saved', [
        'brief',
        'found',
        'choose',
        'offered',
        'nothing',
      ]),
      stream: nullableFact(textFact('the piece of work that is told')),
      checkpoint: nullableFact(textFact('the checkpoint that the brief was made from')),
      savedAt: nullableFact(textFact('when that was saved')),
      tokens: nullableFact(integerFact('how many tokens the brief has (estimated)')),
      candidates: listFact('names to choose from', textFact('the name of a piece of work')),
    },
    factsOf: (result) => ({
      kind: result.kind,
      stream: 'stream' in result ? result.stream : null,
      checkpoint: result.kind === 'brief' ? result.checkpoint : null,
      savedAt: 'savedAt' in result ? result.savedAt : null,
      tokens: 'tokens' in result ? result.tokens : null,
      candidates: result.kind === 'choose' ? result.candidates.map(({ name }) => name) : [],
    }),
    fenced: fencedBrief,
  },
})

type Explained = Extract<ResumeResult, { kind: 'brief' }> & { explained: ExplainedLine[] }

const isExplained = <R extends ResumeResult>(result: R): result is R & Explained =>
  result.kind === 'brief' && result.explained !== undefined

function sayResumed(result: ResumeResult & { markdown: boolean }, { columns }: Screen): string {
  if (result.kind === 'found') return sayBrief(result, columns)
  if (result.kind === 'brief')
    return isExplained(result) ? sayExplained(result, columns) : sayBrief(result, columns)
  const learned = result.learnings.map((text) => `  - ${visible(text)}`)
  return [sayUntold(result, columns), ...(learned.length > 0 ? ['Learned here:', ...learned] : [])].join('\n')
}

function sayUntold(result: UntoldWork, columns: number): string {
  switch (result.kind) {
    case 'nothing':
      return [
        'Nothing has been saved here yet. Begin with:',
        '  savepoint save "what you are working on" --next "…"',
        ...(result.foreign > 0
          ? [
              `${formatCount(result.foreign, 'document')} came with the repository: savepoint list, then savepoint trust`,
            ]
          : []),
      ].join('\n')
    case 'offered': {
      const where = result.branch === null ? '' : ` on the branch ${visible(result.branch)}`
      return `${result.stream} was saved ${result.age} ago${where}. To go on with it: savepoint resume ${result.stream}`
    }
    case 'choose':
      return sayChoice(result, columns)
  }
}

function sayChoice(
  { candidates, trusted }: Extract<UntoldWork, { kind: 'choose' }>,
  columns: number,
): string {
  const names = candidates.map(({ name }) => name)
  const isForeignAlone = candidates.every(({ foreign }) => foreign)
  if (isForeignAlone && candidates.length === 1) return `${names[0]} ${sayReview(names, trusted)}`
  const noteOf = ({ name, foreign, why }: StreamCandidate) => {
    if (isForeignAlone) return ''
    if (foreign) return `, not reviewed: ${reviewCommands([name], trusted).join(', then ')}`
    return why === 'branch' ? ', on this branch' : ''
  }
  return [
    ...(isForeignAlone
      ? [`All that is here ${sayReview(names, trusted)}`]
      : ['Several could be meant. Choose one:', '  savepoint resume <id>']),
    namedRows(
      candidates.map((one) => [one.name, `saved ${one.age} ago${noteOf(one)}`]),
      columns,
    ),
  ].join('\n')
}
