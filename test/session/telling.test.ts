import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ingestSessions } from '../../src/engine/sessions/ingest-sessions.ts'
import { readState } from '../../src/engine/surroundings/read-state.ts'
import { withdrawTrust } from '../../src/engine/trust/give-trust.ts'
import { DIGEST_LIMIT } from '../../src/policy/digest/state.ts'
import { boundary, refusal, slash, user } from '../agents/transcript-rows.ts'
import { HOUR, idOf, keyOf, Lab } from './lab.ts'

const [A, B, C, D] = [idOf('a'), idOf('b'), idOf('c'), idOf('d')]

async function trusted(): Promise<Lab> {
  const lab = new Lab()
  await lab.trust()
  return lab
}

/** A session that did something: a file was changed, and its user said what for. */
async function worked(lab: Lab, id: string, wish: string, answer = 'It works.'): Promise<void> {
  await lab.start(id)
  lab.prompt(id, wish)
  lab.tool(id, 'Write', { file_path: lab.box.path(`src/${id.slice(0, 1)}.ts`), content: 'x' }, {})
  lab.says(id, answer)
  lab.end(id)
  lab.wait(HOUR)
}

describe('of several sessions', () => {
  test('a question and its answer do not hide the work before them, and are told in a line', async () => {
    const lab = await trusted()
    await worked(lab, A, 'Move the login to tokens, please.', 'The login form works.')
    await lab.start(B)
    lab.prompt(B, 'Which port does the server use?')
    lab.says(B, 'It uses port 8080.')
    lab.end(B)
    lab.wait(HOUR)
    const told = await lab.start(C)
    expect(told).toMatch(/^<savepoint> Session a0000000 ended 2 hours ago/)
    expect(told).toContain(
      '- Newest: user: "Move the login to tokens, please." → agent: "The login form works."',
    )
    expect(told).toContain('- Later, 1 hour ago: user: "Which port does the server use?"')
    expect(told).not.toContain('8080')
    expect(told).toContain('More: savepoint sessions show a0000000')
  })

  test('nor do eight of them', async () => {
    const lab = await trusted()
    await worked(lab, A, 'Move the login to tokens, please.')
    for (const letter of 'bcdef789') {
      const id = idOf(letter)
      await lab.start(id)
      lab.prompt(id, 'Which port does the server use?')
      lab.says(id, 'It uses port 8080.')
      lab.end(id)
      lab.wait(HOUR)
    }
    expect(await lab.start(idOf('0'))).toContain('- Newest: user: "Move the login to tokens, please."')
  })

  test('a question and its answer are told where there is nothing else', async () => {
    const lab = await trusted()
    await lab.start(A)
    lab.prompt(A, 'Which port does the server use?')
    lab.says(A, 'It uses port 8080.')
    lab.end(A)
    expect(await lab.start(B)).toContain(
      '- Newest: user: "Which port does the server use?" → agent: "It uses port 8080."',
    )
  })

  test('those before shrink to a line each, and words that hold for good stay quoted in any language', async () => {
    const lab = await trusted()
    const lasting = [
      'Never touch vendored files.',
      'Bitte niemals direkt auf main pushen.',
      '必ずテストを先に書いてください。',
    ]
    const answers = ['The parser is done.', 'The lexer is done.', 'The printer is done.']
    for (const [at, id] of [A, B, C].entries()) {
      await lab.start(id)
      lab.prompt(id, `Write part ${at + 1} of the compiler, please.`)
      lab.tool(id, 'Write', { file_path: lab.box.path(`src/part${at}.ts`), content: 'x' }, {})
      lab.says(id, answers[at] ?? '')
      lab.prompt(id, lasting[at] ?? '')
      lab.says(id, 'Understood.')
      lab.prompt(id, `Now the tests of part ${at + 1}, with all its edge cases.`)
      lab.says(id, 'They pass.')
      lab.end(id)
      lab.wait(HOUR)
    }
    await worked(lab, D, 'Make the compiler faster, please.')
    const told = (await lab.start(idOf('e'))) ?? ''
    expect(told).toContain('- Newest: user: "Make the compiler faster, please."')
    for (const words of lasting) expect(told).toContain(`user: "${words}"`)
    const before = told.split('\n').filter((line) => line.startsWith('- Earlier, '))
    expect(before).toHaveLength(3)
    expect(before[0]).toBe(
      '- Earlier, 2 hours ago: user: "Write part 3 of the compiler, please." … user: "Now the tests of part 3, with all its edge cases."; 1 edit',
    )
    for (const words of [...answers, 'Understood.', 'They pass.']) expect(told).not.toContain(words)
  })

  test('words that hold for good are told also of a session in which nothing else was said', async () => {
    const lab = await trusted()
    await lab.start(A)
    lab.prompt(A, 'From now on never touch vendored files.')
    lab.says(A, 'Understood.')
    lab.end(A)
    lab.wait(HOUR)
    await worked(lab, B, 'Make the compiler faster, please.')
    expect(await lab.start(C)).toContain('user: "From now on never touch vendored files."')
  })
})

