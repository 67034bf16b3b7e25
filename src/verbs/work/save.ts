import { BY_HAND } from '../../core/checkpoint.ts'
import { PLANS_HOME } from '../../core/layout.ts'
import { formatCount } from '../../core/text.ts'
import { visible } from '../../core/visible.ts'
import { afterCommit, type Context } from '../../engine/context/context.ts'
import type { RunAtSave } from '../../engine/runs/snapshot-at-save.ts'
import type { JoinedWork } from '../../engine/save/join-merged.ts'
import type { SavedView } from '../../engine/save/save-document.ts'
import { listRunsInProgress } from '../../engine/surroundings/stored-runs.ts'
import { offerAdoption } from '../../engine/transfer/adopt-repository.ts'
import { recordRepository } from '../../engine/transfer/repository-marks.ts'
import { describeKnowledge } from '../../policy/join-work.ts'
import { choiceFact, integerFact, listFact, nullableFact, recordFact, textFact } from '../define/facts.ts'
import { defineVerb } from '../define/verb.ts'
import { confirmLedger } from './confirm-ledger.ts'
import { type SaveReceipt, saveInSession } from './save-in-session.ts'
import { readSaveInput, SAYING_FIELDS } from './saying.ts'

/** Why a checkpoint is taken now; `manual` where nobody says. */
const WHEN = [
  'manual',
  'phase',
  'decision',
  'shift',
  'session-end',
  'pressure',
  'compaction',
  'risk',
] as const

export interface SaveAnswer extends SaveReceipt {
  /** What the session ledger's users are told, where it was asked for. */
  confirmation?: string
  /** The snapshot that was taken of a run in progress here. */
  run: RunAtSave | null
}

export const save = defineVerb({
  name: 'save',
  summary: 'Save where the work stands',
  detail: `What was known before is carried forward: say only what is new. It goes into the store, and from there into the document of the work, into a note where there is a ${PLANS_HOME} folder, and into the ledger where that is enabled. Branch, commit, uncommitted files and the active plan are found out. Where a run is in progress, it takes a snapshot of it.`,
  fields: {
    ...SAYING_FIELDS,
    trigger: {
      kind: 'choice',
      choices: WHEN,
      value: 'WHY',
      about: `why now: ${WHEN.join(', ')}`,
    },
    ledger: { kind: 'flag', about: 'answer for the session ledger: that it was written, or why not' },
  },
  examples: [
    'savepoint save "Moving login to tokens" --next "Write the refresh test"',
    'savepoint save "Login works" --decision "JWT over cookies because the app has no session" --done "Login form"',
    'savepoint save --decision "Passkeys over JWT because of phishing" --supersedes JWT',
    'savepoint save "Login works" --ledger',
    `echo '{"summary": "Login works", "next": ["Ship it"]}' | savepoint save --stdin --json`,
  ],
  access: 'write',
  takesIn: 'talk',
  lenient: true,
  async perform(context, { trigger = 'manual', ledger, ...input }): Promise<SaveAnswer> {
    await offerAdoption(context)
    // Once: git is asked for the first commits of a long history.
    context.afterwards.push(async () => void (await recordRepository(context)))
    const why = { kind: trigger, note: BY_HAND.saved }
    const receipt = await saveInSession(context, await readSaveInput(context, input), why)
    const saved = { ...receipt, run: await snapshotRun(context) }
    return ledger ? { ...saved, confirmation: confirmLedger(receipt) } : saved
  },
  say: (receipt, { columns }) => receipt.confirmation ?? banner(receipt, columns),
  tool: {
    title: 'Save where the work stands',
    when: 'Call it when a phase is done, a decision is made, the direction changes, before anything risky, before the session ends, and when the context window fills up. Not for quick tasks, and not when nothing is new since the last save.',
    effect: 'adds',
    facts: {
      stream: textFact('the piece of work that it was saved to'),
      checkpoint: textFact('the id of the checkpoint'),
      sequence: integerFact('its number in the history of that work'),
      origin: nullableFact(
        textFact('the work that this one, which began, took its decisions and rules from'),
      ),
      joined: listFact('work of merged branches that was taken over', textFact('its name')),
      decisions: recordFact('how many decisions', {
        new: integerFact('recorded by this save'),
        total: integerFact('known in all'),
        unconfirmed: integerFact('that the user has not confirmed'),
      }),
      files: listFact(
        'files that show it',
        recordFact('a file', {
          path: textFact('where it is'),
          state: choiceFact('whether it says it already', ['written', 'pending', 'left']),
          problem: nullableFact(textFact('why it does not')),
        }),
      ),
    },
    factsOf: ({ stream, checkpoint, sequence, origin, joined, decisions, views }) => ({
      ...{ stream, checkpoint, sequence, origin, decisions },
      joined: joined.map((one) => one.stream),
      files: views.map(({ path, state, problem }) => ({ path, state, problem })),
    }),
  },
})

