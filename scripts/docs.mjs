// Writes the reference pages from the tables in src/. With --check: changes nothing, and fails where one is old.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { root } from './setup.mjs'

const MADE = '<!-- Made by `npm run docs` from the tables in src/. Do not edit: change the table. -->'

/** The tables are TypeScript: they are bundled into a file that Node can import. */
async function readTables() {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-docs-'))
  try {
    const outfile = join(folder, 'tables.cjs')
    await build({
      stdin: {
        contents: [
          "export { EXIT, REASONS } from './core/reason.ts'",
          "export { SETTINGS } from './config/settings.ts'",
          "export { loadVerbs } from './verbs/table.ts'",
          "export { describeField, optionName } from './verbs/define/field.ts'",
          "export { descriptionOf } from './verbs/define/verb.ts'",
          "export { isTool, toolName, toolOf } from './apps/mcp/tool-list.ts'",
          "export { DASHBOARD_COMMAND } from './apps/process/dashboard-command.ts'",
          "export { PHASES } from './core/session.ts'",
          "export { LIFE_EVENTS, nextPhase, RECENT_FOR_MS, STALE_AFTER_MS } from './policy/session-lifecycle.ts'",
          "export { MOMENTS, momentOf } from './policy/moments.ts'",
          "export { DUE_AT_POINTS, WEIGHTS } from './policy/ask-to-save.ts'",
          "export { HOOKS } from './agents/claude/hook-table.ts'",
          "export { eventOf } from './agents/claude/hooks.ts'",
          "export { PLUGIN_STARTS, pluginFiles } from './agents/claude/plugin.ts'",
        ].join('\n'),
        resolveDir: join(root, 'src'),
      },
      outfile,
      bundle: true,
      platform: 'node',
      target: 'node20.19',
      format: 'cjs',
      define: { 'import.meta.url': '__filename' },
      external: ['@photostructure/sqlite'],
      logLevel: 'error',
    })
    return await import(pathToFileURL(outfile).href)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Text that is safe between table bars; inside code spans an angle bracket is itself already. */
const cell = (text) =>
  String(text)
    .replaceAll('|', '\\|')
    .replace(/`[^`]*`|</g, (found) => (found === '<' ? '&lt;' : found))
const code = (text) => `\`${String(text).replaceAll('|', '\\|')}\``
const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')

/** What each exit code means, in a sentence; a code without one here stops the script. */
const EXIT_MEANS = {
  problem: '`doctor` found a problem',
  usage: 'wrong command line, id or settings file',
  unknown: 'not found: a run, snapshot, plan, document, checkpoint, session or agent; or nothing is in focus',
  invalid: "invalid content: a document, a plan, the store or an agent's settings file",
  unwritten: 'something could not be written',
  refused:
    'refused: it would overwrite something, it does not fit the current state, or a git operation is in progress',
  unsafe: 'unsafe location, or the workspace is not trusted',
  internal: 'a defect of Savepoint',
  busy: 'another process is using the store or the file: try again',
}

function reasonsPage({ EXIT, REASONS }) {
  const exits = Object.entries(EXIT).map(([name, number]) => {
    if (!EXIT_MEANS[name]) throw new Error(`scripts/docs.mjs has no sentence for exit code ${name}`)
    return [code(number), EXIT_MEANS[name]]
  })
  const reasons = Object.entries(REASONS).map(
    ([name, { says, hint, exit, http, retry }]) =>
      `### \`${name}\`\n\n- Message: ${cell(says)}\n- Hint: ${cell(hint)}\n- Exit code ${exit}, HTTP status ${http}${retry ? '; the same call may succeed later' : ''}`,
  )
  return [
    MADE,
    '# Reasons and exit codes',
    'Every refusal and failure has a code that never changes its meaning. The command line prints the sentence, what to do, and the code; with `--json` the answer is `{"ok": false, "reason", "message", "hint", "data"}`. The library throws a `ReasonError` with the same fields. Words in braces are filled in.',
    '## Exit codes',
    table(['code', 'meaning'], [['`0`', 'it is done'], ...exits]),
    '`savepoint run exec` ends as its command did: with its exit code, with 128 and the number of the signal that ended it, with 127 where it was not found and 126 where it could not be run. `savepoint save` that is left at one of its questions (Ctrl-C, Ctrl-D, Escape) ends with 130, and has saved nothing.',
    'Two reasons are not failures of the command: it ran, and the result is bad news. With `--json` the full result comes with the reason.',
    table(
      ['reason', 'exit code', 'answered by'],
      [
        ['`problems_found`', code(EXIT.problem), '`savepoint doctor`, if a problem is left'],
        [
          '`documents_invalid`',
          code(EXIT.invalid),
          '`savepoint validate`, if a document has an error (with `--strict`: or a warning)',
        ],
      ],
    ),
    '## Reasons',
    ...reasons,
  ]
}

async function configPage({ SETTINGS, loadVerbs }) {
  const rows = Object.entries(SETTINGS).map(([name, { about, default: value, problem, from }]) => [
    code(name),
    code(value),
    cell(problem(undefined) ?? 'anything'),
    from === 'user' ? 'your own file only' : 'any file',
    about,
  ])
  const lenient = (await loadVerbs())
    .filter((one) => one.lenient)
    .map(({ name }) => code(`savepoint ${name}`))
  const example = Object.entries(SETTINGS).map(([name, { default: value }]) => `  ${name}: ${value}`)
  return [
    MADE,
    '# Settings',
    'Savepoint works without a settings file. Settings are YAML under the key `session`. Other keys belong to other tools and are ignored.',
    'Files are read in this order; later ones win:',
    '1. `$XDG_CONFIG_HOME/savepoint/config.yml`, by default `~/.config/savepoint/config.yml` (on Windows `%APPDATA%\\savepoint\\config.yml`): your own file.\n2. `.agents.yml` in the root of the workspace.\n3. `.agents.local.yml` beside it.',
    '`false` in a later file overrides `true` in an earlier one. A file may be at most 64 KiB.',
    "A setting that could make you lose snapshots is read only from your own file. In a repository's file it is ignored.",
    table(['setting', 'default', 'must be', 'may stand in', 'about'], rows),
    `\`\`\`yaml\nsession:\n${example.join('\n')}\n\`\`\``,
    'An invalid value stops the command with [`config_invalid`](reasons.md#config_invalid), which names the file and the line. Aliases, merge keys and tags are not allowed in the `session` block.',
    `These commands print a notice instead, ignore that line or file, and use all other settings: ${lenient.join(', ')}.`,
    '`savepoint config explain` shows every setting, its value, its source, and values that are ignored.',
    '## Environment',
    table(
      ['variable', 'about'],
      [
        [
          '`SAVEPOINT_HOME`',
          "Savepoint's data folder. Default: `$XDG_STATE_HOME/savepoint`, else `~/.local/state/savepoint` (on Windows `%LOCALAPPDATA%\\savepoint`). It must be outside the workspace, on a local disk, and private to you.",
        ],
        ['`SAVEPOINT_DEBUG`', 'Set to any value to print the stack trace of an error.'],
        [
          '`SAVEPOINT_NO_CACHE`',
          'Set to any value to run without the compiled program in `cache/` of the data folder.',
        ],
      ],
    ),
  ]
}

async function commandsPage(tables) {
  const { loadVerbs, optionName, describeField, descriptionOf, toolName, DASHBOARD_COMMAND } = tables
  const word = ([name, field]) => {
    const inner = field.kind === 'choice' ? field.choices.join('|') : (field.label ?? optionName(name))
    const dots = field.kind === 'words' ? '…' : ''
    return field.required ? `<${inner}${dots}>` : `[${inner}${dots}]`
  }
  const option = ([name, field]) =>
    field.kind === 'flag' ? `--${optionName(name)}` : `--${optionName(name)} <${field.value ?? 'VALUE'}>`
  const sections = (await loadVerbs()).map((verb) => {
    const { name, fields, examples, tool } = verb
    const all = Object.entries(fields)
    const placed = all.filter(([, { at }]) => at !== undefined).sort(([, a], [, b]) => a.at - b.at)
    const words = placed.filter(([, { kind }]) => kind !== 'words').map(word)
    const rest = placed.filter(([, { kind }]) => kind === 'words').map((field) => `-- ${word(field)}`)
    const options = all.filter(([, { at }]) => at === undefined)
    const marks = options.map((field) => (field[1].required ? option(field) : `[${option(field)}]`))
    const rows = [
      ...placed.map((field) => [code(word(field)), cell(field[1].about)]),
      ...options.map((field) => [
        code(option(field)),
        cell(describeField(field[1]) + (field[1].required ? ' (required)' : '')),
      ]),
    ]
    return [
      `## \`${name}\``,
      descriptionOf(verb),
      ...(tool ? [`For agents: the tool ${code(toolName(verb))} ([docs/mcp.md](mcp.md)). ${tool.when}`] : []),
      `\`\`\`text\n${['savepoint', name, ...words, ...marks, ...rest].join(' ')}\n\`\`\``,
      ...(rows.length > 0 ? [table(['input', 'about'], rows)] : []),
      `\`\`\`sh\n${examples.join('\n')}\n\`\`\``,
    ].join('\n\n')
  })
  return [
    MADE,
    '# Commands',
    'Every command has `--json` and `--help`. Results go to stdout, notices and errors to stderr. See also [exit codes and reasons](reasons.md).',
    ...sections,
    '## `dashboard`',
    `${DASHBOARD_COMMAND.summary}. ${DASHBOARD_COMMAND.detail} See [docs/dashboard.md](dashboard.md).`,
    '```text\nsavepoint dashboard [--port <N>] [--no-open]\n```',
    table(
      ['input', 'about'],
      [
        [code('--port <N>'), DASHBOARD_COMMAND.fields.port.about],
        [code('--no-open'), DASHBOARD_COMMAND.fields.noOpen.about],
      ],
    ),
    `\`\`\`sh\n${DASHBOARD_COMMAND.examples.join('\n')}\n\`\`\``,
    '## `mcp`',
    'Serve the tools for agents (Model Context Protocol over stdin and stdout) until stdin is closed. See [docs/mcp.md](mcp.md).',
    '```text\nsavepoint mcp [folder]\n```',
    table(
      ['input', 'about'],
      [
        [
          code('[folder]'),
          'the workspace (default: the project of the agent that starts it, else the current folder)',
        ],
      ],
    ),
    '```sh\nclaude mcp add savepoint -- savepoint mcp\nsavepoint mcp ~/src/shop\n```',
    '## `completion`',
    'Print a completion script for `bash`, `zsh` or `fish`.',
    '```sh\nsavepoint completion bash\n```',
  ]
}

const PAGES = {
  'docs/reasons.md': reasonsPage,
  'docs/config.md': configPage,
  'docs/commands.md': commandsPage,
}

/** The client's hooks with what each leads to: the event that a payload of its name becomes, and its moment. */
function hooksTable({ HOOKS, eventOf, momentOf }) {
  const rows = Object.entries(HOOKS).map(([hook, seconds]) => {
    const payload = { hook_event_name: hook, session_id: 'any', cwd: '/', agent_type: 'any' }
    const { kind } = eventOf(payload, '')
    const { about, tells } = momentOf(kind)
    return [code(hook), code(kind), seconds, about, sayTellings(tells)]
  })
  return table(['hook', 'event', 'seconds', 'what happens', 'may tell'], rows)
}

/** What each telling of a moment is called in a table. */
const TELLS = { start: 'brief or changes', dropped: 'dropped', nudge: 'nudge', ask: 'ask' }
const sayTellings = (tells) => tells.map((one) => TELLS[one]).join(', ') || '–'

const OPENS = { always: 'yes', 'when-due': 'when something is due', never: 'no' }

function momentsTable({ MOMENTS }) {
  const rows = Object.entries(MOMENTS).map(([kind, { opens, trigger, tells, about }]) => [
    ...[code(kind), about, OPENS[opens], trigger === null ? '–' : code(trigger), sayTellings(tells)],
  ])
  return table(['event', 'what happens', 'opens the store', 'checkpoint', 'may tell'], rows)
}

function weightsTable({ WEIGHTS, DUE_AT_POINTS }) {
  const rows = Object.entries(WEIGHTS).map(([name, { perPoint, mostPoints }]) => [
    ...[name, perPoint, Number.isFinite(mostPoints) ? mostPoints : 'no limit'],
  ])
  const made = table(['what', 'count for one point', 'most points'], rows)
  return `${made}\n\nThe line is due at ${DUE_AT_POINTS} points.`
}

/** The life of a session as a diagram; what leaves a phase as it is has no arrow. */
function lifecycleDiagram({ PHASES, LIFE_EVENTS, nextPhase, STALE_AFTER_MS, RECENT_FOR_MS }) {
  const says = {
    speak: 'speaks again',
    end: 'ends',
    silent: `silent for ${STALE_AFTER_MS / 3_600_000} h`,
    reconcile: 'reconciled, reason crash',
    age: `${RECENT_FOR_MS / 3_600_000} h after its end`,
  }
  const arrows = PHASES.flatMap((from) =>
    LIFE_EVENTS.filter((event) => nextPhase(from, event) !== from).map(
      (event) => `    ${from} --> ${nextPhase(from, event)}: ${says[event]}`,
    ),
  )
  return ['```mermaid', 'stateDiagram-v2', '    [*] --> active: starts', ...arrows, '```'].join('\n')
}

/** The tools of the MCP server, as a client is told of them. */
async function toolsTable({ loadVerbs, isTool, toolOf }) {
  const rows = (await loadVerbs()).filter(isTool).map((verb) => {
    const { name, description, inputSchema, outputSchema } = toolOf(verb)
    const takes = Object.keys(inputSchema.properties).map((field) =>
      inputSchema.required?.includes(field) ? `**${field}**` : field,
    )
    const gives = Object.keys(outputSchema.properties).filter((field) => field !== 'text')
    return [code(name), verb.tool.effect, cell(description), takes.join(', ') || '–', gives.join(', ')]
  })
  return table(['tool', 'effect', 'description', 'inputs', 'facts'], rows)
}

/** Parts of pages that people write, each between two marks that bear its name. */
const PARTS = {
  'docs/sessions.md': {
    lifecycle: lifecycleDiagram,
    moments: momentsTable,
    weights: weightsTable,
  },
  'docs/agents/claude-code.md': { hooks: hooksTable },
  'docs/mcp.md': { tools: toolsTable },
}

/** Files that are made whole, by the folder that they stand in. */
const FILES = {
  'plugins/claude': ({ PLUGIN_STARTS, pluginFiles }) => pluginFiles(PLUGIN_STARTS),
}

async function withParts(text, parts, tables) {
  let now = text
  for (const [name, make] of Object.entries(parts)) {
    const [begin, end] = [`<!-- ${name}: made by \`npm run docs\` -->`, `<!-- ${name} ends -->`]
    const [before, rest] = now.split(begin)
    const after = rest?.split(end)[1]
    if (after === undefined) throw new Error(`there is no place for ${name}: ${begin} … ${end}`)
    now = `${before}${begin}\n\n${await make(tables)}\n\n${end}${after}`
  }
  return now
}

const check = process.argv.includes('--check')
const tables = await readTables()
for (const [path, page] of Object.entries(PAGES)) keep(path, `${(await page(tables)).join('\n\n')}\n`)
for (const [path, parts] of Object.entries(PARTS))
  keep(path, await withParts(readOr(join(root, path)) ?? '', parts, tables))
for (const [folder, files] of Object.entries(FILES))
  for (const [path, text] of Object.entries(files(tables))) keep(`${folder}/${path}`, text)

function keep(path, wanted) {
  if (!check) writeFileSync(join(root, path), wanted)
  else if (readOr(join(root, path)) !== wanted) {
    console.error(`${path} is out of date: npm run docs`)
    process.exitCode = 1
  }
}

function readOr(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
    return null
  }
}
