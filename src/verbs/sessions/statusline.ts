import { defineVerb } from '../define/verb.ts'

/** For whoever types the word. The line is made by the hook's program, which the launcher starts where something is piped in. */
export const statusline = defineVerb({
  name: 'statusline',
  summary: "Print one line for an agent's status line",
  detail:
    "Reads the agent's status line JSON from stdin and prints context usage, the age of the last save, and the work in focus. Set it up with savepoint init --statusline; an existing status line is kept.",
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
