import { clipText, sha256 } from '../../core/canonical.ts'
import { type Checkpoint, subjectOf } from '../../core/checkpoint.ts'
import { randomToken } from '../../core/id.ts'
import { instant } from '../../core/ports.ts'
import { ReasonError } from '../../core/reason.ts'
import { collapseSpaces, decodeUtf8 } from '../../core/text.ts'
import { LEARNINGS_FILE, MAX_DOCUMENT_BYTES } from '../../formats/checkpoint-md/layout.ts'
import { lastCheckpointIn } from '../../formats/state-index/codec.ts'
import type { Folder } from '../../fs/disk.ts'
import { inFolder } from '../../fs/durable.ts'
import type { DocumentCommit, WorkRow } from '../../store/acts.ts'
import type { ActFile, ActRecord, NewAct, NewView, StreamState } from '../../store/local-state.ts'
import type { Context } from '../context/context.ts'
import { foldersOf, nameOf } from '../publish/guard.ts'
import { documentsIn } from './checkpoint-of.ts'
import { isHere, type Survey } from './survey.ts'

/** What of a commit is recorded. */
export type RecordedCommit = Pick<DocumentCommit, 'begins' | 'views' | 'focus' | 'renames'> & {
  appends?: ReadonlyArray<{ checkpoint: Pick<Checkpoint, 'id' | 'stream'> & Partial<Checkpoint> }>
}

/** Where a stream stands in this workspace now. */
export const streamStateOf = (survey: Pick<Survey, 'files'>, row: WorkRow): StreamState => ({
  head: row.stream.headId,
  sequence: row.stream.headSequence,
  view: isHere(survey, row) && row.view ? viewOf(row.view) : null,
})

const viewOf = ({ path, hash, current = false }: Pick<NewView, 'path' | 'hash' | 'current'>) => ({
  ...{ path, hash, current },
})

/**
 * A commit as an act that can be undone, and what has to be kept for that; null where it changes nothing that could
 * be. `id`: the act that it goes on with.
 */
export async function recordAct(
  context: Context,
  survey: Survey,
  commit: RecordedCommit,
  id = randomToken(context.ports.random),
): Promise<{ act: NewAct; texts: Array<{ hash: string; text: string }> } | null> {
  const { verb, speaker, session, ports } = context
  if (verb === null) return null
  const texts: Array<{ hash: string; text: string }> = []
  const record: ActRecord = {
    what: '',
    summary: commit.appends?.map(summaryOf).findLast((text) => text !== '') ?? '',
    streams: streamsOf(survey, commit),
    files: await filesOf(context, commit, texts),
    focus:
      commit.focus === undefined
        ? null
        : { before: survey.rows.find(({ focused }) => focused)?.stream.id ?? null, after: commit.focus },
  }
  record.what = whatOf(survey, record)
  const isMoved = record.focus !== null && record.focus.before !== record.focus.after
  if (record.streams.length === 0 && record.files.length === 0 && !isMoved) return null
  const act = { id, at: instant(ports.now()), verb, by: speaker, session: session?.id ?? null, record }
  return { act, texts }
}

/** What a checkpoint says was done; of a handoff or a correction, what it is about. */
const summaryOf = ({ checkpoint }: NonNullable<RecordedCommit['appends']>[number]): string =>
  checkpoint.change?.summary || (subjectOf(checkpoint.triggers?.[0]?.note ?? '') ?? '')

/** So many pieces of work are named. */
const MOST_NAMED = 3

/** What an act was about: the work with the numbers that it added, else what it put in focus. */
function whatOf(survey: Survey, { streams, focus }: ActRecord): string {
  const grown = streams.filter(({ before, after }) => before?.head !== after.head)
  if (grown.length === 0) {
    const row = survey.rows.find(({ stream }) => stream.id === focus?.after)
    return row?.stream.name ?? (focus ? 'none' : streams.map(namesIn).join(', '))
  }
  const named = grown.slice(0, MOST_NAMED).map((one) => `${namesIn(one)} #${one.after.sequence}`)
  return [...named, ...(grown.length > MOST_NAMED ? [`${grown.length - MOST_NAMED} more`] : [])].join(', ')
}

