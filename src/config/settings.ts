import { nameProblem } from '../core/id.ts'

interface SettingRow {
  about: string
  default: string | number | boolean
  /** Null where the value can be used, else what it must be. */
  problem(value: unknown): string | null
  /** Whose word counts: some settings could hurt if a repository that was cloned could set them. */
  from: 'anyone' | 'user'
}

const wholeNumber = (least: number) => (value: unknown) =>
  Number.isSafeInteger(value) && Number(value) >= least ? null : `a whole number from ${least}`

/** Every setting: its name in the file, its default, and who may set it. docs/config.md is made from this. */
export const SETTINGS = {
  policy_profile: {
    about: 'The resilience profile that snapshots name in `policy_profile`.',
    default: 'default',
    problem: (value) => (typeof value === 'string' && nameProblem(value) === null ? null : 'a plain name'),
    from: 'anyone',
  },
  track_runs: {
    about: 'Let git see the run folders; by default they go into the private exclude file.',
    default: false,
    problem: (value) => (typeof value === 'boolean' ? null : 'true or false'),
    from: 'anyone',
  },
  snapshots_per_run: {
    about: 'How many snapshots of a run retention keeps.',
    default: 50,
    problem: wholeNumber(1),
    from: 'user',
  },
  snapshot_days: {
    about: 'After how many days retention removes a snapshot.',
    default: 14,
    problem: wholeNumber(1),
    from: 'user',
  },
  compress_after_hours: {
    about: 'After how many hours a history file is compressed.',
    default: 24,
    problem: wholeNumber(0),
    from: 'user',
  },
} as const satisfies Record<string, SettingRow>

export type SettingName = keyof typeof SETTINGS

export interface Settings {
  policy_profile: string
  track_runs: boolean
  snapshots_per_run: number
  snapshot_days: number
  compress_after_hours: number
}

export const defaultSettings = (): Settings => ({
  policy_profile: SETTINGS.policy_profile.default,
  track_runs: SETTINGS.track_runs.default,
  snapshots_per_run: SETTINGS.snapshots_per_run.default,
  snapshot_days: SETTINGS.snapshot_days.default,
  compress_after_hours: SETTINGS.compress_after_hours.default,
})

export const isSettingName = (name: string): name is SettingName => Object.hasOwn(SETTINGS, name)
