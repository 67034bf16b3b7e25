import { sha256 } from '../../core/canonical.ts'
import { ReasonError } from '../../core/reason.ts'
import { isSecretFile, namesSecretFile } from '../../core/secret-file.ts'
import type { Session } from '../../core/session.ts'
import { formatCount } from '../../core/text.ts'
import type { TranscriptEntryOf } from '../../core/transcript.ts'
import { resumeStream } from '../../engine/brief/resume-work.ts'
import type { Context } from '../../engine/context/context.ts'
import { readSurvey } from '../../engine/documents/read-survey.ts'
import { findRow } from '../../engine/documents/survey.ts'
import { catchUpSession } from '../../engine/sessions/catch-up.ts'
import { listSessions, requireLast } from '../../engine/sessions/current.ts'
import { transcriptOf } from '../../engine/sessions/read-to-end.ts'
import { changeSession, refreshHint } from '../../engine/sessions/update-session-rows.ts'
import { markKind, redact } from '../../policy/redact.ts'
import { streamOf } from '../../policy/resolve.ts'
import { choiceFact, integerFact, nullableFact, textFact } from '../define/facts.ts'
import { defineVerb } from '../define/verb.ts'
import { SESSION_FIELD } from './session-words.ts'

export const compact = defineVerb({
  name: 'compact',
  summary: "Save a session's essential context before /clear",
  detail:
    "Saves the session's goal, decisions, rules, state and next steps as a checkpoint, and archives the results of its tools. After a /clear the next session continues from the brief. It calls no model and does not change the session.",
  fields: {
    session: SESSION_FIELD,
    show: { kind: 'text', value: 'ARCHIVE', about: 'show an archive, by the first digits of its name' },
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
  say: (result) => {
    if (result.kind === 'archive') return result.text
    const { saved, stream, checkpoint, archive, results, tokensBefore, tokensAfter, tokensSaved, live } =
      result
    const done = checkpoint === null ? `Already saved: ${stream}` : `Saved the essential context: ${stream}`
    return [
      saved ? done : 'Nothing to save in this session yet.',
      archive === null
        ? 'No tool results to archive.'
        : `Archived ${formatCount(results, 'tool result')}: savepoint compact --show ${archive.slice(0, SHORT)}`,
      `Tokens: ${tokensBefore ?? 'unknown'} in the window, ${tokensAfter} in the brief (est.)${tokensSaved === null ? '' : `, ${tokensSaved} saved`}`,
      ...(live && saved ? ['Now type /clear: the next session continues from the brief.'] : []),
    ].join('\n')
  },
  exact: (result) => (result.kind === 'archive' ? result.text : null),
  tool: {
    title: 'Compact the session',
    when: 'Call it before a /clear, or when the window is nearly full. The user then types /clear. To save in your own words call save.',
    effect: 'adds',
    facts: {
      kind: choiceFact(['compacted', 'archive']),
      session: nullableFact(textFact()),
      stream: nullableFact(textFact()),
      checkpoint: nullableFact(textFact()),
      archive: nullableFact(textFact()),
      results: integerFact('archived tool results'),
      tokensBefore: nullableFact(integerFact()),
      tokensAfter: nullableFact(integerFact('size of the brief (estimated)')),
      tokensSaved: nullableFact(integerFact('saved by /clear (estimated)')),
    },
    factsOf: (result) => {
      if (result.kind === 'archive') return NO_FACTS
      return result.saved ? result : { ...result, stream: null, tokensAfter: null }
    },
  },
})

const SHORT = 12

const NO_FACTS = {
  kind: 'archive' as const,
  ...{ session: null, stream: null, checkpoint: null, archive: null, results: 0 },
  ...{ tokensBefore: null, tokensAfter: null, tokensSaved: null },
}

async function compactSession(context: Context, id: string | undefined) {
  const session = await requireLast(context, id)
  const archive = await archiveResults(context, session)
  const references = archive
    ? [{ kind: 'command', text: `savepoint compact --show ${archive.hash.slice(0, SHORT)}` }]
    : []
  const why = { kind: 'compaction' as const, note: 'requested', isLive: true }
  const caughtUp = await catchUpSession(context, session, why, { references })
  const row = await changeSession(context, session, (now) =>
    archive === null ? now : { ...now, archives: [...new Set([...now.archives, archive.hash])].slice(-20) },
  )
  if (row) refreshHint(context, row.session)
  const now = caughtUp?.row.session ?? session
  const stream = streamOf(now)
  const tokensAfter = await briefTokens(context, stream)
  const tokensBefore = caughtUp?.row.session.context?.tokens ?? null
  return {
    kind: 'compacted' as const,
    ...{ session: session.id, stream, tokensBefore },
    saved: tokensAfter !== null,
    live: now.phase === 'active' || now.phase === 'stale',
    checkpoint: caughtUp?.checkpoint ?? null,
    archive: archive?.hash ?? null,
    results: archive?.results ?? 0,
    tokensAfter: tokensAfter ?? 0,
    tokensSaved:
      tokensBefore === null || tokensAfter === null ? null : Math.max(0, tokensBefore - tokensAfter),
  }
}

/** What the brief of the stream costs; null where there is no such stream. */
async function briefTokens(context: Context, stream: string): Promise<number | null> {
  const survey = await readSurvey(context)
  if (!findRow(survey, stream)) return null
  // The stream was chosen by default: notices about that choice are dropped here.
  const asked = { named: stream, budget: context.settings.brief_tokens }
  const found = await resumeStream({ ...context, notices: [] }, survey, asked)
  return found.kind === 'brief' ? found.tokens : 0
}

async function readArchive(context: Context, prefix: string): Promise<string> {
  const found = (await listSessions(context, { repository: context.identity.repository }))
    .flatMap(({ archives }) => archives)
    .filter((hash) => prefix.length >= 4 && hash.startsWith(prefix.toLowerCase()))
  const text = found[0] === undefined ? null : await context.store.log.readText(found[0])
  if (text === null) throw new ReasonError('archive_unknown', { id: prefix })
  return text
}

/** The newest results; what a window of any model could hold is far less. */
const MOST_CHARACTERS = 4 * 1024 * 1024

/** What the tools of a session gave back, as one text in the store; null where they gave nothing. */
async function archiveResults(context: Context, session: Session) {
  const source = await transcriptOf(context, session)
  const calls = new Map<string, string>()
  const secret = new Set<string>()
  const parts: string[] = []
  let length = 0
  source?.reader.readOn(source.path, null, (entry) => {
    if (entry.kind === 'tool') {
      calls.set(entry.id, nameOf(entry))
      if (readsSecretFile(entry)) secret.add(entry.id)
    }
    if (entry.kind !== 'result' || entry.text === '') return
    const text = secret.has(entry.id) ? markKind('secret-file', '') : redact(entry.text, context.mark)
    const part = `## ${entry.at} ${calls.get(entry.id) ?? entry.id}${entry.failed ? ' (failed)' : ''}\n\n${text}\n`
    parts.push(part)
    length += part.length
    while (length > MOST_CHARACTERS && parts.length > 1) length -= parts.shift()?.length ?? 0
  })
  if (parts.length === 0) return null
  const text = redact(`# Results of the session ${session.id}\n\n${parts.join('\n')}`, context.mark)
  const hash = sha256(text)
  await context.store.acts.commit({ workspace: context.identity.workspace, texts: [{ hash, text }] })
  return { hash, results: parts.length }
}

const readsSecretFile = ({ input }: TranscriptEntryOf<'tool'>) =>
  isSecretFile(input.path ?? '') || namesSecretFile(input.command ?? '')

const nameOf = ({ name, input }: TranscriptEntryOf<'tool'>) =>
  [name, input.command ?? input.path ?? input.description ?? ''].filter((part) => part !== '').join(' ')
