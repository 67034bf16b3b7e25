import type { Verb } from './define/verb.ts'

/**
 * Every verb, once, by its name. The command line, its help, its completion, the tools of the MCP server (in this order)
 * and the reference pages are made from this. A verb is loaded when it is called: what one of them needs does not slow down the others.
 */
const TABLE = {
  init: async () => (await import('./setup/init.ts')).init,
  uninstall: async () => (await import('./setup/uninstall.ts')).uninstall,
  save: async () => (await import('./work/save.ts')).save,
  confirm: async () => (await import('./work/correct.ts')).confirm,
  reject: async () => (await import('./work/correct.ts')).reject,
  remove: async () => (await import('./work/correct.ts')).remove,
  reword: async () => (await import('./work/correct.ts')).reword,
  resume: async () => (await import('./work/resume.ts')).resume,
  status: async () => (await import('./work/status.ts')).status,
  search: async () => (await import('./work/search.ts')).search,
  sessions: async () => (await import('./sessions/sessions.ts')).sessions,
  'sessions show': async () => (await import('./sessions/sessions-show.ts')).sessionsShow,
  'sessions stats': async () => (await import('./sessions/sessions-stats.ts')).sessionsStats,
  'sessions info': async () => (await import('./sessions/info.ts')).info,
  'sessions budget': async () => (await import('./sessions/budget.ts')).budget,
  compact: async () => (await import('./sessions/compact.ts')).compact,
  'outcome focus': async () => (await import('./sessions/outcome-focus.ts')).outcomeFocus,
  reconcile: async () => (await import('./sessions/reconcile.ts')).reconcile,
  statusline: async () => (await import('./sessions/statusline.ts')).statusline,
  note: async () => (await import('./work/note.ts')).note,
  ledger: async () => (await import('./work/ledger.ts')).ledger,
  'ledger write': async () => (await import('./work/ledger.ts')).ledgerWrite,
  'ledger history': async () => (await import('./work/ledger.ts')).ledgerHistory,
  import: async () => (await import('./work/import.ts')).importVerb,
  convert: async () => (await import('./work/convert.ts')).convert,
  export: async () => (await import('./work/export.ts')).exportVerb,
  handoff: async () => (await import('./work/handoff.ts')).handoff,
  pickup: async () => (await import('./work/pickup.ts')).pickup,
  'run start': async () => (await import('./runs/start.ts')).runStart,
  'run step': async () => (await import('./runs/record.ts')).runStep,
  'run error': async () => (await import('./runs/record.ts')).runError,
  'run save': async () => (await import('./runs/record.ts')).runSave,
  'run exec': async () => (await import('./runs/exec.ts')).runExec,
  'run finish': async () => (await import('./runs/record.ts')).runFinish,
  'run pause': async () => (await import('./runs/record.ts')).runPause,
  'run pin': async () => (await import('./runs/pin.ts')).runPin,
  'run list': async () => (await import('./runs/list.ts')).runList,
  'run show': async () => (await import('./runs/show.ts')).runShow,
  'run verify': async () => (await import('./runs/verify.ts')).runVerify,
  'run prune': async () => (await import('./runs/prune.ts')).runPrune,
  'run resume': async () => (await import('./runs/resume.ts')).runResume,
  new: async () => (await import('./documents/new.ts')).newVerb,
  fork: async () => (await import('./documents/fork.ts')).fork,
  delta: async () => (await import('./documents/delta.ts')).delta,
  focus: async () => (await import('./documents/focus.ts')).focus,
  list: async () => (await import('./documents/list.ts')).list,
  show: async () => (await import('./documents/show.ts')).show,
  diff: async () => (await import('./documents/diff.ts')).diff,
  restore: async () => (await import('./documents/restore.ts')).restore,
  undo: async () => (await import('./documents/undo.ts')).undo,
  compress: async () => (await import('./documents/compress.ts')).compress,
  archive: async () => (await import('./documents/archive.ts')).archive,
  rename: async () => (await import('./documents/rename.ts')).rename,
  trust: async () => (await import('./documents/trust.ts')).trust,
  validate: async () => (await import('./documents/validate.ts')).validate,
  doctor: async () => (await import('./setup/doctor.ts')).doctor,
  'config explain': async () => (await import('./setup/config-explain.ts')).configExplain,
  backup: async () => (await import('./setup/backup.ts')).backup,
} as const satisfies Record<string, () => Promise<unknown>>

/** Words that stand before several verbs. */
export const GROUPS = {
  ledger: 'The session ledger',
  sessions: 'Agent sessions',
  outcome: 'Outcomes of sessions',
  run: 'Runs of a plan, with snapshots',
  config: 'Settings and their sources',
} as const

interface HelpTopic {
  title: string
  /** First words of verbs. */
  verbs: readonly string[]
  /** So many of them are shown by `savepoint --help`; the others by `savepoint help <topic>`. */
  first: number
}

/** What help shows, in this order. A verb of no topic is shown by `savepoint help all` alone. */
export const HELP_TOPICS: Readonly<Record<string, HelpTopic>> = {
  work: {
    title: 'Every day',
    verbs: [
      ...['save', 'resume', 'status', 'list', 'search', 'undo', 'dashboard'],
      ...['confirm', 'reject', 'remove', 'reword', 'sessions'],
    ],
    first: 6,
  },
  handover: { title: 'Hand over', verbs: ['handoff', 'pickup', 'export', 'import'], first: 4 },
  documents: {
    title: 'Documents',
    verbs: [
      ...['new', 'fork', 'delta', 'focus', 'show', 'diff', 'restore', 'compress', 'archive', 'rename'],
      ...['validate', 'note', 'ledger'],
    ],
    first: 0,
  },
  runs: { title: 'Runs', verbs: ['run'], first: 0 },
  setup: {
    title: 'Setup and care',
    verbs: ['init', 'doctor', 'uninstall', 'trust', 'config', 'backup', 'mcp', 'completion'],
    first: 2,
  },
}

/** Commands of the formats that Savepoint keeps, and words that were verbs once: what they ask for. */
export const OTHER_WORDS: Readonly<Record<string, readonly string[]>> = {
  checkpoint: ['save', '--note'],
  'context:info': ['sessions', 'info'],
  'context:checkpoint': ['save'],
  'context:compact': ['compact'],
  'context:budget': ['sessions', 'budget'],
  info: ['sessions', 'info'],
  budget: ['sessions', 'budget'],
  tree: ['list', '--tree'],
  learnings: ['search', '--learnings'],
  untrust: ['trust', '--off'],
}

type VerbName = keyof typeof TABLE

export const isVerbName = (name: string): name is VerbName => Object.hasOwn(TABLE, name)

/** One verb. Its input and its result belong together; a table of many can only promise that they do. */
export async function loadVerb(name: VerbName): Promise<Verb> {
  return (await TABLE[name]()) as unknown as Verb
}

/** All verbs, in the order of the table. */
export const loadVerbs = (): Promise<Verb[]> =>
  Promise.all(Object.keys(TABLE).filter(isVerbName).map(loadVerb))
