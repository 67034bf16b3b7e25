import { instant } from '../../core/ports.ts'
import { ageOf, formatCount } from '../../core/text.ts'
import { ALL, ONLY_COUNT, readEarlier } from '../../engine/sessions/earlier-sessions.ts'
import {
  describeReconciled,
  type ReconciledSession,
  reconcileHere,
  staleSessions,
} from '../../engine/sessions/ingest-sessions.ts'
import { lookHere } from '../../engine/trust/here.ts'
import { defineVerb } from '../define/verb.ts'
import { sayEarlier } from '../say/say-earlier.ts'

export const reconcile = defineVerb({
  name: 'reconcile',
  summary: 'Move sessions that broke off to the history, and save what they wrote',
  detail:
    'Every start of a session does this by itself. A session counts as broken off after an hour in which neither its hooks nor its transcript said anything. It also reads all transcripts of this workspace that are from before its sessions were recorded.',
  fields: { dryRun: { kind: 'flag', about: 'only tell which sessions that would be' } },
  examples: ['savepoint reconcile', 'savepoint reconcile --dry-run --json'],
  access: ({ dryRun }) => (dryRun ? 'read' : 'write'),
  takesIn: 'events',
  lenient: true,
  async perform(context, { dryRun }) {
    const except = context.session
    const earlier = await (dryRun
      ? readEarlier(context, ONLY_COUNT)
      : readEarlier(context, ALL, { except, again: true }))
    const reconciled = dryRun
      ? (await staleSessions(context)).map(describeReconciled)
      : await reconcileHere(context, await lookHere(context), { except })
    return { dryRun, reconciled, earlier, now: instant(context.ports.now()) }
  },
  say: ({ dryRun, reconciled, earlier, now }) =>
    [...sayEarlier(earlier, Date.parse(now), dryRun), ...sayBroken(reconciled, Date.parse(now), dryRun)].join(
      '\n',
    ),
})

function sayBroken(reconciled: readonly ReconciledSession[], nowMs: number, isDry: boolean): string[] {
  if (reconciled.length === 0) return ['No broken sessions.']
  return [
    `${isDry ? 'Would save and close' : 'Saved and closed'} ${formatCount(reconciled.length, 'broken session')}:`,
    ...reconciled.map(
      ({ id, lastActivityAt, branch }) =>
        `  ${id}  last active ${ageOf(nowMs - Date.parse(lastActivityAt))} ago${branch === null ? '' : `, ${branch}`}`,
    ),
  ]
}
