import { instant } from '../../core/ports.ts'
import { ageOf, formatCount } from '../../core/text.ts'
import { ALL, ONLY_COUNT, readEarlier } from '../../engine/sessions/earlier-sessions.ts'
import { reconcileHere, staleSessions } from '../../engine/sessions/ingest-sessions.ts'
import { lookHere } from '../../engine/trust/here.ts'
import { defineVerb } from '../define/verb.ts'
import { sayEarlier } from '../say/say-earlier.ts'

export const reconcile = defineVerb({
  name: 'reconcile',
  summary: 'Close crashed sessions and save what they left',
  detail:
    'This happens automatically whenever a session starts. A session counts as crashed after an hour without hook events or new lines in its transcript. It also reads transcripts of this workspace from before Savepoint was set up.',
  fields: { dryRun: { kind: 'flag', about: 'only list the sessions' } },
  examples: ['savepoint reconcile', 'savepoint reconcile --dry-run --json'],
  access: ({ dryRun }) => (dryRun ? 'read' : 'write'),
  takesIn: 'events',
  lenient: true,
  async perform(context, { dryRun }) {
    const except = context.session
    const earlier = await (dryRun
      ? readEarlier(context, ONLY_COUNT)
      : readEarlier(context, ALL, { except, again: true }))
    const sessions = await (dryRun
      ? staleSessions(context)
      : reconcileHere(context, await lookHere(context), { except }))
    const reconciled = sessions.map(({ id, lastActivityAt, environment }) => ({
      ...{ id, lastActivityAt, branch: environment.gitBranch },
    }))
    return { dryRun, reconciled, earlier, now: instant(context.ports.now()) }
  },
  say: ({ dryRun, reconciled, earlier, now }) => {
    const nowMs = Date.parse(now)
    const closed = formatCount(reconciled.length, 'broken session')
    return [
      ...sayEarlier(earlier, nowMs, dryRun),
      reconciled.length === 0
        ? 'No broken sessions.'
        : `${dryRun ? 'Would save and close' : 'Saved and closed'} ${closed}:`,
      ...reconciled.map(
        ({ id, lastActivityAt, branch }) =>
          `  ${id}  last active ${ageOf(nowMs - Date.parse(lastActivityAt))} ago${branch === null ? '' : `, ${branch}`}`,
      ),
    ].join('\n')
  },
})
