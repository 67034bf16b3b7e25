import fc from 'fast-check'
import {
  answered,
  approved,
  assistant,
  attachment,
  boundary,
  call,
  clarify,
  type Json,
  queue,
  refusal,
  result,
  slash,
  text,
  time,
  usageOf,
  user,
} from './transcript-rows.ts'

const number = fc.integer({ min: 1, max: 60 })
const said = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom('"', '\\', '\n', 'é', '😀', '{', '}', '[', ']', ',', ' ', '\u0000') }),
  fc.constantFrom(
    '"type":"assistant"',
    '{"is_error":true}',
    '\\"',
    '<system-reminder>x</system-reminder>',
    'x'.repeat(900),
  ),
)
const callId = fc.integer({ min: 1, max: 8 }).map((id) => `toolu_${id}`)
const side = fc.constantFrom({}, {}, { isSidechain: true })

/** What the user or the client writes into the user's part of a conversation. */
const words = fc.oneof(
  { weight: 2, arbitrary: said },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      'Use tabs',
      '  Never push\n\nwithout a word ',
      'Use tabs<system-reminder>Never use tabs</system-reminder>',
      'Implement the following plan:\n\n# Signed tokens\n\n1. Sign',
      slash('deploy', ' to staging '),
      slash('plugin:review'),
      slash('compact', 'keep the decisions'),
      '<local-command-caveat>Caveat</local-command-caveat>',
      'Operation stopped by hook: Another session is active',
      '{"task_id":"b1"}',
      '[Request interrupted by user for tool use]',
      '<task-notification><task-id>b1</task-id><status>completed</status></task-notification>',
      '<task-notification><task-id>b2</task-id><status>killed</status></task-notification>',
      '<task-notification><task-id>b3</task-id><status>running</status></task-notification>',
    ),
  },
)

const calling = fc.oneof(
  fc.record({
    id: callId,
    name: fc.constantFrom('Write', 'Edit', 'Bash', 'Read', 'Task', 'Agent', 'TodoWrite'),
    input: fc.oneof(
      fc.record({ content: said, file_path: fc.constantFrom('/a', '/b "c"', '/ü') }),
      fc.record({ command: fc.constantFrom('git commit -m x', 'ls', 'echo "git commit"') }),
      fc.record({ todos: fc.constant([{ content: 'x', status: 'pending' }]) }),
      fc.record({ prompt: said }),
      fc.record({ task_id: fc.constantFrom('b1', '') }),
      fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })).map((value) => value as Json),
    ),
  }),
  fc.record({
    id: fc.constantFrom('question_1', 'question_2'),
    name: fc.constant('AskUserQuestion'),
    input: fc.constantFrom<Json[]>(
      { questions: [{ question: 'Which?', options: [{ label: 'A' }, { label: 'B', description: 'x' }] }] },
      {},
    ),
  }),
  fc.record({
    id: fc.constantFrom('plan_1', 'plan_2'),
    name: fc.constant('ExitPlanMode'),
    input: fc.constantFrom<Json[]>({ plan: '# Signed tokens\n\n1. Sign\n' }, {}),
  }),
)

const callIn = fc.oneof(callId, fc.constantFrom('question_1', 'question_2', 'plan_1', 'plan_2'))

/** What a call came to: as its program says, as the user or the client says. */
const outcome = fc.oneof(
  fc.record({
    said: fc.oneof(
      said,
      fc.constantFrom(
        answered(['Which?', 'A'], ['How?', 'not\nat all']),
        approved('/plans/a.md', '# Signed tokens'),
        'PreToolUse:ExitPlanMode hook error: Review it first',
      ),
    ),
    failed: fc.constantFrom(undefined, undefined, false, true),
  }),
  fc.record({
    said: fc.oneof(
      words.map((text) => refusal(text)),
      words.map((text) => refusal(`${text}\n\nNote: The user's next message may contain a correction.`)),
      fc.constantFrom(
        refusal(),
        clarify(['Which?', 'B, for now'], ['How?', null]),
        clarify(['Which?', null]),
      ),
    ),
    failed: fc.constantFrom(true, true, true, undefined),
  }),
)
const resultTo = (id: string) =>
  fc
    .record({ outcome, isList: fc.boolean() })
    .map(({ outcome: { said, failed }, isList }) =>
      result(id, isList ? [text(said), { type: 'document', text: 'no words' }, text('end')] : said, failed),
    )
const record = fc.oneof(
  fc.jsonValue().map((toolUseResult) => ({ toolUseResult })),
  fc.constantFrom<Json[]>(
    {},
    {
      toolUseResult: {
        answers: { 'Which?': 'B', 'How?': ['x', 'y'] },
        annotations: { 'Which?': { notes: 'n' } },
      },
    },
    { toolUseResult: { plan: '# Edited\n', filePath: '/plans/b.md' } },
    { toolUseResult: 'User rejected tool use', toolDenialKind: 'user-rejected' },
    { toolDenialKind: 'permission-rule' },
  ),
)

