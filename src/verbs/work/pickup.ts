import { plainLine } from '../../core/bullets.ts'
import { nameProblem } from '../../core/id.ts'
import { instant } from '../../core/ports.ts'
import { ReasonError, usageError } from '../../core/reason.ts'
import { ageOf } from '../../core/text.ts'
import { visible } from '../../core/visible.ts'
import { emptyWork, learningsIn, type WorkState } from '../../core/work.ts'
import { renderFittedBrief } from '../../engine/brief/brief-of.ts'
import {
  findHandoffs,
  handoffAt,
  type JudgedHandoff,
  judgeHandoffs,
} from '../../engine/brief/handoff-files.ts'
import { verifyWork } from '../../engine/brief/verify-work.ts'
import type { Context } from '../../engine/context/context.ts'
import { NOTICES } from '../../engine/context/notices.ts'
import { absentAt } from '../../engine/surroundings/mentions.ts'
import { worldOf } from '../../engine/surroundings/world.ts'
import { type Here, lookHere } from '../../engine/trust/here.ts'
import type { Handoff } from '../../formats/handoff-md/codec.ts'
import { slugOf } from '../../formats/handoff-md/layout.ts'
import { choiceFact, integerFact, listFact, nullableFact, recordFact, textFact } from '../define/facts.ts'
import type { Screen } from '../define/screen.ts'
import { defineVerb } from '../define/verb.ts'
import { BRIEF_FIELDS, exactBrief, fencedBrief, sayBrief } from '../say/brief.ts'
import { renderTable } from '../say/table.ts'

export const pickup = defineVerb({
  name: 'pickup',
  summary: 'Continue handed-off work, checked against files and git',
  detail:
    'Shows what `savepoint handoff` wrote, in any worktree, as a brief like that of `savepoint resume`, with what has changed since. Text that came with the repository is refused until the workspace is trusted and the text is reviewed.',
  fields: {
    handoff: {
      kind: 'text',
      at: 0,
      names: 'handoff',
      check: requireWord,
      path: (value: string) => (isFile(value) ? value : null),
      about: 'its name, part of it, or its file (default: the newest)',
    },
    list: { kind: 'flag', about: 'list the handoffs' },
    ...BRIEF_FIELDS,
    reviewed: {
      kind: 'flag',
      typed: true,
      about: 'you have read this handoff, which came from someone else',
    },
  },
  examples: ['savepoint pickup', 'savepoint pickup finish-the-login-form', 'savepoint pickup --list'],
  access: 'read',
  lenient: true,
  async perform(context, { handoff, list, budget = context.settings.brief_tokens, markdown, reviewed }) {
    if (reviewed && (handoff === undefined || list))
      throw usageError('--reviewed goes with the one that was read')
    const here = await lookHere(context)
    return { markdown, ...(await pickUp(context, { wanted: handoff, list, reviewed, budget, ...here })) }
  },
  say: (result, screen) => {
    if (result.kind === 'brief') return sayBrief(result, screen)
    if (result.kind === 'choose')
      return `Which handoff? savepoint pickup <name>\n${tableOf(result.candidates, screen)}`
    return result.kind === 'list' && result.handoffs.length > 0 ? tableOf(result.handoffs, screen) : NOTHING
  },
  exact: exactBrief,
  tool: {
    title: 'Pick up a handoff',
    when: 'Call it to continue work that was handed off. Check UNCONFIRMED lines and ask its questions before relying on them. For work that was only saved call resume.',
    effect: 'reads',
    facts: {
      kind: choiceFact(['brief', 'choose', 'list', 'nothing']),
      path: nullableFact(textFact()),
      stream: nullableFact(textFact()),
      createdAt: nullableFact(textFact()),
      tokens: nullableFact(integerFact('size of the brief (estimated)')),
      handoffs: listFact(recordFact({ name: textFact(), createdAt: textFact() }), 'newest first'),
      refused: integerFact('handoffs that are unreadable or need a review'),
    },
    factsOf: (result) => {
      const all = 'handoffs' in result ? result.handoffs : 'candidates' in result ? result.candidates : []
      // The name of a file that nobody vouches for is a stranger's text as well.
      const handoffs = all.filter(isVouched)
      const brief = result.kind === 'brief' ? result : null
      return {
        ...{ kind: result.kind, path: brief?.path ?? null, stream: brief?.stream ?? null },
        ...{ createdAt: brief?.createdAt ?? null, tokens: brief?.tokens ?? null },
        handoffs,
        refused: all.length - handoffs.length,
      }
    },
    fenced: fencedBrief,
  },
})

