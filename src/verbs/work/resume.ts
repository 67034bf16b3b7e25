import { requireLookupName } from '../../core/id.ts'
import { formatCount } from '../../core/text.ts'
import { visible } from '../../core/visible.ts'
import { type ResumeResult, resumeStream } from '../../engine/brief/resume-work.ts'
import { notesHere } from '../../engine/brief/session-notes.ts'
import type { UntoldWork } from '../../engine/brief/tell-found.ts'
import { readSurvey } from '../../engine/documents/read-survey.ts'
import { offerAdoption } from '../../engine/transfer/adopt-repository.ts'
import type { ExplainedLine } from '../../policy/brief/explain.ts'
import type { StreamCandidate } from '../../policy/resolve.ts'
import { choiceFact, integerFact, listFact, nullableFact, textFact } from '../define/facts.ts'
import type { Screen } from '../define/screen.ts'
import { defineVerb } from '../define/verb.ts'
import { BRIEF_FIELDS, exactBrief, fencedBrief, sayBrief } from '../say/brief.ts'
import { namedRows } from '../say/table.ts'
import { sayExplained } from './say-explained.ts'
import { reviewCommands, sayReview } from './say-review.ts'

export const resume = defineVerb({
  name: 'resume',
  summary: 'Show the saved work, checked against files and git',
  detail:
    'A brief for the next session: the goal, decisions with reasons, rules, state, next actions and open questions, then files, finished steps and facts. It stays within its token budget, and its last line says what was cut. Piped output is Markdown for an agent; on a terminal it is a page.',
  fields: {
    id: {
      kind: 'text',
      at: 0,
      names: 'work',
      check: requireLookupName,
      about: 'name, branch, or start of the name (default: in focus, else of the plan or branch)',
    },
    ...BRIEF_FIELDS,
    explain: {
      kind: 'flag',
      typed: true,
      about: 'explain each line: its source, its size, whether it is still true, how to change it',
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
    const notes = await notesHere(context, survey, null)
    const asked = { named: id ?? null, budget, notes, explains: explain }
    return { markdown, ...(await resumeStream(context, survey, asked)) }
  },
  say: (result, screen) => {
    if (isExplained(result)) return sayExplained(result, screen)
    if (result.kind === 'found' || result.kind === 'brief') return sayBrief(result, screen)
    const learned = result.learnings.map((text) => `  - ${visible(text)}`)
    return [sayUntold(result, screen), ...(learned.length > 0 ? ['Learned here:', ...learned] : [])].join(
      '\n',
    )
  },
  exact: (result) => (isExplained(result) ? null : exactBrief(result)),
  tool: {
    title: 'Brief of saved work',
    when: 'Call it to continue earlier work: at the start if there was no brief, after /clear, or by name for other work. Check UNCONFIRMED lines and ask its questions before relying on them.',
    effect: 'reads',
    facts: {
      kind: choiceFact(['brief', 'found', 'choose', 'offered', 'nothing']),
      stream: nullableFact(textFact()),
      checkpoint: nullableFact(textFact()),
      savedAt: nullableFact(textFact()),
      tokens: nullableFact(integerFact('size of the brief (estimated)')),
      candidates: listFact(textFact()),
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

function sayUntold(result: UntoldWork, screen: Screen): string {
  if (result.kind === 'choose') return sayChoice(result, screen)
  if (result.kind === 'offered') {
    const where = result.branch === null ? '' : ` on ${visible(result.branch)}`
    return `${result.stream} was saved ${result.age} ago${where}. Continue it: savepoint resume ${result.stream}`
  }
  const lines = [
    'Nothing saved here yet. Start with:',
    '  savepoint save "what you are working on" --next "…"',
    `${formatCount(result.foreign, 'document')} came with the repository. Read: savepoint list. Then: savepoint trust`,
  ]
  return lines.slice(0, result.foreign > 0 ? 3 : 2).join('\n')
}

function sayChoice({ candidates, trusted }: Extract<UntoldWork, { kind: 'choose' }>, screen: Screen): string {
  const names = candidates.map(({ name }) => name)
  const isForeignAlone = candidates.every(({ foreign }) => foreign)
  if (isForeignAlone && candidates.length === 1) return `${names[0]} ${sayReview(names, trusted)}`
  const noteOf = ({ name, foreign, why }: StreamCandidate) => {
    if (isForeignAlone) return ''
    if (foreign) return `, not reviewed: ${reviewCommands([name], trusted).join(', then ')}`
    return why === 'branch' ? ', on this branch' : ''
  }
  return [
    ...(isForeignAlone ? [`All of it ${sayReview(names, trusted)}`] : ['Which work? savepoint resume <id>']),
    namedRows(
      candidates.map((one) => [one.name, `saved ${one.age} ago${noteOf(one)}`]),
      screen,
    ),
  ].join('\n')
}
