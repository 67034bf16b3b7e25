import { existsSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { usageError } from '../../core/reason.ts'
import type { Context } from '../../engine/context/context.ts'
import { findRun, findSnapshot } from '../../engine/runs/find-run.ts'
import { takeSnapshot } from '../../engine/runs/take-snapshot.ts'
import { isSnapshotName } from '../../policy/snapshot.ts'
import { defineVerb } from '../define/verb.ts'
import { RUN } from './run.ts'

const MOST_CHARACTERS = 1_000

export const runPin = defineVerb({
  name: 'run pin',
  summary: 'Protect a snapshot, file or id from removal',
  detail:
    'A pinned snapshot is never removed. A pinned file or id is always kept while the run is in progress. Later snapshots list them in `protected_artifacts`.',
  fields: {
    run: RUN,
    artifact: {
      kind: 'text',
      at: 1,
      required: true,
      check: requireArtifact,
      about: 'a snapshot id, `latest`, a path, or an artifact id',
    },
    remove: { kind: 'flag', about: 'remove the pin' },
  },
  examples: [
    'savepoint run pin release-2 latest',
    'savepoint run pin release-2 db/schema.sql',
    'savepoint run pin release-2 latest --remove',
  ],
  access: 'write',
  async perform(context, { run, artifact, remove }) {
    // `run pin release-2` lacks what is to be pinned: it is not a file called release-2.
    if (run === undefined && (await context.store.log.findStream(context.identity.repository, artifact)))
      throw usageError('<artifact> is missing')
    const found = await findRun(context, run)
    if (artifact === 'latest' || isSnapshotName(artifact)) {
      const { row } = await findSnapshot(context, found, artifact)
      await context.store.log.pin(row.id, !remove)
      return { runId: found.name, snapshotId: row.id, artifact: row.id, pinned: !remove }
    }
    const name = nameArtifact(context, artifact)
    const note = `${remove ? 'unpinned' : 'pinned'} ${name}`
    const { snapshotId } = await takeSnapshot(context, found, {
      ...{ kind: 'save', note, protect: { artifact: name, remove } },
    })
    return { runId: found.name, snapshotId, artifact: name, pinned: !remove }
  },
  say: ({ runId, snapshotId, artifact, pinned }) =>
    artifact === snapshotId
      ? `${pinned ? 'Pinned' : 'Unpinned'} snapshot ${snapshotId} of run ${runId}`
      : `${pinned ? 'Pinned' : 'Unpinned'} ${artifact} in run ${runId} (snapshot ${snapshotId})`,
})

function requireArtifact(text: string): void {
  if (text.length > MOST_CHARACTERS || !/^\P{C}+$/u.test(text))
    throw usageError(`a pin is one line of at most ${MOST_CHARACTERS} characters`)
}

/** A path as documents name it, from the root of the workspace; an id, and what is elsewhere, as it is. */
function nameArtifact({ cwd, place }: Context, given: string): string {
  const down = relative(place.root, resolve(cwd, given))
  const isPath = given.includes('/') || given.includes('.') || existsSync(resolve(cwd, given))
  return !isPath || down === '' || down.startsWith('..') ? given : down.split(sep).join('/')
}