/** Whether it can be meant as a file: with a folder before it, or by how it ends. */
function isFile(wanted: string): boolean {
  return /[/\\]|\.md$/i.test(wanted)
}

function requireWord(text: string): void {
  if (text.trim() === '' || text.includes('\0')) throw usageError('<handoff> is no slug and no file')
}

interface PickupRequest extends Here {
  wanted: string | undefined
  list: boolean
  reviewed: boolean
  budget: number
}

async function pickUp(context: Context, asked: PickupRequest) {
  const { wanted, list } = asked
  const isPath = wanted !== undefined && /[/\\]/.test(wanted)
  const found = isPath ? [] : await judgeHandoffs(context, await findHandoffs(context), asked)
  const listHandoffs = (some: JudgedHandoff[]) => some.map((one) => describeHandoff(one, context.ports.now()))
  if (list) return { kind: 'list' as const, handoffs: listHandoffs(found) }
  if (wanted === undefined) {
    const newest = newestUsable(context, found)
    return newest === null ? { kind: 'nothing' as const } : briefFor(context, newest, asked)
  }
  const matches = matching(found, wanted)
  if (matches.length > 1) return { kind: 'choose' as const, candidates: listHandoffs(matches) }
  // What looks like no file and matches nothing is not looked for in the folder around.
  const [only] =
    matches.length === 0 && isFile(wanted)
      ? await judgeHandoffs(context, [await handoffAt(context, wanted)], asked)
      : matches
  if (!only) throw new ReasonError('handoff_unknown', { handoff: wanted })
  return briefFor(context, only, asked)
}

/** The newest that may be told; those that are newer are named. Null where there is nothing at all. */
function newestUsable({ notices }: Context, found: JudgedHandoff[]): JudgedHandoff | null {
  const at = found.findIndex((one) => refusalOf(one, false) === null)
  if (at === -1) return found[0] ?? null
  for (const one of found.slice(0, Math.min(at, MOST_NAMED)))
    notices.push(NOTICES.newerHandoff(refusalOf(one, false)?.message))
  if (at > MOST_NAMED) notices.push(NOTICES.moreNewerHandoffs(at - MOST_NAMED))
  return found[at] ?? null
}

const MOST_NAMED = 3

/** The name itself, then the slug or the purpose, then what contains it. */
function matching(found: JudgedHandoff[], wanted: string): JudgedHandoff[] {
  const words = [slugOf(wanted), wanted.toLowerCase()]
  const ladder: Array<(one: JudgedHandoff) => boolean> = [
    ({ name }) => name === wanted || name === `${wanted}.md`,
    (one) => words.some((word) => word === one.slug || word === slugOf(purposeOf(one) ?? one.slug)),
    ({ slug, name }) => words.some((word) => slug.includes(word) || name.toLowerCase().includes(word)),
  ]
  return ladder.map((matches) => found.filter(matches)).find((some) => some.length > 0) ?? []
}

const isVouched = ({ standing }: { standing: string }) => standing === 'ours' || standing === 'vouched'

const purposeOf = (one: JudgedHandoff) => (isVouched(one) ? (one.handoff?.purpose ?? null) : null)

/** Why a handoff is not told; null where it may be. */
function refusalOf({ path, problem, standing, note }: JudgedHandoff, reviewed: boolean): ReasonError | null {
  if (problem !== null) return new ReasonError('handoff_invalid', { path, problem })
  if (standing === 'untrusted') return new ReasonError('workspace_untrusted', { path })
  return standing === 'foreign' && !reviewed ? new ReasonError('handoff_foreign', { path, note }) : null
}

