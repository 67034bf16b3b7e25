import type { Operation } from './operation.ts'

/**
 * Every verb, once, by its name. The command line, its help, its completion, the tools of the MCP server (in this order)
 * and the reference pages are made from this. A verb is loaded when it is called: what one of them needs does not slow down the others.
 */
const TABLE = {
  init: async () => (await import('./setup/init.ts')).init,
  uninstall: async () => (await import('./setup/uninstall.ts')).uninstall,
  save: async () => (await import('./work/save.ts')).save,
  resume: async () => (await import('./work/resume.ts')).resume,
  status: async () => (await import('./work/status.ts')).status,
  search: async () => (await import('./search/search.ts')).search,
  sessions: async () => (await import('./session/sessions.ts')).sessions,
  'sessions show': async () => (await import('./session/sessions-show.ts')).sessionsShow,
  'sessions stats': async () => (await import('./session/sessions-stats.ts')).sessionsStats,
  info: async () => (await import('./session/info.ts')).info,
  budget: async () => (await import('./session/budget.ts')).budget,
  compact: async () => (await import('./session/compact.ts')).compact,
  'outcome focus': async () => (await import('./session/outcome-focus.ts')).outcomeFocus,
  reconcile: async () => (await import('./session/reconcile.ts')).reconcile,
  statusline: async () => (await import('./session/statusline.ts')).statusline,
  ledger: async () => (await import('./work/ledger.ts')).ledger,
  'ledger write': async () => (await import('./work/ledger-write.ts')).ledgerWrite,
  'ledger history': async () => (await import('./work/ledger.ts')).ledgerHistory,
  import: async () => (await import('./import/import.ts')).importOperation,
  handoff: async () => (await import('./work/handoff.ts')).handoff,
  pickup: async () => (await import('./work/pickup.ts')).pickup,
  'run start': async () => (await import('./run/start.ts')).runStart,
  'run step': async () => (await import('./run/step.ts')).runStep,
  'run error': async () => (await import('./run/error.ts')).runError,
  'run save': async () => (await import('./run/save.ts')).runSave,
  'run exec': async () => (await import('./run/exec.ts')).runExec,
  'run finish': async () => (await import('./run/finish.ts')).runFinish,
  'run pause': async () => (await import('./run/pause.ts')).runPause,
  'run pin': async () => (await import('./run/pin.ts')).runPin,
  'run list': async () => (await import('./run/list.ts')).runList,
  'run show': async () => (await import('./run/show.ts')).runShow,
  'run verify': async () => (await import('./run/verify.ts')).runVerify,
  'run prune': async () => (await import('./run/prune.ts')).runPrune,
  'run resume': async () => (await import('./run/resume.ts')).runResume,
  new: async () => (await import('./document/new.ts')).newOperation,
  fork: async () => (await import('./document/fork.ts')).fork,
  delta: async () => (await import('./document/delta.ts')).delta,
  focus: async () => (await import('./document/focus.ts')).focus,
  list: async () => (await import('./document/list.ts')).list,
  tree: async () => (await import('./document/tree.ts')).tree,
  show: async () => (await import('./document/show.ts')).show,
  diff: async () => (await import('./document/diff.ts')).diff,
  restore: async () => (await import('./document/restore.ts')).restore,
  compress: async () => (await import('./document/compress.ts')).compress,
  archive: async () => (await import('./document/archive.ts')).archive,
  trust: async () => (await import('./document/trust.ts')).trust,
  untrust: async () => (await import('./document/trust.ts')).untrust,
  validate: async () => (await import('./document/validate.ts')).validate,
  learnings: async () => (await import('./document/learnings.ts')).learnings,
  doctor: async () => (await import('./doctor.ts')).doctor,
  'config explain': async () => (await import('./config-explain.ts')).configExplain,
  backup: async () => (await import('./backup.ts')).backup,
} as const satisfies Record<string, () => Promise<unknown>>

/** Words that group several verbs. */
export const GROUPS = {
  ledger: 'The session ledger of this worktree',
  sessions: 'Sessions of agents in this repository',
  outcome: 'What sessions work on',
  run: 'Runs of a plan and their snapshots',
  config: 'Settings, and where they come from',
} as const

type OperationName = keyof typeof TABLE

export const isOperationName = (name: string): name is OperationName => Object.hasOwn(TABLE, name)

/** One verb. Its input and its result belong together; a table of many can only promise that they do. */
export async function loadOperation(name: OperationName): Promise<Operation> {
  return (await TABLE[name]()) as unknown as Operation
}

/** All verbs, in the order of the table. */
export const loadOperations = (): Promise<Operation[]> =>
  Promise.all(Object.keys(TABLE).filter(isOperationName).map(loadOperation))
