// What the statistics of a transcript cost, against the fastest published tool, and what one more turn costs.
import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { root } from '../scripts/setup.mjs'
import { inTempFolder, interleaved, median, random, row, timed } from './measure.mjs'

const CCUSAGE = 'ccusage@20.0.24'
/** Our verb for the statistics of one file; until it is built in, its reader runs alone. */
const VERB = ['sessions', 'stats']
const LARGE = 200_000_000
const SMALL = 1_000_000
const ROUNDS = 11
const INCREMENTS = 40
/** One turn is read on in a tenth of a millisecond: a sample is so many, each read by itself. */
const TURNS = 10
const LIMITS = { tool: 1.1, increment: 1.2 }
const SESSION = '11111111-1111-4111-8111-111111111111'

/** Every limit, measured in one go. */
export function measure() {
  return inTempFolder(async (place) => {
    const reader = await bundled(place)
    const tool = installed(place)
    const rows = []
    for (const kind of ['new', 'old']) {
      const { path, home } = generated(place, kind, LARGE)
      if (tool) rows.push(await againstTool(place, { kind, path, home, tool, reader }))
    }
    rows.push(await increments(place, reader))
    return rows
  })
}

/** Its native binary, without the script around it; null, and said so, where it cannot be had. */
function installed(place) {
  const folder = join(place, 'ccusage')
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const { status, stderr } = spawnSync('npm', ['install', '--no-audit', '--no-fund', CCUSAGE], {
    cwd: folder,
    encoding: 'utf8',
  })
  const scope = join(folder, 'node_modules/@ccusage')
  const [platform] = existsSync(scope) ? readdirSync(scope) : []
  const name = process.platform === 'win32' ? 'ccusage.exe' : 'ccusage'
  const binary = platform ? join(scope, platform, 'bin', name) : null
  if (status === 0 && binary && existsSync(binary)) {
    chmodSync(binary, 0o755)
    return binary
  }
  console.error(`${CCUSAGE} could not be installed, so nothing is measured against it:\n${stderr}`)
  return null
}

/** The reader as one file, as it is in the built program: as a program of its own, and to import. */
async function bundled(place) {
  const transcript = JSON.stringify(join(root, 'src/agents/claude/transcript.ts'))
  const make = async (name, format, contents) => {
    const outfile = join(place, name)
    await build({
      stdin: { resolveDir: root, contents },
      outfile,
      bundle: true,
      platform: 'node',
      target: 'node20.19',
      format,
    })
    return outfile
  }
  return {
    program: await make(
      'statistics.cjs',
      'cjs',
      `import { readTranscript } from ${transcript}
       console.log(JSON.stringify(readTranscript(process.argv[2], null, null).reading.statistics))`,
    ),
    module: await make('reader.mjs', 'esm', `export { readTranscript } from ${transcript}`),
  }
}

/** Whole processes, each on the same file, in turn. What they count must be the same. */
async function againstTool(place, { kind, path, home, tool, reader }) {
  const { NODE_EXTRA_CA_CERTS: _slow, ...outer } = process.env
  const env = { ...outer, HOME: place, CLAUDE_CONFIG_DIR: home, SAVEPOINT_HOME: join(place, 'home') }
  const run = (program, args) => execFileSync(program, args, { env, encoding: 'utf8', maxBuffer: 1e8 })
  const cli = [join(root, 'dist/cli.cjs'), ...VERB, path, '--json']
  const hasVerb = spawnSync(process.execPath, cli, { env }).status === 0
  const ours = () => run(process.execPath, hasVerb ? cli : [reader.program, path])
  const theirs = () => run(tool, ['claude', 'session', '--json', '--offline'])
  sameTokens(JSON.parse(ours()), JSON.parse(theirs()).totals)
  const times = await interleaved(ROUNDS, { ours: () => timed(ours), theirs: () => timed(theirs) })
  const what = `statistics of 200 MB ${MIXES[kind].what}${hasVerb ? '' : ' (reader alone)'} / ${CCUSAGE}`
  return row(what, median(times.ours), median(times.theirs), LIMITS.tool)
}

