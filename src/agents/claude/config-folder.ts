import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** The client's own folder: its settings, and the transcripts of all projects. */
export const claudeFolder = (env: Readonly<Record<string, string | undefined>>): string =>
  env.CLAUDE_CONFIG_DIR ? resolve(env.CLAUDE_CONFIG_DIR) : join(env.HOME ?? homedir(), '.claude')
