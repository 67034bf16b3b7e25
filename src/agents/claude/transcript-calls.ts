import type { CallKind, CallOutcome, ToolInput } from '../../core/transcript.ts'
import { EDIT_TOOLS } from './edit-tools.ts'

const KINDS = new Map<string, CallKind>([
  ...EDIT_TOOLS.map((name) => [name, 'edit'] as const),
  ['Write', 'write'],
  ...['Task', 'Agent'].map((name) => [name, 'help'] as const),
  ...['TaskOutput', 'AgentOutputTool', 'BashOutput'].map((name) => [name, 'look'] as const),
  ...['TaskStop', 'KillShell', 'KillBash'].map((name) => [name, 'stop'] as const),
  ['TeamDelete', 'dismiss'],
  ...['ExitPlanMode', 'EnterPlanMode', 'AskUserQuestion', 'TodoWrite'].map(
    (name) => [name, 'speak'] as const,
  ),
  ...['TaskCreate', 'TaskUpdate', 'TaskList', 'TaskGet', 'Skill'].map((name) => [name, 'speak'] as const),
])

/** Our own tools, by the name that the client gives them. */
const OURS = /^mcp_.*_savepoint_[a-z_]+$/

/** What a call of one of the client's tools does; empty for one that only does something. */
export function callKindOf(name: string, { helper }: ToolInput): { does?: CallKind } {
  const does = OURS.test(name) ? 'ours' : helper ? 'help' : KINDS.get(name)
  return does === undefined ? {} : { does }
}

// The client's own words where a call goes on behind the scenes, and the name that it gives to it.
const STARTED =
  /^(?:Command (?:is )?running in (?:the )?background with ID|Async agent launched|Spawned successfully|Command was (?:manually|automatically) backgrounded)/i
const HANDLE = /(?:\b(?:ID|agentId|task_id)[:=] ?|^name: )`?([A-Za-z0-9_-]{3,80})/m
const BROKE = /^(?:API Error\b|\[Request interrupted)/
const COMPLETED = /<status>completed<\/status>|\bstatus: completed\b/i
const OVER = /<status>(?:completed|failed|killed|stopped)<\/status>|\bstatus: (?:completed|failed|killed)\b/i
/** Where the client kept a call from running. */
const NEVER_RAN =
  /^(?:Error: )?(?:<tool_use_error>|This (?:Bash )?command (?:requires approval|contains multiple operations)|Claude requested permissions|Permission to use |Cancelled: |Sibling tool call errored)/
const CREATED = /\bcreated\b/i
const EXIT_CODE = /^(?:Error: )?Exit code (\d{1,3})\b/m

/** What the client says of a call in its result: its text may be a tool's, so whoever reads it asks what the call was. */
export function outcomeIn(text: string, failed: boolean): CallOutcome {
  const outcome: CallOutcome = {}
  const opening = text.slice(0, 200)
  if (BROKE.test(text)) outcome.broke = true
  const code = EXIT_CODE.exec(opening)?.[1]
  if (code !== undefined) outcome.code = Number(code)
  if (failed) {
    if (NEVER_RAN.test(text)) outcome.neverRan = true
    return outcome
  }
  if (STARTED.test(text)) outcome.goesOn = true
  const handle = HANDLE.exec(text)?.[1]
  if (handle !== undefined) outcome.handle = handle
  if (OVER.test(text)) outcome.over = COMPLETED.test(text) ? 'well' : 'failed'
  if (CREATED.test(opening)) outcome.created = true
  return outcome
}
