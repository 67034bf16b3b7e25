import { plainLine } from '../../core/bullets.ts'
import { BY_HAND_ABOUT } from '../../core/checkpoint.ts'
import { usageError } from '../../core/reason.ts'
import { visible } from '../../core/visible.ts'
import { writeHandoffFor } from '../../engine/brief/write-handoff.ts'
import type { Context } from '../../engine/context/context.ts'
import { NOTICES } from '../../engine/context/notices.ts'
import { redact } from '../../policy/redact.ts'
import { flagFact, integerFact, textFact } from '../define/facts.ts'
import { defineVerb } from '../define/verb.ts'
import { saveInSession } from './save-in-session.ts'
import { readSaveInput, SAYING_FIELDS } from './saying.ts'

/** An agent saves these where they come up: its list of tools need not have them twice. */
const SELDOM = [
  ...(['now', 'goal', 'problem', 'constraint', 'fact', 'accomplishment', 'id'] as const),
  ...(['learning', 'supersedes', 'resolve', 'confirm', 'plan', 'note'] as const),
]

const { text: _text, ...SAID_BY_OPTION } = SAYING_FIELDS
const typedFields = SELDOM.map((name) => [name, { ...SAYING_FIELDS[name], typed: true }])
// `as`: the same fields, for who types commands.
const TYPED = Object.fromEntries(typedFields) as Pick<typeof SAYING_FIELDS, (typeof SELDOM)[number]>

/** It stands in the name, the title and the front matter; what needs more room belongs into the work. */
const MOST_CHARACTERS = 500

export const handoff = defineVerb({
  name: 'handoff',
  summary: 'Save the work and write a handoff document',
  detail:
    'Like save, and then writes everything to one Markdown file in .agents/handoffs of the main worktree. All options of save are optional here. Existing handoffs are never overwritten.',
  fields: {
    purpose: { kind: 'text', at: 0, required: true, about: 'the purpose of the handoff, in one sentence' },
    ...SAID_BY_OPTION,
    ...TYPED,
  },
  examples: [
    'savepoint handoff "Finish the login form"',
    'savepoint handoff "Review the migration" --next "Read src/migrate.ts" --question "Is the index needed?"',
  ],
  access: 'write',
  takesIn: 'talk',
  lenient: true,
  async perform(context, { purpose: given, ...input }) {
    const purpose = purposeOf(context, given)
    // Unlike at a save, nothing has to be said: what is known is handed off.
    const told = await readSaveInput(context, { ...input, text: undefined }, { mayBeSilent: true })
    const receipt = await saveInSession(
      context,
      { ...told, handedOff: true },
      { kind: 'session-end', note: `${BY_HAND_ABOUT.handedOff}${purpose}` },
    )
    for (const { path, state, problem } of receipt.views)
      if (state !== 'written') context.notices.push(NOTICES.fileNotWritten(path, problem))
    return writeHandoffFor(context, receipt, purpose)
  },
  say: ({ path, purpose, slug, stream, sequence, main }, { paint }) =>
    [
      `${paint('good', `Handed off ${stream} #${sequence}`)}: ${visible(purpose)}`,
      `  File: ${visible(path)}`,
      `  Continue${main ? ' in any worktree' : ' here'}: savepoint pickup ${slug}`,
    ].join('\n'),
  tool: {
    title: 'Hand the work off',
    when: 'Call it when another session, agent or person will continue. For your own work call save.',
    effect: 'adds',
    facts: {
      path: textFact(),
      stream: textFact(),
      checkpoint: textFact(),
      sequence: integerFact(),
      main: flagFact('written in the main worktree'),
    },
    factsOf: (written) => written,
  },
})

function purposeOf({ mark }: Context, given: string): string {
  const purpose = plainLine(redact(given, mark))
  if (purpose === '') throw usageError('<purpose> is empty')
  if (purpose.length > MOST_CHARACTERS)
    throw usageError(
      `<purpose> has ${purpose.length} characters, at most ${MOST_CHARACTERS} are allowed: use --state or --next for the rest`,
    )
  return purpose
}
