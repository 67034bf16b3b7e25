/** Commands of the client itself: what stands behind them is no wish for the agent. */
const BUILT_IN = new Set(
  (
    'add-dir agents allowed-tools bashes branch btw bug clear color compact config context copy cost desktop ' +
    'diff doctor effort exit export extra-usage fast feedback fork help hooks ide install-github-app ' +
    'install-slack-app keybindings login logout mcp memory mobile model new output-style passes permissions ' +
    'plan plugin plugins privacy-settings quit rate-limit-options reload-plugins remote-control remote-env ' +
    'rename reset resume rewind sandbox skills stats status statusline stickers tasks terminal-setup theme ' +
    'think-back todos upgrade usage vim voice'
  ).split(' '),
)

/** Texts that the client puts into a user's message; a prompt does not begin with them. */
const MACHINE =
  /^(?:Operation stopped by hook|Base directory for this skill:|\{"task_id":|<(?:command-|local-command-|task-notification|system-reminder|bash-(?:input|stdout|stderr)|user-prompt-submit-hook|post-tool-use-hook|ide_|teammate-message|channel|cross-session|agent-message|mcp-|tick>|new-diagnostics|fork-boilerplate))/

const INTERRUPT = '[Request interrupted by user'

export const isInterrupt = (text: string) => text.startsWith(INTERRUPT)

/** What of a text a human typed; empty where it is the client's own. */
export function typedTextOf(text: string): string {
  const bare = text.replace(/<system-reminder>[\s\S]*?(?:<\/system-reminder>|$)/g, '').trim()
  if (isInterrupt(bare)) return ''
  const noted = /^<user-memory-input>([\s\S]*?)<\/user-memory-input>/.exec(bare)
  if (noted) return (noted[1] ?? '').trim()
  return MACHINE.test(bare) ? '' : bare
}

/** Our own commands: what stands behind them is saved as what it is, and is no wish either. */
const OURS =
  /^(?:(?:savepoint:)?(?:checkpoint|session-checkpoint|handoff|pickup|dashboard)|context:(?:info|checkpoint|compact|budget))$/

/** A slash command that the user, a project or a plugin made, and the words behind it; null for any other text. */
export function commandIn(text: string): { name: string; words: string } | null {
  if (!/^\s*<command-(?:name|message)>/.test(text)) return null
  const name = between(text, '<command-name>', '</command-name>').trim().replace(/^\//, '')
  const words = between(text, '<command-args>', '</command-args>')
  return name === '' || BUILT_IN.has(name) || OURS.test(name) ? null : { name, words: words.trim() }
}

function between(text: string, open: string, close: string): string {
  const from = text.indexOf(open)
  const to = from < 0 ? -1 : text.indexOf(close, from)
  return to < 0 ? '' : text.slice(from + open.length, to)
}

const IMPLEMENT = /^Implement the following plan:\s*\n/
const BEHIND_PLAN = /\nIf you need specific details from before exiting plan mode[\s\S]*$/

/** The plan that a prompt hands over, as the client writes it when its user approves one with a cleared context. */
export const planIn = (prompt: string): string | null =>
  IMPLEMENT.test(prompt) ? prompt.replace(IMPLEMENT, '').replace(BEHIND_PLAN, '').trim() : null

/** Helpers of a team, by the names that they were given: one that is idle has done what it was told. */
function teammatesEndedIn(text: string): { ids: string[]; failed: boolean } | null {
  const ended =
    /"type":"teammate_terminated","message":"([\w-]{1,80}) has shut down|"type":"idle_notification","from":"([\w-]{1,80})"/g
  const ids = [...text.matchAll(ended)].map(([, gone, idle]) => gone ?? idle ?? '')
  return ids.length === 0 ? null : { ids, failed: false }
}

/** A task in the background that came to its end: the ids it is known by. Null where the text tells of none. */
export function finishedTaskOf(text: string): { ids: string[]; failed: boolean } | null {
  const bare = text.trimStart()
  if (bare.startsWith('<teammate-message')) return teammatesEndedIn(bare)
  if (!bare.startsWith('<task-notification>')) return null
  // What stands first is the client's own; a result may hold anything.
  const first = (tag: string) => new RegExp(`<${tag}>([^<]{1,200})</${tag}>`).exec(bare)?.[1]?.trim()
  const ids = [first('tool-use-id'), first('task-id')].filter((id) => id !== undefined)
  const status = first('status') ?? ''
  return hasEnded(status) ? { ids, failed: status !== 'completed' } : null
}

export const hasEnded = (status: string) => ['completed', 'failed', 'killed', 'stopped'].includes(status)

/** The client's words before and behind the summary that its model wrote. */
const BEFORE_SUMMARY = [
  /^This session is being continued from a previous conversation[^\n]*\n+/,
  /^<system-reminder>[\s\S]*?<\/system-reminder>\s*/,
  /^(?:The conversation is summarized below|Analysis|Summary):?[ \t]*\n+/,
  /^<analysis>[\s\S]*?<\/analysis>\s*/,
  /^<summary>\s*/,
]
const BEHIND_SUMMARY =
  /\n(?:<\/summary>|If you need specific details from before compaction|Continue the conversation from where it left off|Please continue the conversation from where we left|The messages after this summary are|Recent messages are preserved)[\s\S]*$/

export function bareSummary(text: string): string {
  let bare = text.trim()
  for (let before = ''; before !== bare; ) {
    before = bare
    for (const preface of BEFORE_SUMMARY) bare = bare.replace(preface, '')
  }
  const summary = `\n${bare}`.replace(BEHIND_SUMMARY, '')
  return summary.replace(/<\/summary>\s*$/, '').trim()
}

export interface UserRefusal {
  /** The user said no; else a rule, a hook or the client did. */
  byUser: boolean
  /** What the user said with it; empty where nothing. */
  words: string
  /** Of questions that the user wanted to talk about: those that were answered all the same. */
  answers: Array<{ question: string; answer: string }>
}

const BY_USER = [
  "The user doesn't want to proceed with this tool use",
  "The user doesn't want to take this action right now",
  'The agent proposed a plan that was rejected by the user',
  '[Request interrupted by user',
]
const SAID = /the user said:|the user provided the following reason for the rejection:/i
const CLARIFIES =
  /^(?:The user wants to clarify these questions|The user has indicated they have provided enough answers)/
const ANSWERED = /^- "([^\n]{1,1000})"\n {2}Answer: ([^\n]{1,1000})/gm
/** The client's own advice to the agent, behind the user's words. */
const ADVICE = /\nNote: The user's next message[\s\S]*$/

/** Whether a result's words say that the user kept the call from running. */
export const isRefusedByUser = (text: string) => BY_USER.some((start) => text.startsWith(start))

/** What a result says of a call that was kept from running; `denied` is the client's own word for who did it. */
export function refusalIn(text: string, denied: string): UserRefusal {
  const byUser = isRefusedByUser(text) || denied.startsWith('user')
  const said = byUser ? SAID.exec(text) : null
  const behind = said ? text.slice(said.index + said[0].length) : ''
  const words = behind.replace(ADVICE, '').trim()
  if (!CLARIFIES.test(words)) return { byUser, words, answers: [] }
  const answers = [...words.matchAll(ANSWERED)]
  return {
    byUser,
    words: '',
    answers: answers.map(([, question = '', answer = '']) => ({ question, answer })),
  }
}
