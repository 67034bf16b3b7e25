import { noteFolder } from '../../core/layout.ts'
import { instant } from '../../core/ports.ts'
import { usageError } from '../../core/reason.ts'
import { visible, visibleLines } from '../../core/visible.ts'
import type { Context } from '../../engine/context/context.ts'
import { NOTICES } from '../../engine/context/notices.ts'
import { judgeFile } from '../../engine/surroundings/judge-file.ts'
import { ALL_NOTES, listNotes } from '../../engine/surroundings/note-files.ts'
import { agentFolderHere } from '../../engine/surroundings/world.ts'
import { lookHere } from '../../engine/trust/here.ts'
import { redact } from '../../policy/redact.ts'
import { defineVerb } from '../define/verb.ts'

export const note = defineVerb({
  name: 'note',
  summary: 'Show the latest note',
  detail:
    'Shows the note with the newest timestamp as JSON: of the active plan, or else of no plan. Unreadable notes are listed and skipped.',
  fields: {
    plan: {
      kind: 'text',
      value: 'NAME',
      check: (plan) => void noteFolder(plan),
      about: 'the latest note of this plan',
    },
    global: { kind: 'flag', about: 'the latest note without a plan' },
  },
  examples: ['savepoint note', 'savepoint note --plan auth', 'savepoint note --global'],
  access: 'read',
  lenient: true,
  async perform(context, { plan: named, global }) {
    if (global && named !== undefined) throw usageError('--plan and --global exclude each other')
    const here = await lookHere(context)
    const active = global ? null : ((await agentFolderHere(context, here)).foundIndex?.activePlan ?? null)
    const plan = named ?? active
    const found = await latestOf(context, plan)
    const { latest, scope } =
      found.latest === null && named === undefined ? await latestOf(context, null) : found
    const nothing = { plan: scope, path: null, at: null, text: null }
    // There may be one that nobody here has reviewed: an agent is told neither its name nor its words.
    if (latest === null) return { ...nothing, isWithheld: false }
    const { path, hash, atMs, bytes } = latest
    const isForeign = (await judgeFile(context, here, { path, saying: hash })) === 'foreign'
    if (isForeign && context.speaker === 'agent') return { ...nothing, isWithheld: true }
    if (isForeign) context.notices.push(NOTICES.noteUnreviewed(here.trusted))
    const text = redact(bytes.toString('utf8'), context.mark)
    return { plan: scope, path, at: instant(atMs), text, isWithheld: false }
  },
  say: ({ plan, text, isWithheld }) => {
    if (text !== null) return visibleLines(text.trimEnd())
    if (isWithheld) return 'The latest note is not shown: it is not reviewed.'
    return `There is no note ${plan === null ? 'that belongs to no plan' : `of the plan ${visible(plan)}`}.`
  },
  exact: ({ text }) => text,
})

async function latestOf(context: Context, plan: string | null) {
  const { notes, broken } = await listNotes(context, noteFolder(plan), async () => false, ALL_NOTES)
  if (context.speaker === 'user')
    for (const { path, problem } of broken) context.notices.push(NOTICES.filePassedOver(path, problem))
  return { latest: notes[0] ?? null, scope: plan }
}
