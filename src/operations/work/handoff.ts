import { basename, join, relative, sep } from 'node:path'
import { oneLine } from '../../core/bullets.ts'
import { sha256 } from '../../core/canonical.ts'
import { BY_HAND, type Checkpoint } from '../../core/checkpoint.ts'
import { randomToken } from '../../core/id.ts'
import { ReasonError } from '../../core/reason.ts'
import { visible } from '../../core/visible.ts'
import { encodeHandoff } from '../../formats/handoff-md/codec.ts'
import { HANDOFFS, handoffName, slugOf } from '../../formats/handoff-md/layout.ts'
import { openFolder } from '../../fs/disk.ts'
import { createDurably, makeFolders } from '../../fs/durable.ts'
import { redact, redactAll } from '../../policy/redact.ts'
import { NOTHING_SAID } from '../../policy/save.ts'
import type { Context } from '../context.ts'
import { flag, text, whole } from '../facts.ts'
import type { Field } from '../field.ts'
import { operation } from '../operation.ts'
import { handoffHome, MAX_HANDOFF_BYTES, problemOf } from './handoff-files.ts'
import { type Receipt, saveWork } from './save-work.ts'
import { isNothingSaid, SAYING_FIELDS, type Said, type SayingInput, saidBy } from './saying.ts'

const { text: _text, ...SAID_BY_OPTION } = SAYING_FIELDS

/** An agent saves these where they come up: its list of tools need not have them twice. */
const typed = <F extends Field>(field: F) => ({ ...field, typed: true as const })
const { now, goal, problem, constraint, fact, accomplishment, id } = SAYING_FIELDS
const { learning, supersedes, resolve, confirm, plan } = SAYING_FIELDS
const SELDOM = {
  ...{ now: typed(now), goal: typed(goal), problem: typed(problem), constraint: typed(constraint) },
  ...{ fact: typed(fact), accomplishment: typed(accomplishment), id: typed(id), learning: typed(learning) },
  ...{ supersedes: typed(supersedes), resolve: typed(resolve), confirm: typed(confirm), plan: typed(plan) },
}

/** It stands in the name, the title and the front matter; what needs more room belongs into the work. */
const MOST_CHARACTERS = 500

export const handoff = operation({
  name: 'handoff',
  summary: 'Save where the work stands, and write a document for whoever goes on',
  detail:
    'A save like any other, and then the whole of it in one Markdown file in .agents/handoffs of the main worktree, from whichever worktree it is called. What can be said at a save can be said here; nothing needs to be. No handoff is ever overwritten.',
  fields: {
    purpose: { kind: 'text', at: 0, required: true, about: 'what it is handed off for, in a sentence' },
    ...SAID_BY_OPTION,
    ...SELDOM,
  },
  examples: [
    'savepoint handoff "Finish the login form"',
    'savepoint handoff "Review the migration" --next "Read src/migrate.ts" --question "Is the index needed?"',
  ],
  access: 'write',
  lenient: true,
  async perform(context, { purpose: given, ...input }) {
    const purpose = purposeOf(given)
    const told = await toldBy(context, { ...input, text: undefined })
    const receipt = await saveWork(
      context,
      { ...told, handedOff: true },
      { kind: 'session-end', note: `${BY_HAND.handedOff}${purpose}` },
    )
    for (const { path, state, problem } of receipt.views)
      if (state !== 'written')
        context.notices.push(`${path} was not written${problem === null ? '' : `: ${problem}`}.`)
    return writtenFor(context, receipt, purpose)
  },
  say: ({ path, purpose, slug, stream, sequence, main }) =>
    [
      `Handed off: ${visible(purpose)}`,
      visible(path),
      `It is number ${sequence} of ${stream}. To go on${main ? ', from any worktree' : ' here'}: savepoint pickup ${slug}`,
    ].join('\n'),
  tool: {
    title: 'Hand the work off',
    when: 'Call it when somebody else is to go on: another session, another agent or a person. For a checkpoint of your own work call save.',
    effect: 'adds',
    facts: {
      path: text('the document that was written'),
      stream: text('the piece of work that it was saved to'),
      checkpoint: text('the id of the checkpoint'),
      sequence: whole('its number in the history of that work'),
      main: flag('whether it is in the main worktree, where every worktree finds it'),
    },
    factsOf: ({ path, stream, checkpoint, sequence, main }) => ({
      ...{ path, stream, checkpoint, sequence, main },
    }),
  },
})

