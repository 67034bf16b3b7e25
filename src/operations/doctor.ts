import { EXIT, ReasonError } from '../core/reason.ts'
import { databaseProblem } from '../store/sqlite/backup.ts'
import { backupsIn } from '../store/sqlite/restore.ts'
import { type Context, settleIdentity } from './context.ts'
import { examineDocuments } from './document/examine-documents.ts'
import { FIX, type Finding } from './finding.ts'
import { healStore } from './heal.ts'
import { operation } from './operation.ts'
import { isUnfinished } from './perform.ts'
import { examineRun, examineStrangers } from './run/examine.ts'
import { type Capture, examineCapture } from './session/examine-capture.ts'
import { examineSetup } from './setup/examine-setup.ts'
import { count } from './text.ts'
import { examineNotes } from './work/examine-notes.ts'

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
  for (const run of await context.store.streams(null)) await examineRun(context, run, fix, findings)
  await examineStrangers(context, fix, findings)
  await examineDocuments(context, fix, findings)
  await examineNotes(context, findings)
  examineBackups(context, findings)
  return { findings, capture: await examineCapture(context, findings) }
}

/** False where the store is gone and stays gone: opening it would put an empty one in its place. */
async function examineAbsence(context: Context, fix: boolean, findings: Finding[]): Promise<boolean> {
  const { database } = context.home
  if (!isUnfinished(context)) return true
  const healed = fix ? await healStore(context) : null
  findings.push({
    level: 'error',
    what: `The store ${database} is gone, its backups are there, or what was set aside is not read yet`,
    todo: FIX,
    fixed: healed && `restored from ${healed.backup ?? healed.setAside}`,
  })
  return fix
}

/** False where the store cannot be read, so that nothing more can be said. */
async function examineStore(context: Context, fix: boolean, findings: Finding[]): Promise<boolean> {
  const { problems, derived, readable } = await storeProblems(context)
  if (problems.length === 0) {
    await examineSearch(context, fix, derived, findings)
    return true
  }
  const healed = fix ? await healStore(context, { force: true }) : null
  const left = healed ? (await storeProblems(context)).problems : problems
  for (const what of problems)
    findings.push({
      level: 'error',
      what: `The store ${context.store.path}: ${what}`,
      todo: FIX,
      fixed: healed && left.length === 0 ? `set aside at ${healed.setAside}, restored` : null,
    })
  return healed !== null || readable
}

/** Nothing is lost with the search index, so nothing is set aside for it. */
async function examineSearch(
  { store }: Context,
  fix: boolean,
  derived: readonly string[],
  findings: Finding[],
): Promise<void> {
  const [what] = derived
  if (what === undefined) return
  if (fix) await store.forgetSearch()
  findings.push({
    level: 'note',
    what: `The search index is damaged: ${what}`,
    todo: 'Nothing is lost: it is made anew at the next search.',
    fixed: fix ? 'thrown away; it is made anew at the next search' : null,
  })
}

async function storeProblems(
  context: Context,
): Promise<{ problems: string[]; derived: string[]; readable: boolean }> {
  try {
    const all = await context.store.check()
    const whats = (isDerived: boolean) =>
      all.filter(({ derived = false }) => derived === isDerived).map(({ what }) => what)
    return { problems: whats(false), derived: whats(true), readable: true }
  } catch (error) {
    if (error instanceof ReasonError && error.reason === 'store_damaged')
      return { problems: [error.message], derived: [], readable: false }
    throw error
  }
}

function examineBackups(context: Context, findings: Finding[]): void {
  for (const file of backupsIn(context.home.backups, context.ports.now())) {
    const problem = databaseProblem(file)
    if (problem !== null)
      findings.push({
        level: 'warning',
        what: `The backup ${file} is damaged: ${problem}`,
        todo: 'Move it away; the next backup is made within a day.',
        fixed: null,
      })
  }
}

/** What the hooks did here, where any was heard. */
function sayCapture(capture: Capture | null): string[] {
  if (capture === null) return []
  if (capture.last.length === 0)
    return capture.set_up ? ['Hooks are in place, and none was heard yet: start the agent here.'] : []
  const { last, p50, p95, tokens_told, sessions } = capture
  const times = p50 === null ? '' : ` A hook took ${p50} ms (p50), ${p95} ms (p95).`
  return [
    `Hooks were heard in ${count(sessions, 'session')} here.${times} They told ${tokens_told} tokens (est.).`,
    ...last.map(({ kind, age }) => `  ${kind.padEnd(14)}  ${age} ago`),
  ]
}

export const doctor = operation({
  name: 'doctor',
  summary: 'Check the store and every published file',
  detail: 'With --fix it repairs what can be repaired and sets aside what cannot. It deletes nothing.',
  fields: { fix: { kind: 'flag', about: 'repair and set aside' } },
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
  say: ({ home, findings, capture }) =>
    [
      ...(findings.length === 0
        ? [`Everything is sound. The store is in ${home}.`]
        : findings.map(
            ({ level, what, todo, fixed }) =>
              `${level}: ${what}\n  ${fixed === null ? todo : `fixed: ${fixed}`}`,
          )),
      ...sayCapture(capture),
    ].join('\n'),
  failure: ({ healthy, findings }) =>
    healthy
      ? null
      : {
          exit: EXIT.problem,
          reason: 'problems_found',
          message: `${count(findings.length, 'finding')}, not all of them fixed`,
          hint: `Each finding says what to do; most are mended by: ${FIX}`,
        },
})