const namesIn = ({ name, formerName }: ActRecord['streams'][number]) =>
  formerName === undefined ? name : `${formerName} to ${name}`

/** So much of what an act says about itself is told. */
const MOST_CHARACTERS = 60

/** What an act is called: `save main #5 "Login works"`. */
export function labelOf({ verb, record: { what, summary } }: Pick<NewAct, 'verb' | 'record'>): string {
  const words = clipText(collapseSpaces(summary), MOST_CHARACTERS)
  return `${verb} ${what}${words === '' ? '' : ` "${words}"`}`
}

function streamsOf(survey: Survey, commit: RecordedCommit): ActRecord['streams'] {
  const { begins = [], appends = [], renames = [] } = commit
  const documents = documentsIn(commit)
  const touched = [...appends.map(({ checkpoint }) => checkpoint), ...documents, ...renames]
  return [...new Set(touched.map(({ stream }) => stream))].flatMap((id) => {
    const row = survey.rows.find(({ stream }) => stream.id === id)
    const begun = survey.withdrawn.find(({ stream }) => stream.id === id) ?? null
    const formerName = row?.stream.name ?? begun?.stream.name ?? begins.find((one) => one.id === id)?.name
    const mine = appends.filter(({ checkpoint }) => checkpoint.stream === id)
    // Work that counts as not there and only had to give its name away.
    const isMovedAway = !row && mine.length === 0
    if (formerName === undefined || isMovedAway) return []
    const name = renames.find(({ stream }) => stream === id)?.name ?? formerName
    const before = row ? streamStateOf(survey, row) : null
    const document = documents.findLast(({ stream }) => stream === id)
    // A file that was removed is not written again by who only extends its text.
    const isAway = document?.state === 'published' && before?.view === null
    const after = {
      head: mine.at(-1)?.checkpoint.id ?? before?.head ?? '',
      sequence: (row ?? begun)?.stream.headSequence ?? 0,
      view: document ? (isAway ? null : viewOf(document)) : (before?.view ?? null),
    }
    return [
      {
        ...{ id, name, before, after: { ...after, sequence: after.sequence + mine.length } },
        ...(name === formerName ? {} : { formerName }),
      },
    ]
  })
}

async function filesOf(
  context: Context,
  { views = [] }: RecordedCommit,
  texts: Array<{ hash: string; text: string }>,
): Promise<ActFile[]> {
  const { store, identity } = context
  const recorded: ActFile[] = []
  for (const { kind, path, stream, checkpoint, hash: after, base = null } of views) {
    const file = { path, stream, checkpoint, after }
    if (kind === 'entry') {
      const text = readTextHere(context, [...foldersOf(path), LEARNINGS_FILE].join('/'))
      const before = text === null ? null : sha256(text)
      if (text !== null && before !== null) texts.push({ hash: before, text })
      recorded.push({ ...file, kind, before, shown: null })
    } else if (kind !== 'document' && kind !== 'file') {
      const row = await store.local.readFileView(identity.workspace, path)
      const shown = row && { stream: row.stream, checkpoint: row.checkpoint, hash: row.hash }
      const index = kind === 'index' ? readTextHere(context, path) : null
      recorded.push({ ...file, kind, before: index === null ? base : lastCheckpointIn(index), shown })
    }
  }
  return recorded
}

/** The text of a file in this workspace; null where it cannot be had, which is no reason to refuse an act. */
export function readTextHere({ place }: Context, path: string): string | null {
  try {
    const read = (folder: Folder) => folder.read(nameOf(path), MAX_DOCUMENT_BYTES)
    const bytes = inFolder(place.root, foldersOf(path), read)
    return bytes && decodeUtf8(bytes)
  } catch (error) {
    if (!(error instanceof ReasonError)) throw error
    return null
  }
}
