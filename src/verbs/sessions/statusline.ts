import { defineVerb } from '../define/verb.ts'

/**
 * The line itself is made by the hook's own small program, which the launcher starts where something is piped in.
 * This is for whoever types the word.
 */
export const statusline = defineVerb({
  name: 'statusline',
  summary: 'One line about the window and the last save, for the status line of an agent',
  detail:
    'It reads what the agent pipes in (its status line JSON) and prints a gauge of the context window, the age of the last save, and the focus. savepoint init --statusline sets it up, behind a status line that is there already.',
  fields: {},
  examples: [
    `echo '{"session_id": "abc", "context_window": {"context_window_size": 200000, "used_percentage": 45}}' | savepoint statusline`,
  ],
  access: 'read',
  lenient: true,
  perform: () => Promise.resolve({ setup: 'savepoint init --statusline' }),
  say: ({ setup }) =>
    `This reads the status line JSON of an agent from a pipe, and nothing is piped in. To set it up: ${setup}`,
})
