import { requireName } from './id.ts'

// Where files lie that bear the name of an agent's folder. No other file outside of agents/ knows these names.

/** The folder in which plans, their notes and the state index are expected: where it is, a save leaves a note. */
export const PLANS_HOME = '.claude'
export const STATE_INDEX = 'state-index.json'
export const STATE_INDEX_PATH = `${PLANS_HOME}/${STATE_INDEX}`

/** The names on the way to the notes of no plan, and to the plans. */
export const NOTES = [PLANS_HOME, 'checkpoints'] as const
export const PLANS = [PLANS_HOME, 'plans'] as const

/** The same for the notes of a plan, whatever it is called. */
export const notesOfPlan = (plan: string): string[] => [...PLANS, plan, 'checkpoints']

/** Where a note is put, below the workspace. A plan's name that is no safe name is refused. */
export const noteFolder = (plan: string | null): string[] =>
  plan === null ? [...NOTES] : notesOfPlan(requireName(plan, 'plan'))

/** Paths of notes, wherever the workspace begins. */
export const NOTE_FILE = /(?:^|\/)\.claude\/(?:plans\/[^/]+\/)?checkpoints\/[^/]+\.json$/i
export const NOTE_OF_PLAN = /(?:^|\/)\.claude\/plans\/([^/]+)\/checkpoints\/[^/]+$/
export const NOTE_OF_NO_PLAN = /(?:^|\/)\.claude\/checkpoints\/[^/]+$/

/** The folders of notes as git's exclude file takes them, each with the folder in which it is looked for. */
export const NOTE_PLACES = [
  { folder: `${PLANS_HOME}/checkpoints`, exclude: `/${PLANS_HOME}/checkpoints/` },
  { folder: `${PLANS_HOME}/plans`, exclude: `/${PLANS_HOME}/plans/*/checkpoints/` },
] as const

/** What we write there, as git takes patterns, and as paths from the root. */
export const NOTE_GLOBS = [`${PLANS_HOME}/checkpoints/**`, `${PLANS_HOME}/plans/*/checkpoints/**`]
export const OUR_PLAN_FILES = [
  /^\.claude\/(?:plans\/[^/]+\/)?checkpoints\//,
  /^\.claude\/state-index\.json$/,
] as const

/** Where the session registry lies, where it is kept as a file, and what was set aside there. */
export const REGISTRY_PATH = '.agents/session_registry.json'
export const REGISTRY_FILES = /^\.agents\/(?:session_registry\.json$|set-aside\/)/

/** What agents obey, below their own folders. A name here also means what begins with it. */
export const OBEYED_BELOW: Readonly<Record<string, readonly string[]>> = {
  '.claude': [
    'settings',
    'commands',
    'agents',
    'skills',
    'hooks',
    'rules',
    'plans',
    'plugins',
    'output-styles',
  ],
  '.agents': ['handoffs', 'skills', 'commands', 'agents', 'rules'],
  '.cursor': ['rules', 'commands'],
}

/** What agents obey, in whatever folder. */
export const OBEYED_FILES = [
  'agents.md',
  'agents.override.md',
  'claude.local.md',
  'claude.md',
  'copilot-instructions.md',
  'gemini.md',
  'memory.md',
  'skill.md',
] as const
