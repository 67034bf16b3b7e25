import { clipText } from '../core/canonical.ts'
import { nameProblem } from '../core/id.ts'
import { DEFAULT_LEDGER, ledgerPathProblem } from '../core/ledger-path.ts'

interface SettingRow {
  about: string
  default: string | number | boolean
  /** Null where the value can be used, else what it must be. */
  problem(value: unknown): string | null
  /** Whose word counts: some settings could hurt if a repository that was cloned could set them. */
  from: 'anyone' | 'user'
}

const wholeNumber =
  (least: number, most = Number.MAX_SAFE_INTEGER) =>
  (value: unknown) => {
    if (Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most) return null
    return `a whole number from ${least}${most === Number.MAX_SAFE_INTEGER ? '' : ` to ${most}`}`
  }

const trueOrFalse = (value: unknown) => (typeof value === 'boolean' ? null : 'true or false')

/** A path is named with what is wrong about it: the rule has too many sides to guess. */
function ledgerPath(value: unknown): string | null {
  const wanted = 'the path of a .md file inside the workspace'
  if (typeof value !== 'string') return wanted
  const problem = ledgerPathProblem(value)
  return problem && `${wanted}, and ${JSON.stringify(clipText(value, 80))} is not: ${problem}`
}

/** Every setting: its name in the file, its default, and who may set it. docs/config.md is made from this. */
export const SETTINGS = {
  ledger: {
    about: 'Write a session ledger in this worktree: a one-page summary of the work.',
    default: false,
    problem: trueOrFalse,
    from: 'anyone',
  },
  ledger_path: {
    about: 'Path of the ledger, relative to the workspace root.',
    default: DEFAULT_LEDGER,
    problem: ledgerPath,
    from: 'anyone',
  },
  track_ledger: {
    about: 'Let git track the ledger. Otherwise it is listed in `.git/info/exclude`.',
    default: false,
    problem: trueOrFalse,
    from: 'anyone',
  },
  registry: {
    about:
      'Write the session registry to `.agents/session_registry.json` in each trusted workspace, unless git tracks that file.',
    default: false,
    problem: trueOrFalse,
    from: 'user',
  },
  brief_tokens: {
    about: 'Maximum size of a brief, in tokens.',
    default: 1_500,
    problem: wholeNumber(200, 100_000),
    from: 'anyone',
  },
  ask_to_save: {
    about: 'After much work without a save, ask the agent once to save its decisions, reasons and next step.',
    default: true,
    problem: trueOrFalse,
    from: 'anyone',
  },
  read_earlier: {
    about: 'Also read transcripts of sessions from before Savepoint was set up.',
    default: true,
    problem: trueOrFalse,
    from: 'user',
  },
  policy_profile: {
    about: 'The resilience profile that snapshots record as `policy_profile`.',
    default: 'default',
    problem: (value) => (typeof value === 'string' && nameProblem(value) === null ? null : 'a plain name'),
    from: 'anyone',
  },
  track_notes: {
    about:
      'Let git track notes. Otherwise they are listed in `.git/info/exclude`, unless git already tracks some.',
    default: false,
    problem: trueOrFalse,
    from: 'anyone',
  },
  track_runs: {
    about: 'Let git track run folders. Otherwise they are listed in `.git/info/exclude`.',
    default: false,
    problem: trueOrFalse,
    from: 'anyone',
  },
  snapshots_per_run: {
    about: 'How many snapshots of a run to keep.',
    default: 50,
    problem: wholeNumber(1),
    from: 'user',
  },
  snapshot_days: {
    about: 'Remove snapshots after this many days.',
    default: 14,
    problem: wholeNumber(1),
    from: 'user',
  },
  compress_after_hours: {
    about: 'Compress history files after this many hours.',
    default: 24,
    problem: wholeNumber(0),
    from: 'user',
  },
} as const satisfies Record<string, SettingRow>

export type SettingName = keyof typeof SETTINGS

type WidenedValue<T> = T extends boolean ? boolean : T extends number ? number : string

export type Settings = { [Name in SettingName]: WidenedValue<(typeof SETTINGS)[Name]['default']> }

export const isSettingName = (name: string): name is SettingName => Object.hasOwn(SETTINGS, name)

export const settingNames = (): SettingName[] => Object.keys(SETTINGS).filter(isSettingName)

/** One value for each setting. */
export const forEachSetting = <T>(make: (name: SettingName) => T): Record<SettingName, T> =>
  // `as`: the names are those of the table, all of them.
  Object.fromEntries(settingNames().map((name) => [name, make(name)])) as Record<SettingName, T>

// `as`: each row's default has the type that its setting has.
export const defaultSettings = () => forEachSetting((name) => SETTINGS[name].default) as Settings