function sameTokens(said, totals) {
  const { input, output, cacheRead, cacheCreation } = (said.statistics ?? said).tokensConsumed
  const ours = [input, output, cacheRead, cacheCreation].join(' ')
  const theirs = [totals.inputTokens, totals.outputTokens, totals.cacheReadTokens, totals.cacheCreationTokens]
  if (ours !== theirs.join(' ')) throw new Error(`tokens differ: ${ours} against ${theirs.join(' ')}`)
}

/** One more turn after the other, each read on from a saved reading, in a small file and in a large one. */
async function increments(place, { module }) {
  const { readTranscript } = await import(pathToFileURL(module).href)
  const more = [...turns(random(99), { bulk: true, turns: TURNS })]
  const side = (path) => {
    const size = statSync(path).size
    const saved = JSON.stringify(readTranscript(path, null, null).reading)
    return async () => {
      let reading = saved
      let time = 0
      for (const turn of more) {
        const before = JSON.parse(reading)
        appendFileSync(path, turn)
        time += await timed(() => {
          reading = readTranscript(path, before, () => undefined).reading
        })
        reading = JSON.stringify(reading)
      }
      truncateSync(path, size)
      return time
    }
  }
  const sides = {
    small: side(generated(place, 'small', SMALL).path),
    large: side(pathOf(place, 'new')),
  }
  for (let round = 0; round < INCREMENTS; round += 1) for (const act of Object.values(sides)) await act()
  const times = await interleaved(INCREMENTS, sides)
  const what = `${TURNS} more turns of a transcript, each read on by itself, at 200 MB / at 1 MB`
  return row(what, median(times.large), median(times.small), LIMITS.increment)
}

/**
 * Two mixes, by bytes. `new`: about a third is what newer clients keep of their requests (prompt snapshots, request
 * shapes and blobs), half is results of tools with their structured copies, the rest is what the agent said and called.
 * `old`: no requests, three quarters are results. The less of a file can be passed over, the harder it is for us.
 */
const MIXES = {
  new: { what: 'of a new client', bulk: true },
  old: { what: 'of an older client', bulk: false },
  small: { what: 'of a new client', bulk: true },
}

const pathOf = (place, kind) => join(place, kind, 'projects/work', `${SESSION}.jsonl`)

function generated(place, kind, size) {
  const path = pathOf(place, kind)
  mkdirSync(join(place, kind, 'projects/work'), { recursive: true })
  const file = openSync(path, 'w')
  let written = 0
  for (const lines of turns(random(7), { bulk: MIXES[kind].bulk, turns: Number.POSITIVE_INFINITY })) {
    written += writeSync(file, lines)
    if (written >= size) break
  }
  closeSync(file)
  return { path, home: join(place, kind) }
}

const WORDS = [
  ...'import const from return if else function "node:fs" => { } ( ) value: string; number "text" error'.split(
    ' ',
  ),
  ...'await expect(test) // the a of to session transcript.offset = 0 path.join(root, "src") && || ==='.split(
    ' ',
  ),
  ...['\n\n', '\n  ', '\n    ', '\n\t', '\\n'],
]

