// Turns the talk of a scenario into the transcript of a client. Every verb of a talk is a row of VERBS.
import { account, chat, remark } from './agent-noise.mjs'
import { editNoise, lookAround, readNoise, writeNoise } from './tool-noise.mjs'
import { FOLDER, writerOf } from './transcript-writer.mjs'

const REFUSED =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). "
const STOP = 'STOP what you are doing and wait for the user to tell you how to proceed.'
const HALTS = {
  limit: { error: 'rate_limit', text: "You've hit your limit · resets 4pm (Europe/Berlin)" },
  api: {
    error: 'server_error',
    text: 'API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
  },
}
/** Ends that break off in the last turn, at the scenario's `cut`. */
export const CUT_ENDS = ['kill', 'limit', 'api']

const joined = ({ words, body }) => [words, ...body].filter((line, at) => at > 0 || line !== '').join('\n')
const whole = (path) => `${FOLDER}/${path}`

/** The result of a call as the step says it: refused, cut off, or what it came to. */
function outcomeOf({ refused, beside, isCut }, result) {
  if (isCut) return { isCut }
  if (refused === undefined) return { ...result, beside }
  const text =
    refused === '' ? `${REFUSED}${STOP}` : `${REFUSED}To tell you how to proceed, the user said:\n${refused}`
  return { text, isError: true, details: refused === '' ? 'User rejected tool use' : `Error: ${text}` }
}

function call(writer, step, name, input, result) {
  const id = writer.tool(name, input, outcomeOf(step, result))
  if (step.refused === '')
    writer.user([{ type: 'text', text: '[Request interrupted by user for tool use]' }], {}, 1)
  return id
}

