import { agentNamed } from '../../agents/table.ts'
import { sha256 } from '../../core/canonical.ts'
import type { Session } from '../../core/session.ts'
import type { TranscriptEntry } from '../../core/transcript.ts'
import { redact } from '../../policy/redact.ts'
import type { Context } from '../context/context.ts'

/** The newest results; what a window of any model could hold is far less. */
const MOST_CHARACTERS = 4 * 1024 * 1024

/** What the tools of a session gave back, as one text in the store; null where they gave nothing. */
export async function archiveResults(
  context: Context,
  session: Session,
): Promise<{ hash: string; results: number } | null> {
  const path = session.environment.transcriptPath
  const reader = await agentNamed(context.agents, session.agent)?.transcript.reader()
  if (path === null || reader === undefined) return null
  const calls = new Map<string, string>()
  const parts: string[] = []
  let length = 0
  reader.readOn(path, null, (entry) => {
    if (entry.kind === 'tool') calls.set(entry.id, nameOf(entry))
    if (entry.kind !== 'result' || entry.text === '') return
    const part = `## ${entry.at} ${calls.get(entry.id) ?? entry.id}${entry.failed ? ' (failed)' : ''}\n\n${redact(entry.text)}\n`
    parts.push(part)
    length += part.length
    while (length > MOST_CHARACTERS && parts.length > 1) length -= parts.shift()?.length ?? 0
  })
  if (parts.length === 0) return null
  const text = redact(`# Results of the session ${session.id}\n\n${parts.join('\n')}`)
  const hash = sha256(text)
  await context.store.acts.commit({ workspace: context.identity.workspace, texts: [{ hash, text }] })
  return { hash, results: parts.length }
}

const nameOf = ({ name, input }: Extract<TranscriptEntry, { kind: 'tool' }>) =>
  [name, input.command ?? input.path ?? input.description ?? ''].filter((part) => part !== '').join(' ')