async function briefFor(context: Context, one: JudgedHandoff, asked: PickupRequest) {
  const { handoff, path, slug, createdMs, standing } = one
  const refusal = refusalOf(one, asked.reviewed)
  if (refusal || handoff === null) throw refusal ?? new ReasonError('handoff_unknown', { handoff: path })
  const { purpose, branch, commit } = handoff
  const work = workOf(one, handoff)
  // What is uncommitted here is no part of the answer: git need not be asked for it.
  const world = await worldOf(context, asked, { wantsDirty: false })
  const point = { atMs: createdMs, branch, commit, absent: absentAt(one.checkpoint, work) }
  const { checks, drift } = await verifyWork(context, work, point, world)
  const stream = handoff.stream !== null && nameProblem(handoff.stream) === null ? handoff.stream : null
  const nowMs = context.ports.now()
  const told = {
    stream: stream ?? slug,
    savedAtMs: createdMs,
    nowMs,
    checks,
    drift,
    learnings: learningsIn(work),
  }
  // The name of the file may be long; the list has it.
  const input = { ...told, command: 'savepoint pickup --list' }
  context.notices.push(NOTICES.chosenHandoff(path))
  return {
    ...{ kind: 'brief' as const, path, purpose, slug, stream, branch, commit, standing, drift, work },
    createdAt: instant(createdMs),
    ...renderFittedBrief({ ...input, work: withPurpose(work, purpose) }, asked.budget),
  }
}

/** What the document says; of our own, also what it has no section for, and how its files looked. */
function workOf({ checkpoint }: JudgedHandoff, handoff: Handoff): WorkState {
  const work = { ...(checkpoint?.work ?? emptyWork()), ...handoff.work }
  const seen = new Map(checkpoint?.work.artifacts.map((file) => [file.path, file.seen]))
  const artifacts = work.artifacts.map((file) => {
    const mark = seen.get(file.path)
    return mark === undefined ? file : { ...file, seen: mark }
  })
  return { ...work, artifacts }
}

/** The purpose is what the brief begins with. */
function withPurpose(work: WorkState, purpose: string): WorkState {
  if (work.intent === purpose) return work
  if (work.intent === '' && work.problem === '') return { ...work, intent: purpose }
  return { ...work, problem: [purpose, work.problem].filter((text) => text !== '').join('\n') }
}

type ListedHandoff = ReturnType<typeof describeHandoff>

/** A handoff in a list. What nobody vouches for shows its name, and none of its words. */
function describeHandoff(one: JudgedHandoff, nowMs: number) {
  const { path, name, slug, createdMs, problem } = one
  const standing = problem === null ? one.standing : ('unreadable' as const)
  const [createdAt, age] = [instant(createdMs), ageOf(nowMs - createdMs)]
  return { path, name, slug, purpose: purposeOf(one), problem, createdAt, age, standing }
}

const NOTHING = 'No handoffs here. Write one: savepoint handoff "what for"'

const SAYS: Record<ListedHandoff['standing'], string> = {
  ours: '',
  vouched: '',
  foreign: 'came with the repository, not reviewed',
  untrusted: 'came with the repository, which is not trusted',
  unreadable: 'unreadable',
}

/** By their names; two of one name, of two worktrees, by their paths. */
function tableOf(handoffs: ListedHandoff[], screen: Screen): string {
  const isTwice = ({ name }: ListedHandoff) => handoffs.filter((other) => other.name === name).length > 1
  return renderTable(
    ['WHEN', 'NAME', 'PURPOSE'],
    handoffs.map((one) => {
      const { createdAt, name, path, purpose, standing, problem } = one
      const words =
        purpose !== null ? plainLine(purpose) : `(${SAYS[standing]}${problem === null ? '' : `: ${problem}`})`
      return [screen.time(createdAt), visible(isTwice(one) ? path : name), visible(words)]
    }),
    screen,
  )
}