test('much that is open takes room, and leaves the newest request some', async () => {
  const lab = await trusted()
  await lab.start(A)
  lab.prompt(A, 'Move the login to tokens, please.')
  const several = (count: number, words: string) =>
    Array.from({ length: count }, (_, at) => `${at}: ${`${words}, `.repeat(4)}and so on`)
  lab.tasks(
    A,
    Object.fromEntries(
      several(40, 'look at each place that reads the cookie').map((one) => [one, 'pending']),
    ),
  )
  for (const words of several(16, 'review each place that reads the cookie'))
    lab.tool(
      A,
      'Task',
      { description: words, prompt: words, subagent_type: 'reviewer', run_in_background: true },
      { content: 'Async agent launched successfully.' },
    )
  for (const words of several(16, 'the cookie is gone'))
    lab.tool(
      A,
      'Bash',
      { command: `npm run test:${words.split(':')[0]}` },
      { content: `✖ ${words}`, failed: true },
    )
  lab.asks(A, `Which one first? ${several(2, 'the cookie is read in many places')}`, several(8, 'this one'))
  lab.wait(2 * HOUR)
  expect(await lab.start(B)).toContain('user: "Move the login to tokens, please."')
})

describe('in a workspace that nobody trusts', () => {
  /** Everything here that no user typed has the word SPOKEN in it. */
  async function spoken(lab: Lab, id: string): Promise<void> {
    await lab.start(id)
    lab.prompt(id, `Typed by the user in ${id.slice(0, 1)}: move the login.`)
    lab.says(id, 'SPOKEN answer of the agent. Shall I go on with SPOKEN things?')
    lab.prompt(id, 'Yes')
    lab.plans(id, '# SPOKEN plan\n\nSPOKEN opening.\n\n## SPOKEN heading of it')
    lab.tool(id, 'Write', { file_path: lab.box.path(`src/SPOKEN-${id.slice(0, 1)}.ts`), content: 'x' }, {})
    lab.tool(
      id,
      'Bash',
      { command: 'npm test SPOKEN' },
      { content: 'Exit code 1\n✖ SPOKEN test', failed: true },
    )
    lab.tool(id, 'Bash', { command: 'git commit -m x' }, { content: '[main 1c77b2c] SPOKEN subject' })
    lab.tool(
      id,
      'Bash',
      { command: 'rm -rf SPOKEN' },
      {
        ...{ content: refusal('Typed with a refusal: keep it.'), failed: true },
        says: { toolUseResult: 'User rejected tool use' },
      },
    )
    // A tool's own error may look like one.
    lab.tool(id, 'mcp__x__y', {}, { content: refusal('SPOKEN by a tool'), failed: true })
    lab.write(id, (_, rest) => ({
      ...rest,
      type: 'queue-operation',
      operation: 'enqueue',
      content: 'SPOKEN queue',
    }))
    lab.write(id, (_, rest) => ({ ...rest, type: 'queue-operation', operation: 'remove' }))
    lab.prompt(id, 'Implement the following plan:\n\n# SPOKEN plan\n\nSPOKEN')
    lab.write(id, (number, rest) => user(number, slash('deploy', 'typed behind a command'), rest))
    lab.write(id, (number, rest) =>
      user(number, '# SPOKEN\n\n1. SPOKEN step\n2. Another SPOKEN step', { ...rest, isMeta: true }),
    )
    lab.write(id, (number, rest) => ({ ...boundary(number, { trigger: 'auto' }), ...rest }))
    lab.write(id, (number, rest) =>
      user(
        number,
        'This session is being continued from a previous conversation.\n\n1. Primary Request: SPOKEN summary',
        {
          ...{ ...rest, isCompactSummary: true, isVisibleInTranscriptOnly: true },
        },
      ),
    )
    lab.says(id, `SPOKEN ${'words at the end '.repeat(30)}`)
    lab.asks(id, 'Which SPOKEN key?', ['SPOKEN option', 'Another SPOKEN option'], 'SPOKEN option')
    lab.tasks(id, { 'SPOKEN task that is done': 'completed', 'SPOKEN task that is open': 'pending' })
    lab.tool(id, 'Task', { description: 'SPOKEN helper', prompt: 'SPOKEN orders', subagent_type: 'SPOKEN' })
    lab.tool(id, 'Bash', { command: 'sleep 1 # SPOKEN' })
    lab.hear(id, 'Stop', { last_assistant_message: 'SPOKEN at the stop' })
    lab.wait(2 * HOUR)
  }

  test.each(['startup', 'clear', 'resume'])(
    'only what the user typed is told after %s, and counts',
    async (source) => {
      const lab = new Lab()
      await spoken(lab, A)
      const told = await lab.start(B, source)
      for (const words of [
        'Typed by the user in a',
        'Typed with a refusal',
        'typed behind a command',
        '1 file was changed',
      ])
        expect(told).toContain(words)
      expect(told).not.toContain('SPOKEN')
    },
  )

  test('nor is anything else told of the sessions before the last one', async () => {
    const lab = new Lab()
    await spoken(lab, A)
    await spoken(lab, B)
    const told = await lab.start(C)
    for (const id of ['a', 'b']) expect(told).toContain(`Typed by the user in ${id}`)
    expect(told).not.toContain('SPOKEN')
  })

  /** Who saves beside a stranger's notes is not taken to trust them. */
  function besideNotes(): Lab {
    const lab = new Lab()
    mkdirSync(lab.box.path('.claude/checkpoints'), { recursive: true })
    writeFileSync(lab.box.path('.claude/checkpoints/theirs.md'), 'SPOKEN')
    return lab
  }

  test('nor beside what somebody saved', async () => {
    const lab = besideNotes()
    await spoken(lab, A)
    await lab.save(null, { text: 'Login', decision: ['JWT over cookies because of phones'], stream: 'auth' })
    await spoken(lab, B)
    const told = await lab.start(C)
    expect(told).toContain('JWT over cookies (why: phones)')
    expect(told).toContain('Typed by the user in b')
    expect(told).not.toContain('SPOKEN')
  })

  test('what somebody saved is told, whatever reason was given for the save', async () => {
    const lab = besideNotes()
    await spoken(lab, A)
    await lab.save(A, {
      text: 'Login',
      decision: ['JWT over cookies because of phones'],
      trigger: 'session-end',
    })
    lab.wait(2 * HOUR)
    const told = await lab.start(B)
    expect(told).toContain('JWT over cookies (why: phones)')
    expect(told).not.toContain('SPOKEN')
  })

  test('nor is what was saved of a session while it was trusted', async () => {
    const lab = await trusted()
    await spoken(lab, A)
    await lab.within((context) => ingestSessions(context, 'talk'))
    await lab.within(withdrawTrust)
    const told = await lab.start(B)
    expect(told).toContain('Typed by the user in a')
    expect(told).not.toContain('SPOKEN')
  })

  test('where it is trusted, all of that is told', async () => {
    const lab = await trusted()
    await spoken(lab, A)
    const told = await lab.start(B)
    for (const words of [
      'SPOKEN option',
      'SPOKEN plan',
      'SPOKEN task that is open',
      'SPOKEN-a.ts',
      'SPOKEN subject',
      'SPOKEN test',
      'SPOKEN step',
    ])
      expect(told).toContain(words)
  })
})

