import { describe, expect, test } from 'vitest'
import { KEEP } from '../../../src/policy/digest/state.ts'
import { asks, calls, digestOf, edits, queue, request, returns, says, told, toldOf } from './sample.ts'

/** So many different words. */
const words = (count: number, name = 'word') =>
  Array.from({ length: count }, (_, at) => `${name}${at}`).join(' ')
/** So many requests that have hardly a word in common. */
const many = (count: number) =>
  Array.from({ length: count }, (_, at) => `Task ${at}: ${words(10, `part${at}x`)}`)
const OTHER = 'Then look at the export of the invoices, which is too slow for large customers.'
const NEWEST = 'And now write the release notes for all of that, in German and in English.'

describe('what the user said', () => {
  test('the newest request is told whole, with its lines', () => {
    const text = `Please change three things:\n\n- ${words(120)}\n- the tests`
    const line = `Newest: user: "Please change three things: / - ${words(120)} / - the tests"`
    expect(told(request(OTHER), request(text)).split('\n')).toContain(line)
  })

  test('an older request keeps its beginning and its end, cut between words', () => {
    const [, line = ''] = /^user: "(word0 .*)"$/m.exec(told(request(words(400)), request(NEWEST))) ?? []
    const [head = '', tail = ''] = line.split(/ \[\d+ characters left out\] /)
    expect(line.length).toBeLessThanOrEqual(520)
    expect(words(400).startsWith(`${head} `)).toBe(true)
    expect(words(400).endsWith(` ${tail}`)).toBe(true)
    expect([head.length, tail.length].every((length) => length > 100)).toBe(true)
  })

  test('of very many the first stays, the newest stay, and the others are counted', () => {
    const all = many(KEEP.requests + 10)
    const digest = digestOf(all.map((text) => request(text)))
    const lines = toldOf(digest)
    expect(digest.counts.requests).toBe(KEEP.requests + 10)
    expect(lines).toContainEqual(expect.stringContaining('; 58 older ones left out)'))
    expect(lines.at(-1)).toBe(`user: "${all[0]}"`)
    expect(lines.filter((line) => line.startsWith('user: '))).toHaveLength(40 + 1)
    expect(lines).toContain(`Newest: user: "${all.at(-1)}"`)
  })

  test('a request that a hook has blocked and that was sent again counts once', () => {
    const digest = digestOf(request(OTHER), request(NEWEST), request(NEWEST))
    expect(digest.requests.map(({ text }) => text)).toEqual([OTHER, NEWEST])
    expect(digest.counts.requests).toBe(2)
  })

  test('a wish that came again in nearly the same words is told once, as it was last said', () => {
    const again = 'Please look at the export of the invoices again: it is too slow for large customers.'
    const lines = toldOf(digestOf(request(many(1).join()), request(OTHER), request(again), request(NEWEST)))
    expect(lines.filter((line) => line.includes('invoices'))).toEqual([`user: "${again}"`])
  })

  test('what an older request led to stands behind it, in the words that tell most', () => {
    const found = 'The export was slow because every row opened the database anew.'
    const answer = `The file has 300 lines in all. ${found}\n\nThat is what I saw.\n\nLet me see what was changed.`
    const line = `user: "${OTHER}" → agent: "${found}"`
    expect(told(request(OTHER), edits('db.ts'), says(answer), request(NEWEST))).toContain(line)
    // Where nothing was done it is a proposal, and so is what ends with a question.
    expect(told(request(OTHER), says(answer), request(NEWEST))).not.toContain(found)
    expect(told(request(OTHER), edits('db.ts'), says(`${answer} Ok?`), request(NEWEST))).not.toContain(found)
  })

  test.each([
    ['always', 'Always run the linter.'],
    ['from now on', 'From now on, small commits.'],
    ['in German', 'Bitte immer deutsch antworten.'],
    ['in Spanish', 'Nunca borres la base de datos.'],
    ['in Japanese', '必ずテストを書いて。'],
    ['in Chinese', '以后都用事务。'],
  ])('words that hold for good stay at the smallest scale: %s', (_, lasting) => {
    const later = many(60).map((text) => request(text))
    const lines = toldOf(digestOf(request(OTHER), request(lasting), later), { scale: 0 })
    expect(lines).toContain(`user: "${lasting}"`)
    expect(lines.join('\n')).not.toContain('Task 20')
  })

  test('what was pasted into an older request shrinks to the words around it, and stays in the newest', () => {
    const pasted =
      'The import dies with this error:\n```\nTypeError: x is undefined\n    at run (a.ts:3)\n```'
    const mixed = `${pasted}\nIt began with the new driver.\nI have not changed anything else.\nCan you fix it?\nToday.`
    const wanted =
      'user: "The import dies with this error: / It began with the new driver. / I have not changed'
    expect(told(request(OTHER), request(mixed), request(NEWEST))).toContain(wanted)
    expect(told(request(OTHER), request(pasted), request(NEWEST))).not.toContain('TypeError')
    expect(told(request(OTHER), request(pasted))).toContain('TypeError: x is undefined')
  })

  test('"go on" says nothing once it is answered, a question neither', () => {
    const lines = told(
      request(OTHER),
      request('go on'),
      request('Is it fast?'),
      says('Yes.'),
      request(NEWEST),
    )
    expect(lines).not.toMatch(/go on|Is it fast/)
  })
})