function purposeOf(given: string): string {
  const purpose = oneLine(redact(given))
  const wrong = (problem: string) => new ReasonError('usage_invalid', { problem })
  if (purpose === '') throw wrong('<purpose> is empty')
  if (purpose.length > MOST_CHARACTERS)
    throw wrong(
      `<purpose> has ${purpose.length} characters, ${MOST_CHARACTERS} are allowed: say the rest with --state or --next`,
    )
  return purpose
}

/** What the options say. Unlike at a save, nothing has to be said: what is known is handed off. */
async function toldBy(context: Context, input: SayingInput): Promise<Said> {
  if (!isNothingSaid(input)) return saidBy(context, input)
  const { by = context.speaker, unconfirmed, plan = null, stream = null, note } = input
  const saying = redactAll({ ...NOTHING_SAID, by, unconfirmed })
  return { saying, plan, stage: null, tddPhase: null, stream, note, accomplishments: [] }
}

/** The document of what was saved just now. Whatever becomes of it, the work is saved, and a refusal says so. */
async function writtenFor(context: Context, receipt: Receipt, purpose: string) {
  const { stream, sequence, checkpoint: id } = receipt
  const home = handoffHome(context)
  if (home.problem !== null) context.notices.push(`The handoff is written here: ${home.problem}.`)
  const stored = await context.store.checkpoint(id)
  if (stored?.state !== 'whole')
    throw new ReasonError('checkpoint_integrity_mismatch', { path: id, problem: 'it cannot be read back' })
  const { root } = home.place
  const folder = join(root, ...HANDOFFS)
  const { at, provenance } = stored.checkpoint
  const { branch = null, commit = null } = provenance ?? {}
  const text = textOf(context, stored.checkpoint, { purpose, stream, root })
  try {
    if (Buffer.byteLength(text) > MAX_HANDOFF_BYTES)
      throw new ReasonError('file_too_large', { path: folder, limit: MAX_HANDOFF_BYTES })
    await remember(context, stored.checkpoint, text)
    const { name, number } = create(context, root, handoffName(at, branch, purpose), text)
    return {
      path: join(folder, name),
      purpose,
      slug: number === 1 ? slugOf(purpose) : `${slugOf(purpose)}-${number}`,
      stream,
      checkpoint: id,
      sequence,
      branch,
      commit,
      main: home.main,
    }
  } catch (error) {
    // A damaged store is healed, and all of this done again.
    if (error instanceof ReasonError && error.reason === 'store_damaged') throw error
    const named = error instanceof ReasonError ? error.data.path : null
    const path = typeof named === 'string' ? named : folder
    const data = { path, problem: problemOf(error), stream, sequence, checkpoint: id }
    throw new ReasonError('handoff_unwritten', data, { cause: error })
  }
}

function textOf(
  { place }: Context,
  { at, provenance, work }: Checkpoint,
  { purpose, stream, root }: { purpose: string; stream: string; root: string },
): string {
  const { branch = null, commit = null } = provenance ?? {}
  // As seen from where the file lies: a path from the top would tell the world how this machine is laid out.
  const from = (relative(root, place.root) || basename(root)).split(sep).join('/')
  return encodeHandoff({ purpose, branch, commit, at, work, from, stream })
}

/** Before the file is there, so that none ever lies there that `pickup` would not know as ours. */
async function remember({ store, identity }: Context, { id, stream }: Checkpoint, text: string) {
  const hash = sha256(text)
  await store.commit({
    workspace: identity.workspace,
    texts: [{ hash, text }],
    versions: [{ stream, hash, checkpoint: id, current: false, problem: null }],
  })
}

const MOST_NAMES = 1_000

/** Never over another: the second of a name gets a number. */
function create(
  { ports }: Context,
  root: string,
  name: string,
  text: string,
): { name: string; number: number } {
  const top = openFolder(root)
  try {
    const folder = makeFolders(top, HANDOFFS)
    try {
      for (let number = 1; number <= MOST_NAMES; number += 1) {
        const next = number === 1 ? name : name.replace(/\.md$/, `-${number}.md`)
        const token = randomToken(ports.random)
        if (folder.entry(next) === null && createDurably(folder, next, Buffer.from(text), { token }))
          return { name: next, number }
      }
      const problem = `there are ${MOST_NAMES} of that name already`
      throw new ReasonError('checkpoint_atomic_write_failed', { path: join(folder.path, name), problem })
    } finally {
      folder.close()
    }
  } finally {
    top.close()
  }
}
