import { instant } from '../../core/ports.ts'
import { usageError } from '../../core/reason.ts'
import { MIN_TOKENS } from '../../policy/brief/brief-fit.ts'
import type { ExplainedLine } from '../../policy/brief/explain.ts'
import { performOnce } from '../../verbs/perform.ts'
import { resume } from '../../verbs/work/resume.ts'
import { sayLineSource } from '../../verbs/work/say-explained.ts'
import type { BriefAnswer, BriefLineView } from './api.ts'
import { type Asked, findAskedWorkspace, presentWorkspaces, requestIn, type ServerPlace } from './pages.ts'

/** What the slider offers; a brief is never longer than its characters allow. */
const BUDGETS = { least: MIN_TOKENS, usual: 1_500, most: 4_000 }

/** What the next session in a workspace would be told. */
export async function briefPage(place: ServerPlace, { query }: Asked): Promise<BriefAnswer> {
  const { places, path, workspace } = await findAskedWorkspace(place, query('workspace'))
  const notices: string[] = []
  const base = {
    ...{ at: instant(place.ports.now()), workspace, workspaces: presentWorkspaces(places), notices },
    ...{ work: null, text: '', tokens: 0, budget: budgetIn(query('tokens')) ?? BUDGETS.usual },
    ...{ budgets: BUDGETS, lines: [], cuts: [], shortened: 0, candidates: [] },
  }
  if (path === null) return { ...base, kind: 'nothing' }
  const told = await performOnce(resume, requestIn(place, path, notices), {
    ...{ id: query('work'), budget: budgetIn(query('tokens')), markdown: true, explain: true },
  })
  const { kind } = told
  switch (kind) {
    case 'nothing':
      return { ...base, kind }
    case 'choose': {
      const candidates = told.candidates.map(({ name, updatedAt, foreign }) => ({
        name,
        at: updatedAt,
        foreign,
      }))
      return { ...base, kind, candidates }
    }
    case 'offered': {
      const candidates = [{ name: told.stream, at: told.savedAt, foreign: false }]
      return { ...base, kind, work: told.stream, candidates }
    }
    case 'found':
    case 'brief': {
      const { text, tokens, budget, cuts, shortened } = told
      const explained = kind === 'brief' ? (told.explained ?? []) : []
      const work = kind === 'brief' ? told.stream : null
      return {
        ...base,
        kind,
        work,
        text,
        tokens,
        budget,
        cuts,
        shortened,
        lines: explained.map(describeLine),
      }
    }
  }
}

function budgetIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const tokens = Number(text)
  if (!/^\d{1,6}$/.test(text) || tokens < MIN_TOKENS)
    throw usageError(`tokens takes a whole number from ${MIN_TOKENS}`)
  return tokens
}

const describeLine = ({ commands: _commands, source, ...line }: ExplainedLine): BriefLineView => ({
  ...line,
  source: source.kind === 'found' ? 'found just now' : sayLineSource(source, ''),
})