/** The snapshot of the run that is in progress here; null without one. The save is done, whatever becomes of it. */
const snapshotRun = (context: Context): Promise<RunAtSave | null> =>
  afterCommit(
    context,
    'Taking the snapshot of the run in progress',
    () => null,
    async () => {
      const [newest, ...others] = await listRunsInProgress(context)
      if (newest === undefined) return null
      const { snapshotAtSave } = await import('../../engine/runs/snapshot-at-save.ts')
      return snapshotAtSave(context, [newest, ...others])
    },
  )

function sayRun({ runId, snapshotId, coalesced, others }: RunAtSave): string {
  const more = others === 0 ? '' : ` (${others} more in progress)`
  return `${runId}${more}, ${coalesced ? `nothing new since snapshot ${snapshotId}` : `snapshot ${snapshotId}`}`
}

/** The seed's banner; a line for each place, and the truth about each. */
function banner(receipt: SaveAnswer, columns: number): string {
  const rule = '━'.repeat(Math.min(53, columns))
  const { stream, sequence, summary, decisions, next, views } = receipt
  const { dropped, redacted, unlisted, surfaced } = receipt
  const places = views.filter(({ kind }) => kind !== 'index')
  const locations = [...places.map(sayView), `the store, number ${sequence} of ${stream}`]
  const doubts = decisions.unconfirmed === 0 ? '' : `, ${decisions.unconfirmed} unconfirmed`
  const index = views.find(({ kind, state }) => kind === 'index' && state !== 'written')
  return [
    ...[rule, '  CHECKPOINT SAVED', rule, ''],
    ...locations.map((place, at) => `  ${at === 0 ? 'Location:' : '         '} ${place}`),
    `  Summary:  ${line(summary) || '-'}`,
    `  Decisions: ${decisions.new} recorded, ${decisions.total} in all${doubts}`,
    `  Next:     ${line(next) || '-'}`,
    ...[...sayStart(receipt), ...receipt.joined.flatMap(sayJoined)].map((words) => `  ${words}`),
    ...(receipt.run ? [`  Run:      ${sayRun(receipt.run)}`] : []),
    ...(index ? [`  Index:    ${sayView(index)}`] : []),
    ...(unlisted > 0 ? [`  Files:    +${formatCount(unlisted, 'more uncommitted file')}, not listed`] : []),
    ...(dropped > 0 ? [`  Left out: ${formatCount(dropped, 'older item')}; the history has them`] : []),
    ...(redacted > 0 ? [`  Redacted: ${formatCount(redacted, 'secret')}`] : []),
    ...(surfaced ? ['', '  This context will be surfaced on next session start.'] : []),
    ...['', rule],
  ].join('\n')
}

/** What work that begins took from the branch before; that there was nothing is said too. */
function sayStart({ stream, began, origin, inherited, hasOthers }: SaveReceipt): string[] {
  if (!began) return []
  const taken = describeKnowledge(inherited)
  if (origin === null) return hasOthers ? [`Started ${stream}, empty`] : []
  return [`Started ${stream}; ${taken === '' ? 'nothing to inherit' : `inherited ${taken}`} from ${origin}`]
}

function sayJoined({ stream, closed, ...counts }: JoinedWork): string[] {
  const taken = describeKnowledge(counts)
  return [
    taken === '' ? `${stream} is merged; nothing new to join` : `Joined ${taken} from ${stream} (merged)`,
    ...(closed ? [] : [`To finish it: savepoint archive ${stream} --outcome "…"`]),
  ]
}

const line = (text: string) => visible(text.split(/\r?\n/, 1)[0]?.trim() ?? '')

function sayView({ path, state, problem }: SavedView): string {
  if (state === 'written') return path
  const why = problem === null ? '' : `: ${problem}`
  return state === 'pending' ? `${path} (not written yet${why})` : `${path} (left as it is${why})`
}
