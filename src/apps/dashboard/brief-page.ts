import { instant } from '../../core/ports.ts'
import { usageError } from '../../core/reason.ts'
import { MIN_TOKENS } from '../../policy/brief/brief-fit.ts'
import type { ExplainedLine } from '../../policy/brief/explain.ts'
import { performOnce } from '../../verbs/perform.ts'
import { resume } from '../../verbs/work/resume.ts'
import { sayLineSource } from '../../verbs/work/say-explained.ts'
import { type Asked, findAskedWorkspace, requestIn, type ServerPlace } from './asked.ts'

/** What the slider offers; a brief is never longer than its characters allow. */
const BUDGETS = { least: MIN_TOKENS, usual: 1_500, most: 4_000 }

/**
 * What the next session in a workspace would be told. `choose`: several could be meant. `offered`: work of another branch
 * is named and not told. `nothing`: none saved.
 */
export async function briefPage(place: ServerPlace, { query }: Asked) {
  const { workspaces, path, workspace } = await findAskedWorkspace(place, query('workspace'))
  const notices: string[] = []
  const wanted = budgetIn(query('tokens'))
  const base = {
    ...{ at: instant(place.ports.now()), workspace, workspaces, notices },
    /** The work that is told, and exactly what an agent gets of it. */
    ...{
      work: null as string | null,
      text: '',
      tokens: 0,
      budget: wanted ?? BUDGETS.usual,
      budgets: BUDGETS,
    },
    lines: [] as Array<ReturnType<typeof describeLine>>,
    cuts: [] as Array<{ title: string; count: number }>,
    shortened: 0,
    candidates: [] as Array<{ name: string; at: string; foreign: boolean }>,
  }
  if (path === null) return { ...base, kind: 'nothing' as const }
  const told = await performOnce(resume, requestIn(place, path, notices), {
    ...{ id: query('work'), budget: wanted, markdown: true, explain: true },
  })
  const { kind } = told
  if (kind === 'nothing') return { ...base, kind }
  if (kind === 'choose') {
    const candidates = told.candidates.map(({ name, updatedAt, foreign }) => ({
      name,
      at: updatedAt,
      foreign,
    }))
    return { ...base, kind, candidates }
  }
  if (kind === 'offered') {
    const candidates = [{ name: told.stream, at: told.savedAt, foreign: false }]
    return { ...base, kind, work: told.stream, candidates }
  }
  const { text, tokens, budget, cuts, shortened } = told
  const known = kind === 'brief' ? { work: told.stream, lines: (told.explained ?? []).map(describeLine) } : {}
  return { ...base, kind, text, tokens, budget, cuts, shortened, ...known }
}

function budgetIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const tokens = Number(text)
  if (!/^\d{1,6}$/.test(text) || tokens < MIN_TOKENS)
    throw usageError(`tokens takes a whole number from ${MIN_TOKENS}`)
  return tokens
}

const describeLine = ({ commands: _commands, source, ...line }: ExplainedLine) => ({
  ...line,
  source: source.kind === 'found' ? 'found just now' : sayLineSource(source, ''),
})
