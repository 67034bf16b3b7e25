/**
 * The events of the client that are followed, and the seconds after which it drops our answer. Without a matcher:
 * every source, trigger and reason. A start may have to read a transcript and a compaction reads all of it; all others
 * append a line. The client waits for the end of a session at most as long as its hooks are given, so that is short:
 * nothing depends on it.
 */
export const HOOKS = {
  SessionStart: 15,
  UserPromptSubmit: 10,
  PostToolBatch: 10,
  Stop: 10,
  StopFailure: 10,
  PreCompact: 15,
  PostCompact: 10,
  SubagentStart: 10,
  SubagentStop: 10,
  TaskCreated: 10,
  TaskCompleted: 10,
  SessionEnd: 2,
} as const satisfies Record<string, number>
