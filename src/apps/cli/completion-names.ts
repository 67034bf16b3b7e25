import { findHandoffs } from '../../engine/brief/handoff-files.ts'
import type { Context } from '../../engine/context/context.ts'
import { listSessions } from '../../engine/sessions/current.ts'
import type { NamedKind } from '../../verbs/define/field.ts'
import { defineVerb } from '../../verbs/define/verb.ts'

/** A shell asks at every press of a key: what is looked at is the store alone. */
const NAMES: Record<Exclude<NamedKind, 'branch'>, (context: Context) => Promise<string[]>> = {
  work: async ({ store, identity }) =>
    (await store.log.listStreams(identity.repository, 'work')).map(({ name }) => name),
  run: async ({ store, identity }) =>
    (await store.log.listStreams(identity.repository)).map(({ name }) => name),
  session: async (context) =>
    (await listSessions(context, { repository: context.identity.repository, most: MOST })).map(
      ({ id }) => id,
    ),
  handoff: async (context) => (await findHandoffs(context)).map(({ name }) => name.replace(/\.md$/, '')),
}

const MOST = 50

/** A name that a shell would take for anything but a word is not offered: some shells run what is in it. */
const SAFE = /^[A-Za-z0-9][\w.@+/-]*$/

/** The names that a shell offers where a value names something. No verb of the table: only scripts ask for it. */
export const completionNames = defineVerb({
  name: 'completion names',
  summary: 'List names for the completion of a shell',
  fields: {
    kind: {
      kind: 'choice',
      at: 0,
      required: true,
      choices: ['work', 'run', 'session', 'handoff'],
      about: 'of what',
    },
  },
  examples: ['savepoint completion names work'],
  access: 'read',
  lenient: true,
  perform: async (context, { kind }) => ({
    names: (await NAMES[kind](context)).filter((name) => SAFE.test(name)),
  }),
  say: ({ names }) => names.join('\n'),
})
