import { ReasonError } from '../../core/reason.ts'
import { formatCount } from '../../core/text.ts'
import { resumeStream } from '../../engine/brief/resume-work.ts'
import type { Context } from '../../engine/context/context.ts'
import { readSurvey } from '../../engine/documents/read-survey.ts'
import { findRow } from '../../engine/documents/survey.ts'
import { archiveResults } from '../../engine/sessions/archive-results.ts'
import { catchUpSession } from '../../engine/sessions/catch-up.ts'
import { requireLast } from '../../engine/sessions/current.ts'
import { refreshHint } from '../../engine/sessions/hint-of.ts'
import { changeSession } from '../../engine/sessions/update-session-rows.ts'
import { worldOf } from '../../engine/surroundings/world.ts'
import { streamOf } from '../../policy/session-stream.ts'
import { choiceFact, integerFact, nullableFact, textFact } from '../define/facts.ts'
import { defineVerb } from '../define/verb.ts'

export const compact = defineVerb({
  name: 'compact',
  summary: 'Save the essential context of a session, and archive what its tools gave back',
  detail:
    'The goal, decisions, rules, state and next steps of the session become a checkpoint; the results of its tools go into the store as one text that can be shown again. After a /clear the next session goes on from the brief. It calls no model, and changes nothing in the session itself.',
  fields: {
    session: { kind: 'text', value: 'ID', about: 'another session than the current one, by its id' },
    show: {
      kind: 'text',
      value: 'ARCHIVE',
      about: 'show what was archived instead, by the first digits of its name',
    },
  },
  examples: ['savepoint compact', 'savepoint compact --json', 'savepoint compact --show 3fa1c02b9d7e'],
  access: 'write',
  takesIn: 'events',
  lenient: true,
  async perform(context, { show, session }) {
    return show === undefined
      ? compactSession(context, session)
      : { kind: 'archive' as const, text: await readArchive(context, show) }
  },
  say: (result) =>
    result.kind === 'archive'
      ? result.text
      : [
          result.saved
            ? `The essential context is saved${result.checkpoint === null ? ' already' : ''}: ${result.stream}`
            : 'The session said nothing yet that could be saved.',
          result.archive === null
            ? 'Its tools gave nothing back that could be archived.'
            : `${formatCount(result.results, 'result')} archived: savepoint compact --show ${result.archive.slice(0, SHORT)}`,
          `Tokens: ${result.tokensBefore ?? 'unknown'} in the window, ${result.tokensAfter} in the brief (est.)${result.tokensSaved === null ? '' : `, ${result.tokensSaved} saved`}.`,
          ...(result.live && result.saved ? ['Now /clear: the next session goes on from the brief.'] : []),
        ].join('\n'),
  exact: (result) => (result.kind === 'archive' ? result.text : null),
  tool: {
    title: 'Compact the session',
    when: 'Call it before a /clear, or when the window is nearly full; the user clears afterwards, it does not. To keep decisions and next actions in your own words call save.',
    effect: 'adds',
    facts: {
      kind: choiceFact('a checkpoint and an archive were made, or an archive is shown', [
        'compacted',
        'archive',
      ]),
      session: nullableFact(textFact('the id of the session')),
      stream: nullableFact(textFact('the piece of work that holds it; null where nothing could be saved')),
      checkpoint: nullableFact(textFact('the id of the new checkpoint; null where nothing was new')),
      archive: nullableFact(textFact('the name of what was archived')),
      results: integerFact('how many results of tools that has'),
      tokensBefore: nullableFact(integerFact('tokens in the window')),
      tokensAfter: nullableFact(integerFact('tokens of the brief (estimated)')),
      tokensSaved: nullableFact(integerFact('tokens that a /clear saves (estimated)')),
    },
    factsOf: (result) => (result.kind === 'archive' ? OF_ARCHIVE : compactedFacts(result)),
  },
})

const SHORT = 12

const OF_ARCHIVE = {
  kind: 'archive' as const,
  ...{ session: null, stream: null, checkpoint: null, archive: null, results: 0 },
  ...{ tokensBefore: null, tokensAfter: null, tokensSaved: null },
}

const compactedFacts = (result: Awaited<ReturnType<typeof compactSession>>) => ({
  ...{ kind: result.kind, session: result.session, stream: result.saved ? result.stream : null },
  ...{ checkpoint: result.checkpoint, archive: result.archive, results: result.results },
  tokensBefore: result.tokensBefore,
  tokensAfter: result.saved ? result.tokensAfter : null,
  tokensSaved: result.tokensSaved,
})

async function compactSession(context: Context, id: string | undefined) {
  const { session } = await requireLast(context, id)
  const archive = await archiveResults(context, session)
  const references = archive
    ? [{ kind: 'command', text: `savepoint compact --show ${archive.hash.slice(0, SHORT)}` }]
    : []
  const why = { kind: 'compaction' as const, note: 'asked for', isLive: true }
  const caughtUp = await catchUpSession(context, session, why, { references })
  const row = await changeSession(context, session, (now) =>
    archive === null ? now : { ...now, archives: [...new Set([...now.archives, archive.hash])].slice(-20) },
  )
  if (row) refreshHint(context, row.session)
  const stream = streamOf(caughtUp?.row.session ?? session)
  const tokensAfter = await briefTokens(context, stream)
  const { phase } = caughtUp?.row.session ?? session
  const before = caughtUp?.row.session.context?.tokens ?? null
  return {
    kind: 'compacted' as const,
    session: session.id,
    stream,
    saved: tokensAfter !== null,
    live: phase === 'active' || phase === 'stale',
    checkpoint: caughtUp?.checkpoint ?? null,
    archive: archive?.hash ?? null,
    results: archive?.results ?? 0,
    tokensBefore: before,
    tokensAfter: tokensAfter ?? 0,
    tokensSaved: before === null || tokensAfter === null ? null : Math.max(0, before - tokensAfter),
  }
}

/** What the brief of the stream costs; null where there is no such stream. */
async function briefTokens(context: Context, stream: string): Promise<number | null> {
  const survey = await readSurvey(context)
  if (!findRow(survey, stream)) return null
  const world = await worldOf(context, survey, { wantsDirty: false })
  // The stream was chosen by default: notices about that choice are dropped here.
  const found = await resumeStream({ ...context, notices: [] }, survey, world, {
    named: stream,
    budget: context.settings.brief_tokens,
  })
  return found.kind === 'brief' ? found.tokens : 0
}

async function readArchive(context: Context, prefix: string): Promise<string> {
  const rows = await context.store.log.listSessions({ repository: context.identity.repository })
  const found = rows
    .flatMap(({ session }) => session.archives)
    .filter((hash) => prefix.length >= 4 && hash.startsWith(prefix.toLowerCase()))
  const text = found[0] === undefined ? null : await context.store.log.readText(found[0])
  if (text === null) throw new ReasonError('archive_unknown', { id: prefix })
  return text
}
