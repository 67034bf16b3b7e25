import { BY_HAND_ABOUT } from '../../core/checkpoint.ts'
import { requireName } from '../../core/id.ts'
import { usageError } from '../../core/reason.ts'
import { visible } from '../../core/visible.ts'
import { CORRECTABLE } from '../../core/work.ts'
import type { Context } from '../../engine/context/context.ts'
import { type CorrectionAct, sayCorrected } from '../../policy/correct.ts'
import { ITEM_FIELD_NAMES, ITEM_NOUNS } from '../../policy/match-item.ts'
import { redactAll } from '../../policy/redact.ts'
import { NOTHING_SAID } from '../../policy/save.ts'
import { choiceFact, integerFact, textFact } from '../define/facts.ts'
import type { Fields, InputOf } from '../define/field.ts'
import type { Screen } from '../define/screen.ts'
import { defineVerb, type Tool } from '../define/verb.ts'
import { type SaveReceipt, saveInSession } from './save-in-session.ts'
import { wordSource } from './saying.ts'

const FIELD_NAMES = CORRECTABLE.map((field) => ITEM_FIELD_NAMES[field])

const ABOUT = {
  text: { kind: 'text', at: 0, required: true, about: 'the item: its text, or a unique part of it' },
  field: { kind: 'choice', choices: FIELD_NAMES, value: 'KIND', about: 'only items of this kind' },
  stream: {
    kind: 'text',
    value: 'ID',
    names: 'work',
    typed: true,
    check: (name: string) => void requireName(name, 'name'),
    about: 'the work (default: the one that a save would go to)',
  },
} as const satisfies Fields

type CorrectionReceipt = SaveReceipt & { act: CorrectionAct['act']; reason: string }

/** A correction is a save that says nothing else: one act, with all files that show the work. */
async function performCorrection(
  context: Context,
  { text, field, stream }: InputOf<typeof ABOUT>,
  act: CorrectionAct,
): Promise<CorrectionReceipt> {
  for (const [name, value] of Object.entries({ text, ...act }))
    if (value.trim() === '') throw usageError(`${name === 'text' ? '<text>' : `--${name}`} is empty`)
  const source = await wordSource(context)
  const named = CORRECTABLE.find((one) => ITEM_FIELD_NAMES[one] === field) ?? null
  const correction = redactAll({ ...act, text, field: named }, context.mark)
  const receipt = await saveInSession(
    context,
    {
      saying: { ...NOTHING_SAID, ...source, corrections: [correction] },
      ...{ plan: null, stage: null, tddPhase: null, stream: stream ?? null, note: false },
      ...{ accomplishments: [], redacted: 0 },
    },
    { kind: 'manual', note: BY_HAND_ABOUT[act.act] },
  )
  return { ...receipt, act: act.act, reason: 'why' in correction ? correction.why : '' }
}

const DONE = { confirm: 'Confirmed', reject: 'Rejected', remove: 'Removed', reword: 'Reworded' } as const

/** One line for the item, and one for each file that does not show it yet. */
function sayCorrection(
  { act, reason, corrected, stream, sequence, views }: CorrectionReceipt,
  { paint }: Screen,
): string {
  const lines = corrected.map(({ field, text, to }) => {
    const because = reason === '' ? '' : `, because ${reason}`
    return `${paint('good', `${DONE[act]} ${ITEM_NOUNS[field]}`)}: ${sayCorrected({ text, to })}${because} (${stream} #${sequence})`
  })
  const behind = views.filter(({ state }) => state !== 'written')
  const files = behind.map(({ path, problem }) =>
    paint('warn', `${path} not written yet${problem === null ? '' : `: ${problem}`}`),
  )
  return [...lines, ...files].map(visible).join('\n')
}

const FACTS = {
  ...{ stream: textFact(), checkpoint: textFact(), sequence: integerFact(), field: choiceFact(CORRECTABLE) },
} as const

const toolOf = (title: string, when: string): Tool<CorrectionReceipt, typeof FACTS> => ({
  ...{ title, when, effect: 'changes', facts: FACTS },
  factsOf: ({ corrected: [item], ...receipt }) => ({ ...receipt, field: item?.field ?? 'facts' }),
})

const HOW = { access: 'write', takesIn: 'talk', lenient: true, say: sayCorrection } as const

export const confirm = defineVerb({
  ...HOW,
  name: 'confirm',
  summary: 'Confirm an item marked UNCONFIRMED',
  fields: ABOUT,
  examples: ['savepoint confirm "JWT over cookies"'],
  perform: (context, input) => performCorrection(context, input, { act: 'confirm' }),
  tool: toolOf('Confirm a claim', 'Call it when the user has said it in these words.'),
})

export const reject = defineVerb({
  ...HOW,
  name: 'reject',
  summary: 'Reject a decision or other item, with a reason',
  detail:
    'The item is removed, and briefs list it as rejected, with the reason. If an agent saves it again, it stays rejected; if you do, it comes back.',
  fields: {
    ...ABOUT,
    why: { kind: 'text', value: 'TEXT', required: true, about: 'the reason; shown in briefs' },
  },
  examples: ['savepoint reject "cookies over tokens" --why "the app has no session"'],
  perform: (context, { why, ...input }) => performCorrection(context, input, { act: 'reject', why }),
  tool: toolOf(
    'Reject a claim',
    'Call it when a decision or assumption turned out wrong. Only the user can reject what they confirmed.',
  ),
})

export const remove = defineVerb({
  ...HOW,
  name: 'remove',
  summary: 'Remove a decision, rule, next step or other item',
  detail: 'The item is removed from the work and its document. The history keeps it.',
  fields: ABOUT,
  examples: ['savepoint remove "Never push on Fridays"', 'savepoint remove tabs --field rule'],
  perform: (context, input) => performCorrection(context, input, { act: 'remove' }),
  tool: toolOf(
    'Remove an item',
    'Call it for an item that is outdated or a mistake. Only the user can remove what they confirmed.',
  ),
})

export const reword = defineVerb({
  ...HOW,
  name: 'reword',
  summary: 'Change the text of a decision, rule or other item',
  fields: { ...ABOUT, to: { kind: 'text', value: 'TEXT', required: true, about: 'the new text' } },
  examples: ['savepoint reword "use tabs" --to "Use tabs in Go files only"'],
  perform: (context, { to, ...input }) => performCorrection(context, input, { act: 'reword', to }),
})