/** Turns of a conversation in the client's shape, each as its lines. */
function* turns(next, { bulk, turns: count }) {
  const hex = (length) => {
    let digits = ''
    while (digits.length < length) digits += ((next() * 0x100000000) >>> 0).toString(16).padStart(8, '0')
    return digits.slice(0, length)
  }
  const uuid = () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`
  const code = (length) => {
    let words = ''
    while (words.length < length) words += `${WORDS[Math.floor(next() * WORDS.length)]} `
    return words.slice(0, length)
  }
  const about = (length) => code(Math.round(length * Math.exp((next() + next() + next() - 1.5) * 2)))
  let clock = Date.UTC(2026, 10, 1)
  const timestamp = () => {
    clock += 900
    return new Date(clock).toISOString()
  }
  let parentUuid = null
  const tail = {
    userType: 'external',
    entrypoint: 'cli',
    cwd: '/home/dev/proj',
    sessionId: SESSION,
    version: '2.1.325',
    gitBranch: 'main',
  }
  const model = 'claude-opus-5-5'
  const system = [code(14_000)]
  const tools = Array.from({ length: 24 }, (_, at) => ({ name: `Tool${at}`, description: code(1_500) }))
  let lines = []
  const put = (value) => lines.push(`${JSON.stringify(value)}\n`)
  const request = ({ type, ...value }) => bulk && put({ type, sessionId: SESSION, ...value })
  const chained = (value) => {
    const id = uuid()
    put({ parentUuid, isSidechain: false, ...value(id), ...tail })
    parentUuid = id
    return id
  }
  const said = (message, block) =>
    chained((id) => ({
      message: { ...message.head, content: [block], stop_reason: 'tool_use', usage: message.usage },
      requestId: message.request,
      requestRef: message.ref,
      requestedModel: model,
      type: 'assistant',
      uuid: id,
      timestamp: timestamp(),
    }))
  const told = (content, rest) =>
    chained((id) => ({
      promptId: uuid(),
      type: 'user',
      message: { role: 'user', content },
      uuid: id,
      timestamp: timestamp(),
      ...rest,
    }))
  const path = () => `/home/dev/proj/src/f${Math.floor(next() * 90)}.ts`
  const calls = {
    Bash: () => {
      const text = about(1_500)
      const command = next() < 0.1 ? 'git add -A && git commit -m "x"' : `npm test -- ${hex(6)}`
      return {
        input: { command, description: 'Run' },
        text,
        copy: { stdout: text, stderr: '', interrupted: false },
      }
    },
    Read: () => {
      const [file_path, text] = [path(), about(6_000)]
      return {
        input: { file_path },
        text,
        copy: { type: 'text', file: { filePath: file_path, content: text } },
      }
    },
    Edit: () => {
      const input = { replace_all: false, file_path: path(), old_string: about(500), new_string: about(500) }
      const patch = [{ oldStart: 1, oldLines: 9, newStart: 1, newLines: 9, lines: code(900).split('\n') }]
      const copy = { filePath: input.file_path, originalFile: about(9_000), structuredPatch: patch }
      return { input, text: 'The file has been updated.', copy: { ...copy, oldString: input.old_string } }
    },
    Write: () => {
      const input = { file_path: path(), content: about(3_000) }
      return {
        input,
        text: 'File created successfully',
        copy: { type: 'create', ...input, structuredPatch: [] },
      }
    },
  }
  const named = ['Bash', 'Bash', 'Bash', 'Read', 'Read', 'Read', 'Edit', 'Edit', 'Write']
  for (let turn = 0; turn < count; turn += 1) {
    if (turn % 8 === 0) told(about(200), { promptSource: 'typed', origin: { kind: 'human' } })
    if (bulk && turn % 40 === 0) {
      chained((id) => ({
        attachment: { type: 'prompt_snapshot', systemPrompt: system, tools },
        type: 'attachment',
        uuid: id,
        timestamp: timestamp(),
      }))
      request({ type: 'api-request-shape', shapeHash: hex(64), shape: { system, tools } })
    }
    const written = 500 + Math.floor(next() * 2_000)
    const message = {
      head: { id: `msg_${hex(24)}`, type: 'message', role: 'assistant', model, stop_sequence: null },
      request: `req_${hex(24)}`,
      ref: uuid(),
      usage: {
        input_tokens: 3,
        cache_creation_input_tokens: written,
        cache_read_input_tokens: Math.floor(next() * 150_000),
        output_tokens: 50 + Math.floor(next() * 900),
        server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
        service_tier: 'standard',
        cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: written },
        iterations: [],
      },
    }
    const blobs = Array.from({ length: 12 }, () => hex(64))
    request({ type: 'api-request', id: message.ref, timestamp: timestamp(), params: { model }, blobs })
    if (next() < 0.4) said(message, { type: 'thinking', thinking: about(300), signature: hex(400) })
    said(message, { type: 'text', text: about(200) })
    for (let left = next() < 0.25 ? 2 : 1; left > 0; left -= 1) {
      const name = named[Math.floor(next() * named.length)]
      const { input, text, copy } = calls[name]()
      const block = { type: 'tool_use', id: `toolu_${hex(24)}`, name, input }
      const failed = next() < 0.07
      const result = {
        tool_use_id: block.id,
        type: 'tool_result',
        content: text,
        ...(failed && { is_error: true }),
      }
      const sourceToolAssistantUUID = said(message, block)
      told([result], { toolUseResult: failed ? `Error: ${text}` : copy, sourceToolAssistantUUID })
      for (const [role, part] of Object.entries({ assistant: block, user: result }))
        request({ type: 'api-request-blob', hash: hex(64), message: { role, content: [part] } })
    }
    yield lines.join('')
    lines = []
  }
}
