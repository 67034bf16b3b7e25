import { EXIT } from '../../core/reason.ts'
import { formatCount } from '../../core/text.ts'
import { type Context, settleIdentity } from '../../engine/context/context.ts'
import { FIX, type Finding } from '../../engine/context/findings.ts'
import { examineDocuments } from '../../engine/documents/examine-documents.ts'
import { examineAbsence, examineBackups, examineStore } from '../../engine/heal/heal.ts'
import { examineRun, examineStrangers } from '../../engine/runs/examine-runs.ts'
import { examineNotes } from '../../engine/save/examine-notes.ts'
import { type Capture, examineCapture } from '../../engine/sessions/examine-capture.ts'
import { examineSetup } from '../../engine/setup/examine-setup.ts'
import { isSetUpHere } from '../../engine/setup/settings-places.ts'
import { defineVerb } from '../define/verb.ts'

/** Looks at everything, mends what it may, and tells both. Nothing is ever deleted. */
async function examine(
  context: Context,
  fix: boolean,
): Promise<{ findings: Finding[]; capture: Capture | null }> {
  const findings: Finding[] = []
  await examineSetup(context, findings)
  if (!(await examineAbsence(context, fix, findings))) return { findings, capture: null }
  if (!(await examineStore(context, fix, findings))) return { findings, capture: null }
  context.identity = await settleIdentity(context, fix ? 'write' : 'read')
  for (const run of await context.store.log.listStreams(null)) await examineRun(context, run, fix, findings)
  await examineStrangers(context, fix, findings)
  await examineDocuments(context, fix, findings)
  await examineNotes(context, findings)
  examineBackups(context, findings)
  return { findings, capture: await examineCapture(context, findings, await isSetUpHere(context)) }
}

/** What the hooks did here, where any was heard. */
function sayCapture(capture: Capture | null): string[] {
  if (capture === null) return []
  if (capture.last.length === 0)
    return capture.setUp ? ['Hooks installed; no events received yet. Start the agent here.'] : []
  const { last, p50, p95, tokensTold, sessions } = capture
  const times = p50 === null ? '' : `, ${p50} ms (p50), ${p95} ms (p95)`
  return [
    `Hooks: ${formatCount(sessions, 'session')}${times}, ${tokensTold} tokens told (est.)`,
    ...last.map(({ kind, age }) => `  ${kind.padEnd(14)}  ${age} ago`),
  ]
}

const LEVELS = { error: 'bad', warning: 'warn', note: 'faint' } as const

export const doctor = defineVerb({
  name: 'doctor',
  summary: 'Check that everything works, and repair it',
  detail:
    'Checks the setup of your agent, the store and every file that Savepoint wrote. --fix repairs what it can and moves the rest away. It deletes nothing.',
  fields: { fix: { kind: 'flag', about: 'repair problems' } },
  examples: ['savepoint doctor', 'savepoint doctor --fix'],
  access: ({ fix }) => (fix ? 'write' : 'read'),
  meetsDamage: true,
  async perform(context, { fix }) {
    const { findings, capture } = await examine(context, fix)
    return {
      home: context.home.path,
      healthy: findings.every(({ level, fixed }) => level === 'note' || fixed !== null),
      findings,
      capture,
    }
  },
  say: ({ home, findings, capture }, { paint }) =>
    [
      ...(findings.length === 0
        ? [`${paint('good', 'No problems found.')} Data: ${home}`]
        : findings.map(
            ({ level, what, todo, fixed }) =>
              `${paint(fixed === null ? LEVELS[level] : 'good', `${level}:`)} ${what}\n  ${fixed === null ? todo : `fixed: ${fixed}`}`,
          )),
      ...sayCapture(capture),
    ].join('\n'),
  failure: ({ healthy, findings }) =>
    healthy
      ? null
      : {
          exit: EXIT.problem,
          reason: 'problems_found',
          message: `${formatCount(findings.length, 'finding')}, not all of them fixed`,
          hint: `Each finding says what to do. Most are repaired by: ${FIX}`,
        },
})