const VERBS = {
  user(writer, step) {
    writer.aroundPrompt(joined(step))
    writer.user(joined(step), { permissionMode: 'default' })
  },
  agent(writer, step, { files, language }) {
    if (writer.below(4) === 0) writer.answer({ type: 'text', text: '\n\n' })
    const details = step.isLast
      ? ''
      : account(language, files, `${writer.rows.length}`, { endsTurn: step.endsTurn })
    writer.answer({ type: 'text', text: `${details}${joined(step)}` })
    if (step.endsTurn) writer.endTurn()
  },
  read(writer, step) {
    for (const path of step.words.split(' ')) {
      const text = readNoise(path)
      const details = { type: 'text', file: { filePath: whole(path), content: text } }
      call(writer, step, 'Read', { file_path: whole(path) }, { text, details })
    }
  },
  edit(writer, step) {
    for (const path of step.words.split(' ')) {
      const input = { file_path: whole(path), ...editNoise(path, writer.rows.length) }
      const details = { filePath: whole(path), ...input, userModified: false }
      const text = `The file ${whole(path)} has been updated successfully.`
      call(writer, step, 'Edit', input, { text, details })
    }
  },
  write(writer, step) {
    const input = { file_path: whole(step.words), content: writeNoise(step.words) }
    const text = `File created successfully at: ${input.file_path}`
    const details = { type: 'create', filePath: input.file_path, content: input.content }
    call(writer, step, 'Write', input, { text, details })
  },
  /** `command => output`, or `command =>1 output` where it fails; a `\n` in the output is a line break. */
  bash(writer, step) {
    const [, command, exit, told = ''] = /^(.*?)(?: =>(\d*) (.*))?$/.exec(step.words)
    const out = told.replaceAll('\\n', '\n')
    const result = exit
      ? { text: `Exit code ${exit}\n${out}`, isError: true }
      : { text: out, details: { stdout: out, stderr: '', interrupted: false, isImage: false } }
    call(writer, step, 'Bash', { command, description: command.slice(0, 40) }, result)
  },
  work(writer, { words, isCut }, { files, language }) {
    for (let left = 2 * Number(words); left > 0; left -= 1) {
      const { name, input, result } = lookAround(files, `${writer.rows.length}`)
      const text = remark(language, files, `${writer.rows.length}`)
      if (text) writer.answer({ type: 'text', text })
      const path = input.file_path ? { file_path: whole(input.file_path) } : {}
      writer.tool(name, { ...input, ...path }, { text: result, isCut: isCut && left === 1 })
    }
  },
  chat(writer, { words }, state) {
    for (let left = Number(words); left > 0; left -= 1) {
      const { asked, answered } = chat(state.language, state.files, `${writer.rows.length}`)
      VERBS.user(writer, { words: asked, body: [] })
      VERBS.work(writer, { words: '1' }, state)
      VERBS.agent(writer, { words: answered, body: [], endsTurn: true }, state)
    }
  },
  ask(writer, step) {
    const questions = []
    const answers = {}
    for (const line of [`? ${step.words}`, ...step.body]) {
      const text = line.slice(2)
      const [label, description = ''] = text.split(' | ')
      if (line.startsWith('? ')) {
        const [header, question] = [text.slice(0, text.indexOf(': ')), text.slice(text.indexOf(': ') + 2)]
        questions.push({ question, header, options: [], multiSelect: false })
      } else if (line.startsWith('- ')) questions.at(-1).options.push({ label, description })
      else answers[questions.at(-1).question] = text
    }
    const told = Object.entries(answers).map(([question, answer]) => `"${question}"="${answer}"`)
    const text = `User has answered your questions: ${told.join(', ')}. You can now continue with the user's answers in mind.`
    call(writer, step, 'AskUserQuestion', { questions }, { text, details: { questions, answers } })
  },
  plan(writer, step) {
    const plan = joined(step)
    const filePath = '/srv/user/.claude/plans/quiet-humming-harbor.md'
    const text = `User has approved your plan. You can now start coding. Start with updating your todo list if applicable\n\nYour plan has been saved to: ${filePath}\nYou can refer back to it if needed during implementation.\n\n## Approved Plan:\n${plan}`
    call(writer, step, 'ExitPlanMode', { plan }, { text, details: { plan, isAgent: false, filePath } })
  },
  helper(writer, step) {
    const agentId = writer.hex(7)
    const text = step.body.join('\n')
    const usage = `agentId: ${agentId} (for resuming to continue this agent's work if needed)\n<usage>total_tokens: 48210\ntool_uses: 17\nduration_ms: 96120</usage>`
    const content = [text, usage].map((one) => ({ type: 'text', text: one }))
    const input = {
      description: step.words,
      prompt: `${step.words}. Report what you find.`,
      subagent_type: 'Explore',
    }
    const details = { status: 'completed', agentId, content: content.slice(0, 1), totalToolUseCount: 17 }
    call(writer, step, writer.writesAttachments ? 'Agent' : 'Task', input, { text: content, details })
  },
  launch(writer, step, { running }) {
    const [, key, what] = /^(\S+) (.+)$/.exec(step.words)
    const id = `a${writer.hex(6)}`
    const text = `Async agent launched successfully.\nagentId: ${id} (internal ID - do not mention to user. Use to resume later if needed.)\nThe agent is working in the background. You will be notified automatically when it completes.`
    const input = {
      description: what,
      prompt: joined({ words: what, body: step.body }),
      run_in_background: true,
    }
    const details = { isAsync: true, status: 'async_launched', agentId: id, description: what }
    const name = writer.writesAttachments ? 'Agent' : 'Task'
    const use = call(
      writer,
      step,
      name,
      { ...input, subagent_type: 'general-purpose' },
      { text: [{ type: 'text', text }], details },
    )
    running.set(key, { id, use, what: `Agent "${what}"` })
  },
  background(writer, step, { running }) {
    const [, key, command] = /^(\S+) (.+)$/.exec(step.words)
    const id = `b${writer.hex(6)}`
    const text = `Command running in background with ID: ${id}. Output is being written to: /tmp/tasks/${id}.output`
    const input = { command, description: command.slice(0, 40), run_in_background: true }
    const details = { stdout: '', stderr: '', interrupted: false, backgroundTaskId: id }
    const use = call(writer, step, 'Bash', input, { text, details })
    running.set(key, { id, use, what: `Background command "${command}"` })
  },
  landed(writer, { words, body }, { running }) {
    const { id, use, what } = running.get(words)
    const text = `<task-notification>\n<task-id>${id}</task-id>\n<tool-use-id>${use}</tool-use-id>\n<status>completed</status>\n<summary>${what} completed</summary>\n<result>${body.join('\n')}</result>\n</task-notification>`
    if (writer.writesAttachments) queuedCommand(writer, text, 'task-notification')
    else writer.user(text, {}, 40)
  },
  /** Typed while the agent worked: taken up in the middle of the turn, sent behind it, or taken back unread. */
  queued(writer, step) {
    if (writer.writesAttachments) queuedCommand(writer, joined(step), 'prompt')
    else queue(writer, step, { operation: 'remove' })
  },
  later(writer, step) {
    queue(writer, step, { operation: 'dequeue' })
    VERBS.user(writer, step)
  },
  takenback: (writer, step) => queue(writer, step, { operation: 'popAll', content: joined(step) }),
  slash(writer, { words, body }) {
    const [, name, args] = /^\/(\S+) ?(.*)$/.exec(words)
    const typed = `<command-message>${name}</command-message>\n<command-name>/${name}</command-name>\n<command-args>${args}</command-args>`
    writer.user(typed)
    const text = `${body.join('\n')}\n\nARGUMENTS: ${args}`
    writer.user([{ type: 'text', text }], { isMeta: true }, 0)
  },
  local(writer, { words, body }) {
    const caveat = 'Caveat: The messages below were generated by the user while running local commands.'
    writer.user(`<local-command-caveat>${caveat}</local-command-caveat>`, { isMeta: true })
    writer.user(`<command-name>${words}</command-name>\n<command-args></command-args>`, {}, 0)
    writer.user(`<local-command-stdout>${body.join('\n')}</local-command-stdout>`, {}, 0)
  },
  todo(writer, { words }, { tasks }) {
    const states = { x: 'completed', '>': 'in_progress', ' ': 'pending' }
    const todos = words.split('; ').map((line) => {
      const content = line.slice(4)
      return { content, status: states[line[1]], activeForm: content }
    })
    if (!writer.writesTasks)
      return writer.tool('TodoWrite', { todos }, { text: 'Todos have been modified successfully.' })
    for (const { content, status } of todos) {
      if (!tasks.has(content)) {
        const id = String(tasks.size + 1)
        tasks.set(content, { id, status: 'pending' })
        const details = { task: { id, subject: content } }
        const text = `Task #${id} created successfully: ${content}`
        writer.tool('TaskCreate', { subject: content, description: content }, { text, details })
      }
      const task = tasks.get(content)
      if (task.status === status) continue
      task.status = status
      writer.tool('TaskUpdate', { taskId: task.id, status }, { text: `Updated task #${task.id} status` })
    }
  },
  compacted: (writer, { body }) => compaction(writer, body.join('\n'), 'auto'),
  halt: (writer, { words }) => halt(writer, HALTS[words]),
  pause: (writer, { words }) => writer.wait(Number.parseFloat(words)),
}

