/** What rows, files and commands call this agent, and what people do. */
export const NAME = 'claude'
export const LABEL = 'Claude Code'