test('an archived session still tells what it came to', async () => {
  const lab = await trusted()
  await worked(lab, A, 'Move the login to tokens, please.', 'The login form works.')
  await lab.within((context) => ingestSessions(context, 'talk'))
  lab.wait(80 * HOUR)
  await lab.follow()
  expect((await lab.row(A)).phase).toBe('archived')
  // What its client wrote may be gone by then.
  rmSync(lab.pathOf(A))
  const told = await lab.start(B)
  expect(told).toMatch(/^<savepoint> Session a0000000 ended 3 days ago/)
  expect(told).toContain(
    '- Newest: user: "Move the login to tokens, please." → agent: "The login form works."',
  )
})

test('a session that is archived before anybody read it tells what it came to', async () => {
  const lab = await trusted()
  await worked(lab, A, 'Move the login to tokens, please.', 'The login form works.')
  lab.wait(80 * HOUR)
  expect(await lab.start(B)).toContain('user: "Move the login to tokens, please."')
})

describe('the digest in the store', () => {
  const digestOf = async (lab: Lab, id = A) => {
    const text = await lab.within(({ store }) => store.log.readReading(keyOf(id)))
    const state = readState(text)
    if (text === null || state === null) throw new Error('nothing is kept')
    return { text, bytes: Buffer.byteLength(JSON.stringify(state.digest)), digest: state.digest }
  }

  test('holds no secret, wherever one was said', async () => {
    const lab = await trusted()
    const secret = `ghp_${'Zq7'.repeat(12)}`
    await lab.start(A)
    lab.prompt(A, `Use ${secret} for the login, please.`)
    lab.prompt(A, `${'A long story. '.repeat(400)}${secret}`)
    const key = `-----BEGIN PRIVATE KEY-----\n${`${'Zq7'.repeat(21)}\n`.repeat(25)}-----END PRIVATE KEY-----`
    // It stands where the text is cut.
    lab.prompt(A, `${'A long story. '.repeat(120)}\n${key}\n${'More of it. '.repeat(200)}`)
    lab.asks(A, `Is ${secret} right?`, [secret, 'no'], secret)
    lab.plans(A, `# Use ${secret}\n\n## With ${secret}`)
    lab.tasks(A, { [`Store ${secret}`]: 'pending' })
    lab.tool(A, 'Write', { file_path: lab.box.path(`src/${secret}.ts`), content: 'x' }, {})
    lab.tool(A, 'Bash', { command: `TOKEN=${secret} npm test` }, { content: `✖ ${secret}`, failed: true })
    lab.tool(A, 'Bash', { command: `git commit -m ${secret}` }, { content: `[main 1c77b2c] ${secret}` })
    lab.tool(A, 'Task', { description: secret, prompt: `Use ${secret}`, subagent_type: 'reviewer' })
    lab.says(A, `It is ${secret}, and it works.`)
    lab.hear(A, 'UserPromptSubmit', { prompt: `Once more: ${secret}` })
    lab.wait(2 * HOUR)
    const told = await lab.start(B)
    expect(told).toMatch(/\[redacted:github-token:[0-9a-f]{8}\]/)
    expect(told).not.toContain('Zq7Zq7')
    const { text } = await digestOf(lab)
    expect(text).toMatch(/\[redacted:github-token:[0-9a-f]{8}\]/)
    expect(text).not.toContain('Zq7Zq7')
  })

  test('holds no half of a secret either, where a long text was cut', async () => {
    const lab = await trusted()
    const secret = `ghp_${'Zq7'.repeat(12)}`
    const cutAt = (most: number) => `${'ab '.repeat(most).slice(0, most - 16)} ${secret}`
    await lab.start(A)
    lab.prompt(A, cutAt(20_000))
    lab.says(A, cutAt(20_000))
    lab.tool(A, 'Bash', { command: cutAt(1_000) })
    lab.tasks(A, { [cutAt(300)]: 'pending' })
    lab.asks(A, cutAt(1_000), [cutAt(300)])
    lab.wait(2 * HOUR)
    expect(await lab.start(B)).not.toContain('ghp_')
    expect((await digestOf(lab)).text).not.toContain('ghp_')
  })

  const wordsOf = (letters: string) => (length: number) => letters.repeat(length).slice(0, length)

  test.each(['x"\\', 'é', '日本語'])('is at most 64 KB, however much of %s was said', async (letters) => {
    const lab = await trusted()
    const words = wordsOf(letters)
    await lab.start(A)
    for (let turn = 0; turn < 100; turn += 1) {
      lab.prompt(A, `${turn} ${words(5_000)}`)
      lab.says(A, `${turn} ${words(6_000)}`)
    }
    lab.wait(2 * HOUR)
    expect(await lab.start(B)).toContain('Newest: user: "99 ')
    const { bytes, digest } = await digestOf(lab)
    expect(bytes).toBeLessThanOrEqual(DIGEST_LIMIT)
    expect(digest.requests[0]?.text).toContain('0 ')
    expect(digest.requests.at(-1)?.text).toContain('99 ')
  })

  test('is at most 64 KB, whatever else was done', async () => {
    const lab = await trusted()
    const words = wordsOf('日本語')
    const several = <T>(make: (at: number) => T) => Array.from({ length: 40 }, (_, at) => make(at))
    await lab.start(A)
    for (const at of several((one) => one)) {
      lab.prompt(A, `${at} ${words(5_000)}`)
      lab.says(A, `${at} ${words(6_000)}`)
      lab.tool(A, 'Edit', { file_path: `/${at}${words(290)}`, old_string: 'x', new_string: 'y' }, {})
      lab.tool(A, 'Bash', { command: 'git commit -m x' }, { content: `[main 1c77b2c] ${at} ${words(290)}` })
      lab.tool(A, 'Bash', { command: `npm run test:${at} "${words(900)}"`, run_in_background: true })
    }
    lab.plans(A, several((at) => `# ${at} ${words(150)}\n\n${words(400)}`).join('\n\n'))
    lab.tasks(A, Object.fromEntries(several((at) => [`${at} ${words(290)}`, 'pending'])))
    for (const content of several((at) => `${at} ${words(4_000)}`))
      lab.write(A, (_, rest) => ({ ...rest, type: 'queue-operation', operation: 'enqueue', content }))
    const options = several((at) => `${at} ${words(290)}`)
    lab.asks(A, words(900), options)
    lab.wait(2 * HOUR)
    await lab.start(B)
    expect((await digestOf(lab)).bytes).toBeLessThanOrEqual(DIGEST_LIMIT)
  })
})