function queue(writer, step, end) {
  writer.note('queue-operation', { operation: 'enqueue', timestamp: writer.tick(9), content: joined(step) })
  writer.note('queue-operation', { timestamp: writer.tick(9), ...end })
}

function queuedCommand(writer, prompt, commandMode) {
  writer.push('attachment', { attachment: { type: 'queued_command', prompt, commandMode } })
}

function halt(writer, { error, text }) {
  const message = { id: writer.hex(32), model: '<synthetic>', role: 'assistant', type: 'message' }
  const rest = {
    stop_reason: 'stop_sequence',
    stop_sequence: '',
    usage: { input_tokens: 0, output_tokens: 0 },
  }
  const content = [{ type: 'text', text }]
  writer.push('assistant', { message: { ...message, ...rest, content }, error, isApiErrorMessage: true })
}

function compaction(writer, summary, trigger) {
  const before = writer.lastUuid()
  const fields = {
    subtype: 'compact_boundary',
    content: 'Conversation compacted',
    isMeta: false,
    level: 'info',
  }
  const about = { logicalParentUuid: before, compactMetadata: { trigger, preTokens: 162_000 } }
  writer.push('system', { ...fields, ...about }, { root: true })
  const text = `This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\nSummary:\n${summary}\n\nPlease continue the conversation from where we left it off without asking the user any further questions. Continue with the last task that you were asked to work on.`
  writer.user(text, { isVisibleInTranscriptOnly: true, isCompactSummary: true }, 1)
}

/** Rows that only the way of a session's end writes. */
const END_ROWS = {
  limit: (writer) => halt(writer, HALTS.limit),
  api: (writer) => halt(writer, HALTS.api),
  compact(writer, { summary }) {
    compaction(writer, summary, 'manual')
    VERBS.local(writer, { words: '/compact', body: ['Compacted (ctrl+o to see full summary)'] })
  },
}

const MODIFIERS = ['refused', 'approved', 'beside']
/** What follows an answer that ended a turn; the last one of all is told as it stands. */
const OPENERS = ['user', 'chat', 'later', 'slash', 'pause']

/** Steps as they are played: what follows a call and changes its result is put into it; a cut ends the talk. */
function playedSteps(steps, end) {
  const played = []
  for (const step of steps) {
    if (step.verb === 'cut') {
      if (!CUT_ENDS.includes(end)) continue
      // A limit is met by the next call of the model, so that what ran before came to its end.
      if (end === 'kill') played.at(-1).isCut = true
      return played
    }
    if (OPENERS.includes(step.verb) && played.at(-1)?.verb === 'agent') played.at(-1).endsTurn = true
    if (!MODIFIERS.includes(step.verb)) played.push({ ...step })
    else if (step.verb === 'beside') played.at(-1).beside = [joined(step)]
    else if (step.verb === 'refused') played.at(-1).refused = joined(step)
  }
  played.at(-1).isLast = true
  return played
}

/** The lines of a transcript that ended so, and how many of the last ones only that end wrote. */
export function buildTranscript(scenario, end) {
  const writer = writerOf(scenario)
  const { id, files, language } = scenario
  const state = { files, language, running: new Map(), tasks: new Map() }
  for (const step of playedSteps(scenario.steps, end)) {
    if (!Object.hasOwn(VERBS, step.verb)) throw new Error(`${id}: there is no verb "${step.verb}"`)
    VERBS[step.verb](writer, step, state)
  }
  const before = writer.rows.length
  END_ROWS[end]?.(writer, scenario)
  const lines = writer.rows.map((row) => JSON.stringify(row))
  return { lines, endRows: lines.length - before, summary: scenario.summary }
}