describe('a short reply', () => {
  const LIST = 'There are two ways:\n\n1. Redis\n2. Postgres\n\nWhich one?'
  test.each([
    ['yes', 'I found the table.\n\nShall I drop it?', 'Shall I drop it?'],
    ['2', LIST, '2. Postgres / Which one?'],
    ['option 1, please', `${LIST}\n\nTell me.`, '1. Redis / Which one?'],
    ['B', '**A) Redis**\nfast\n\n**B) Postgres**\nknown\n\nWhich?', 'B) Postgres / Which?'],
    ['a new branch', LIST, '1. Redis / 2. Postgres / Which one?'],
    ['好的', '要继续吗？', '要继续吗？'],
    ['Postgres, because we have it anyway', LIST, 'Which one?'],
    ['yes', 'The table is dropped.', ''],
    [`Neither: ${'keep it as it is, '.repeat(4)}`, LIST, ''],
  ])('%j to %j is told with the question', (reply, text, asked) => {
    expect(digestOf(request(OTHER), says(text), request(reply)).requests.at(-1)?.answeredQuestion).toBe(asked)
  })

  test('is told with a list that stands behind the question', () => {
    const text = 'Which of them?\n\n- a queue\n- a table'
    const asked = digestOf(request(OTHER), says(text), request('queue')).requests.at(-1)?.answeredQuestion
    expect(asked?.split(' / ').sort()).toEqual(['- a queue', '- a table', 'Which of them?'])
  })

  test('is told behind the question, and with the request before it', () => {
    expect(told(request(OTHER), says(LIST), request('2')).split('\n')).toContain(
      `Newest: user: "${OTHER}" · then agent: "2. Postgres / Which one?" user: "2"`,
    )
  })

  test('answers nothing where the agent went on after its question', () => {
    const went = [says(LIST), calls('1', 'Read', { path: 'a.ts' }), returns('1')]
    expect(digestOf(request(OTHER), went, request('2')).requests.at(-1)?.answeredQuestion).toBe('')
  })
})

test('answers to several questions after a request are all told', () => {
  const answers = ['Redis', 'Yes', 'Yes', 'Node 20', 'No'].map((text, at) =>
    request(text, 'answer', `Question ${at}?`),
  )
  const lines = told(
    request(OTHER),
    request('Set up the cache for all of the pages, with a time limit.'),
    answers,
  )
  for (const [at, text] of ['Redis', 'Yes', 'Yes', 'Node 20', 'No'].entries())
    expect(lines).toContain(`agent: "Question ${at}?" user: "${text}"`)
})

describe('what was said in another way than by a prompt', () => {
  const text = 'Also rename the export to invoices, please, in all of the files.'
  const added = queue('added', text)
  test.each([
    ['waits', [added], [], 1],
    ['was read by the agent', [added, queue('used')], [text], 0],
    ['is sent', [added, queue('sent'), request(text)], [text], 0],
    ['was told by an attachment, too', [added, queue('used'), request(text, 'queued')], [text], 0],
    ['was withdrawn', [added, queue('withdrawn')], [], 0],
    ['was read behind what the client queued for itself', [queue('added'), added, queue('used')], [text], 0],
    ['was read, as a later prompt says', [added, says('Done.'), request(OTHER)], [text, OTHER], 0],
  ])('a queued prompt that %s is told as that', (_, entries, said, waits) => {
    const digest = digestOf(request(OTHER), entries)
    expect(digest.requests.slice(1).map((one) => one.text)).toEqual(said)
    const line = `Queued, not read by the agent: user: "${text}"`
    expect(toldOf(digest).filter((one) => one === line)).toHaveLength(waits)
  })

  test.each([
    ['was sent, and never came', [added, queue('sent')]],
    ['waited in a turn that is over', [added, says('Done.')]],
  ])('a queued prompt that %s is told as said', (_, entries) => {
    const lines = told(request(OTHER), entries)
    expect(lines).toContain(`user: "${text}"`)
    expect(lines).not.toContain('not read')
  })

  test('a reply that was queued answers what had been asked by then', () => {
    const digest = digestOf(
      ...[request(OTHER), says('Shall I drop the table?'), queue('added', 'yes'), says('Or the index?')],
      ...[queue('sent'), request('yes')],
    )
    expect(digest.requests.at(-1)).toMatchObject({ text: 'yes', answeredQuestion: 'Shall I drop the table?' })
  })

  test('what the user says after a refusal without words is why', () => {
    const refused = [calls('1', 'Bash', { command: 'pip install x' }), returns('1', '', { refused: true })]
    expect(told(request(OTHER), refused, { kind: 'interrupt' }, request('use uv for packages'))).toContain(
      'user (refusing Bash pip install x): "use uv for packages"',
    )
  })

  test('a refusal is told with what was refused', () => {
    const refused = [
      calls('1', 'Bash', { command: 'rm -rf dist' }),
      returns('1', '', { failed: true, refused: true }),
    ]
    expect(
      told(request(OTHER), refused, request('Only the cache, and never the whole folder.', 'refusal', '1')),
    ).toContain('user (refusing Bash rm -rf dist): "Only the cache, and never the whole folder."')
  })

  test('a refused plan is told with the words that refused it', () => {
    const shown = { kind: 'plan', text: '# Plan: Big', verdict: 'shown', path: '' } as const
    const no = request('Smaller steps, and leave the API alone.', 'refusal', '1')
    expect(told(request(OTHER), shown, { ...shown, text: '', verdict: 'refused' }, no)).toContain(
      'user (refusing the plan): "Smaller steps, and leave the API alone."',
    )
  })

  test('an answer is told with its question, and the question is not open any more', () => {
    const answered = [
      asks('Which database?', 'Postgres', 'SQLite'),
      request('SQLite', 'answer', 'Which database?'),
    ]
    const lines = told(request(OTHER), answered)
    expect(lines).toContain('agent: "Which database?" user: "SQLite"')
    expect(lines).not.toContain('Open question')
  })

  test('a slash command is told by its name and the words behind it', () => {
    expect(told(request('v2.1 to staging', 'command', 'ship'))).toContain(
      'Newest: user: /ship v2.1 to staging',
    )
  })
})
