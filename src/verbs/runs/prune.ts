import { REASONS, ReasonError } from '../../core/reason.ts'
import { formatCount } from '../../core/text.ts'
import { limitsOf, type RetentionReport, retainRun } from '../../engine/runs/retain.ts'
import { defineVerb } from '../define/verb.ts'

const FAILED = 'checkpoint_retention_prune_failed'

export const runPrune = defineVerb({
  name: 'run prune',
  summary: 'Remove and compress old snapshots',
  detail: 'The newest, last failed, last completed and pinned snapshots of a run are always kept.',
  fields: {
    maxPerRun: {
      kind: 'count',
      value: 'N',
      least: 1,
      about: 'keep at most N snapshots per run (default: 50)',
    },
    maxAgeDays: { kind: 'count', value: 'N', about: 'remove snapshots older than N days (default: 14)' },
    compressAfterHours: {
      kind: 'count',
      value: 'N',
      about: 'compress history files older than N hours (default: 24)',
    },
    dryRun: { kind: 'flag', about: 'show what would be removed' },
  },
  examples: ['savepoint run prune --dry-run', 'savepoint run prune --max-per-run 20 --max-age-days 7'],
  access: 'write',
  async perform(context, input) {
    const usual = limitsOf(context)
    const limits = {
      maxPerRun: input.maxPerRun ?? usual.maxPerRun,
      maxAgeDays: input.maxAgeDays ?? usual.maxAgeDays,
      compressAfterHours: input.compressAfterHours ?? usual.compressAfterHours,
    }
    const runs: RetentionReport[] = []
    for (const run of await context.store.log.listStreams(context.identity.repository))
      runs.push(await retainRun(context, run, limits, { dryRun: input.dryRun }))
    return {
      dryRun: input.dryRun,
      removed: runs.reduce((sum, { removed }) => sum + removed.length, 0),
      compressed: runs.reduce((sum, { compressed }) => sum + compressed.length, 0),
      kept: runs.reduce((sum, { kept }) => sum + kept, 0),
      runs,
    }
  },
  say: (result, { paint }) =>
    [
      ...result.runs
        .filter(({ problem }) => problem !== null)
        .map(({ runId, problem }) => `${paint('bad', FAILED)}: run ${runId}: ${problem}`),
      `${result.dryRun ? 'Would remove' : 'Removed'} ${result.removed}, ${result.dryRun ? 'would compress' : 'compressed'} ${result.compressed}, ${result.dryRun ? 'would keep' : 'kept'} ${result.kept} snapshots in ${formatCount(result.runs.length, 'run')}`,
      ...(result.runs.some(({ problem }) => problem !== null) ? [REASONS[FAILED].hint] : []),
    ].join('\n'),
  failure({ runs }) {
    const failed = runs.find(({ problem }) => problem !== null)
    if (!failed) return null
    const error = new ReasonError(FAILED, { run: failed.runId, problem: failed.problem })
    return { exit: error.exitCode, reason: FAILED, message: error.message, hint: error.hint }
  },
})
