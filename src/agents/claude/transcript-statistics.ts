import type { Statistics } from '../../core/session.ts'
import { isGitCommit, simpleCommands } from '../../core/shell-command.ts'
import { EDIT_TOOLS } from './edit-tools.ts'
import { type Carry, type CountedCall, type CountedUsage, rememberNewest } from './transcript-carry.ts'
import { isRefusedByUser } from './transcript-prompt.ts'
import type { Block, Row } from './transcript-row.ts'
import { membersOf, nameIn, textPartsOf } from './transcript-value.ts'

/** Kinds of lines that say nothing for a session's record, and are known to. */
const SILENT =
  /^(?:agent-(?:name|setting)|(?:ai|custom)-title|api-request(?:-blob|-shape)?|atis-latch|attachment|bridge-session|cost-state|file-history-(?:delta|snapshot)|frame-link|last-prompt|mode|permission-mode|progress|relocated|summary|tools-used|worktree-state)$/
const LAUNCHES = ['Task', 'Agent']
const MOST = { messages: 200, calls: 200, files: 500, tools: 200, kinds: 50, path: 4_096, command: 65_536 }

/**
 * Counts what a session did, row by row, in place.
 *
 * A file counts as modified, and a commit as made, when the result of its call is no error: a call that was refused,
 * failed or never came back counts as a use of its tool and no more.
 */
export class Tally {
  private readonly carry: Carry
  readonly statistics: Statistics

  constructor(before: Statistics, carry: Carry) {
    this.carry = carry
    this.statistics = structuredClone(before)
  }

  countOther(kind: string) {
    if (!SILENT.test(kind)) this.countLine(safeName(kind.slice(0, 40), /^[A-Za-z][\w-]*$/))
  }

  countLine(kind: string) {
    count(this.statistics.unknownLines, kind, MOST.kinds)
  }

  /** `messages` are the calls of the row's file. */
  assistant(row: Row, messages: Map<string, CountedUsage>) {
    if (isReal(row)) this.addUsage(row, messages)
    for (const block of row.blocks) if (block.type === 'tool_use') this.call(block)
  }

  /** Once per API call: what is told again of the same call replaces what was told. */
  private addUsage({ usage, messageId, requestId, side }: Row, messages: Map<string, CountedUsage>) {
    // A copy of a message in a fork keeps its place with its usage set to nothing.
    if (usage === null || usage.input + usage.output + usage.cacheRead + usage.cacheCreation === 0) return
    let key = messageId
    let known = key === '' ? undefined : (messages.get(key) ?? this.carry.messages.get(key))
    if (known && requestId !== '' && known[1] !== '' && known[1] !== requestId) {
      // A side question tells its parent's message again, as if it were of another request.
      if (side) return
      if (!known[0]) {
        key = `${messageId} ${requestId}`
        known = messages.get(key)
      }
    }
    if (known && side && !known[0]) return
    if (known) this.add(known, -1)
    else this.statistics.apiCalls += 1
    const { input, output, cacheRead, cacheCreation } = usage
    const now: CountedUsage = [side, requestId, input, output, cacheRead, cacheCreation]
    this.add(now, 1)
    if (key !== '') rememberNewest(messages, key, now, MOST.messages)
  }

  private add([, , input, output, cacheRead, cacheCreation]: CountedUsage, sign: 1 | -1) {
    const { tokensConsumed: tokens } = this.statistics
    tokens.input += sign * input
    tokens.output += sign * output
    tokens.cacheRead += sign * cacheRead
    tokens.cacheCreation += sign * cacheCreation
  }

  private call({ id, name, input }: Block) {
    count(this.statistics.toolUsageCounts, safeName(name, /^[A-Za-z][\w.:-]{0,127}$/), MOST.tools)
    if (LAUNCHES.includes(name)) this.statistics.subagentsLaunched += 1
    if (id === '') return
    const call: CountedCall = {}
    const { file_path: file, notebook_path: notebook, command } = membersOf(input)
    if (EDIT_TOOLS.includes(name)) {
      const path = nameIn(file, MOST.path + 1) || nameIn(notebook, MOST.path + 1)
      if (path !== '' && path.length <= MOST.path) call.path = path
    } else if (name === 'Bash') call.commits = countCommits(nameIn(command, MOST.command))
    if (call.path !== undefined || call.commits) rememberNewest(this.carry.calls, id, call, MOST.calls)
  }

  result(block: Block, row: Row) {
    const call = this.carry.calls.get(block.toolUseId)
    this.carry.calls.delete(block.toolUseId)
    if (isRejected(block, row)) return
    this.statistics[block.failed ? 'tasksFailed' : 'tasksCompleted'] += 1
    if (block.failed || call === undefined) return
    const { filesModified: files } = this.statistics
    const { path, commits = 0 } = call
    if (path !== undefined && files.length < MOST.files && !files.includes(path)) files.push(path)
    this.statistics.gitCommits += commits
  }
}

/** Whether a row is of an API call that took place. */
export const isReal = ({ apiError, model }: Row) => !apiError && model !== '<synthetic>'

/** Whether a call was kept from running: by the user, a rule or an interrupt. That is no failure of its work. */
export function isRejected({ failed, content }: Block, { denied }: Row): boolean {
  if (denied !== '') return true
  const [text = ''] = failed ? textPartsOf(content, 100) : []
  return isRefusedByUser(text)
}

const countCommits = (command: string) =>
  command.includes('commit') ? simpleCommands(command).filter(isGitCommit).length : 0

/** Names are keys of plain objects later: one that could be more than a name is told as `countOther`. */
const safeName = (name: string, pattern: RegExp) => (pattern.test(name) ? name : 'other')

function count(counts: Record<string, number>, name: string, most: number) {
  const hasRoom = Object.hasOwn(counts, name) || Object.keys(counts).length < most - 1
  const key = hasRoom ? name : 'other'
  counts[key] = (Object.hasOwn(counts, key) ? (counts[key] ?? 0) : 0) + 1
}
