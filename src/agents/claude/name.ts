/** What rows, files and commands call this agent. */
export const NAME = 'claude'
