import { basename, join, relative, sep } from 'node:path'
import { sha256 } from '../../core/canonical.ts'
import type { Checkpoint } from '../../core/checkpoint.ts'
import { randomToken } from '../../core/id.ts'
import { describeError, ReasonError } from '../../core/reason.ts'
import { encodeHandoff } from '../../formats/handoff-md/codec.ts'
import { HANDOFFS, handoffName, slugOf } from '../../formats/handoff-md/layout.ts'
import { openFolder } from '../../fs/disk.ts'
import { createDurably, makeFolders } from '../../fs/durable.ts'
import type { Context } from '../context/context.ts'
import { NOTICES } from '../context/notices.ts'
import type { WorkReceipt } from '../save/save-work.ts'
import { handoffHome, handoffProblemOf, MAX_HANDOFF_BYTES } from './handoff-files.ts'

/** Writes the handoff of a save. If the file cannot be written, the work is still saved, and the refusal says so. */
export async function writeHandoffFor(context: Context, receipt: WorkReceipt, purpose: string) {
  const { stream, sequence, checkpoint: id } = receipt
  const home = handoffHome(context)
  if (home.problem !== null) context.notices.push(NOTICES.handoffHere(home.problem))
  const { root } = home.place
  const folder = join(root, ...HANDOFFS)
  try {
    const stored = await context.store.log.readCheckpoint(id)
    if (stored?.state !== 'whole')
      throw new ReasonError('checkpoint_integrity_mismatch', {
        path: id,
        problem: 'it could not be read back',
      })
    const { at, provenance, work } = stored.checkpoint
    const { branch = null, commit = null } = provenance ?? {}
    // As seen from where the file lies: a path from the top would tell the world how this machine is laid out.
    const from = (relative(root, context.place.root) || basename(root)).split(sep).join('/')
    const text = encodeHandoff({ purpose, branch, commit, at, work, from, stream })
    if (Buffer.byteLength(text) > MAX_HANDOFF_BYTES)
      throw new ReasonError('file_too_large', { path: folder, limit: MAX_HANDOFF_BYTES })
    const { name, number } = await create(context, root, handoffName(at, branch, purpose), (path) =>
      remember(context, stored.checkpoint, path, text),
    )
    const slug = number === 1 ? slugOf(purpose) : `${slugOf(purpose)}-${number}`
    return {
      ...{ path: join(folder, name), purpose, slug, stream, checkpoint: id, sequence, branch, commit },
      main: home.main,
    }
  } catch (error) {
    // A damaged store is healed, and all of this done again.
    if (error instanceof ReasonError && error.reason === 'store_damaged') throw error
    const named = error instanceof ReasonError ? error.data.path : null
    const path = typeof named === 'string' ? named : folder
    // The work is saved, whatever went wrong since: also a defect of ours has this reason.
    const problem = error instanceof ReasonError ? handoffProblemOf(error) : describeError(error)
    const data = { path, problem, stream, sequence, checkpoint: id }
    throw new ReasonError('handoff_unwritten', data, { cause: error })
  }
}

/** Before the file is there: none may lie there that `pickup` does not know as ours, and that an undo would leave. */
async function remember(context: Context, { id, stream }: Checkpoint, path: string, text: string) {
  const { store, identity, act } = context
  const hash = sha256(text)
  const kind = 'handoff' as const
  const file = { kind, path, stream, checkpoint: id, after: hash, before: null, shown: null }
  await store.acts.commit({
    workspace: identity.workspace,
    texts: [{ hash, text }],
    versions: [{ stream, hash, checkpoint: id, current: false, problem: null }],
    ...(act && { act: { ...act, record: { ...act.record, files: [...act.record.files, file] } } }),
  })
  return text
}

const MOST_NAMES = 1_000

/** Never over another: the second of a name gets a number. `keep` is told each name before it is tried. */
async function create(
  { ports }: Context,
  root: string,
  name: string,
  keep: (path: string) => Promise<string>,
): Promise<{ name: string; number: number }> {
  using top = openFolder(root)
  using folder = makeFolders(top, HANDOFFS)
  for (let number = 1; number <= MOST_NAMES; number += 1) {
    const next = number === 1 ? name : name.replace(/\.md$/, `-${number}.md`)
    const token = randomToken(ports.random)
    if (folder.entry(next) !== null) continue
    const text = await keep([...HANDOFFS, next].join('/'))
    if (createDurably(folder, next, Buffer.from(text), { token })) return { name: next, number }
  }
  const problem = `there are already ${MOST_NAMES} files with that name`
  throw new ReasonError('checkpoint_atomic_write_failed', { path: join(folder.path, name), problem })
}
