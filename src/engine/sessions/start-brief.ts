import { instant } from '../../core/ports.ts'
import type { SessionKey, SessionSource, StartPoint } from '../../core/session.ts'
import { estimateTokens } from '../../core/tokens.ts'
import { renderNotes } from '../../formats/brief-md/render.ts'
import { type ResumeResult, resumeStream } from '../brief/resume-work.ts'
import type { SessionNote } from '../brief/session-notes.ts'
import type { Context } from '../context/context.ts'
import { readSurvey } from '../documents/read-survey.ts'
import { worldOf } from '../surroundings/world.ts'
import type { Here } from '../trust/here.ts'

/** Words for an agent, and what they were about. */
export interface AgentMessage {
  text: string
  tokens: number
  told: StartPoint
}

/** A hook has no time to wait for who writes documents; what they say then is told at the next start. */
const WAIT_MS = 100

/** What a session that starts is told: the brief, what must be known before it, or nothing where there is nothing. */
export async function briefAtStart(
  context: Context,
  here: Here,
  notes: readonly SessionNote[],
  { key, source }: { key: SessionKey; source: SessionSource },
): Promise<AgentMessage | null> {
  const survey = await readSurvey(context, { waitMs: WAIT_MS, here })
  const world = await worldOf(context, survey, { wantsDirty: false })
  const found = await resumeStream(context, survey, world, {
    named: null,
    budget: context.settings.brief_tokens,
    notes,
    isAsked: false,
    except: key,
    asksFocus: source === 'clear',
  })
  const at = instant(context.ports.now())
  if (found.kind === 'brief')
    return {
      text: found.text,
      tokens: found.tokens,
      told: { at, stream: found.stream, checkpoint: found.checkpoint },
    }
  const lines = [...notes.map(({ text }) => text), ...linesOf(found)]
  if (lines.length === 0) return null
  const text = renderNotes('About earlier work here', lines)
  return { text, tokens: estimateTokens(text), told: { at, stream: null, checkpoint: null } }
}

const MOST_NAMED = 5

/** What there is besides; of what came with the repository not even the name. */
function linesOf(found: Exclude<ResumeResult, { kind: 'brief' }>): string[] {
  switch (found.kind) {
    case 'nothing':
      return []
    case 'offered':
      return [
        `${found.stream} was saved ${found.age} ago. To go on with it: savepoint resume ${found.stream}`,
      ]
    case 'choose': {
      const own = found.candidates.filter(({ foreign }) => !foreign).slice(0, MOST_NAMED)
      const names = own.map(({ name, age }) => `${name} (${age} ago)`).join(', ')
      return own.length === 0
        ? []
        : [`Several pieces of work are open: ${names}. savepoint resume, with a name, tells one.`]
    }
  }
}

/** What an agent is to be told; nothing where there is nothing to tell. */
export type HookAnswer = Pick<AgentMessage, 'text' | 'tokens'> | null