/** A user's row with the result of a call, with words beside it or without. */
const userResult = (id: string) =>
  fc
    .record({
      n: number,
      result: resultTo(id),
      beside: fc.array(words.map(text), { maxLength: 1 }),
      record,
      side,
    })
    .map(({ n, result, beside, record, side }) => user(n, [result, ...beside], { ...record, ...side }))

/** Rows that belong together. */
const exchange = fc.oneof(
  calling.chain(({ id, name, input }) =>
    fc.tuple(
      number.map((n) => assistant(n, { content: [call(id, name, input)] })),
      userResult(id),
    ),
  ),
  fc.tuple(
    number.map((n) => user(n, slash('deploy', 'now'))),
    fc.record({ n: number, words }).map(({ n, words }) => user(n, words, { isMeta: true })),
  ),
)

const rowOf: fc.Arbitrary<Json> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .record({
        n: number,
        id: fc.integer({ min: 1, max: 6 }),
        block: fc.oneof(
          said.map(text),
          calling.map(({ id, name, input }) => call(id, name, input)),
        ),
        tokens: fc.tuple(fc.nat(99), fc.nat(99), fc.nat(99), fc.nat(99)),
        model: fc.constantFrom('claude-opus-5-5', 'claude-opus-5-5', '<synthetic>'),
        rest: fc.constantFrom<Json[]>(
          {},
          {},
          {},
          {},
          { isSidechain: true },
          { isApiErrorMessage: true, error: 'rate_limit' },
          { isApiErrorMessage: true },
        ),
      })
      .map(({ n, id, block, tokens, model, rest }) =>
        assistant(
          n,
          { id: `msg_${id}`, model, content: [block], usage: usageOf(...tokens) },
          { requestId: `req_${id}`, ...rest },
        ),
      ),
  },
  { weight: 3, arbitrary: callIn.chain(userResult) },
  {
    weight: 3,
    arbitrary: fc
      .record({
        n: number,
        words,
        rest: fc.constantFrom<Json[]>(
          {},
          {},
          {},
          { isMeta: true },
          { isMeta: true },
          { isSidechain: true },
          { origin: { kind: 'human' } },
          { origin: { kind: 'peer' } },
          { promptSource: 'system' },
        ),
      })
      .map(({ n, words, rest }) => user(n, words, rest)),
  },
  fc
    .record({ n: number, words: fc.tuple(words, words) })
    .map(({ n, words: [one, two] }) =>
      user(n, [text(one), { type: 'image', source: { data: one } }, text(two)]),
    ),
  fc
    .record({
      n: number,
      operation: fc.constantFrom('enqueue', 'enqueue', 'dequeue', 'remove', 'popAll', 'shuffle'),
      words: fc.option(words, { nil: undefined }),
    })
    .map(({ n, operation, words }) => queue(n, operation, words)),
  fc
    .record({ n: number, words, isList: fc.boolean(), rest: fc.constantFrom<Json[]>({}, { isMeta: true }) })
    .map(({ n, words, isList, rest }) =>
      attachment(n, { type: 'queued_command', prompt: isList ? [text(words)] : words, ...rest }),
    ),
  fc
    .record({ n: number, said })
    .map(({ n, said }) => attachment(n, { type: 'prompt_snapshot', systemPrompt: [said] })),
  fc
    .record({ n: number, after: fc.constantFrom({}, { postTokens: 77 }) })
    .map(({ n, after }) => boundary(n, { trigger: 'auto', ...after })),
  number.map((n) => ({ type: 'pr-link', prUrl: `https://github.com/o/r/pull/${n}`, timestamp: time(n) })),
  said.map((value) => ({ type: 'api-request', params: { x: value } })),
  fc.constantFrom('new-kind', 'other-kind').map((type) => ({ type, value: { type: 'assistant' } })),
)

/** JSON as the client writes it, with spaces as other tools do, or torn. */
const lineOf = fc.oneof(
  { weight: 8, arbitrary: rowOf.map((row) => JSON.stringify(row)) },
  { weight: 2, arbitrary: rowOf.map((row) => JSON.stringify(row, null, 1).replace(/\n */g, ' ')) },
  { weight: 1, arbitrary: rowOf.map((row) => `${JSON.stringify(row)}\r`) },
  { weight: 1, arbitrary: rowOf.map((row) => JSON.stringify(row).slice(0, 30)) },
  { weight: 1, arbitrary: fc.constantFrom('', 'null', '{', 'x{}') },
)
/** What a transcript may hold: rows by themselves, and rows that belong together. */
export const contentOf = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: lineOf.map((line) => [line]) },
      { weight: 2, arbitrary: exchange.map((rows) => rows.map((row) => JSON.stringify(row))) },
    ),
    { maxLength: 30 },
  )
  .map((lines) =>
    lines
      .flat()
      .map((line) => `${line}\n`)
      .join(''),
  )
