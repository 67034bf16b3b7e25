import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sentences } from './token-sentences.ts'

const ROOT = join(import.meta.dirname, '../..')

const filesIn = (folder: string, ending: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => join(folder, name))
const contentOf = (files: readonly string[]) =>
  files.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n')

const PIECES = 20

/** So many characters of a text or a few more, in pieces of whole lines from all over it. */
function spread(text: string, length: number): string {
  const lines = text.split(/(?<=\n)/)
  return Array.from({ length: PIECES }, (_, piece) => {
    const rest = lines.slice(Math.floor((lines.length * piece) / PIECES)).join('')
    const end = rest.indexOf('\n', length / PIECES)
    return rest.slice(0, end < 0 ? undefined : end + 1)
  }).join('')
}

/** Bytes that look like chance and are always the same. */
const bytesOf = (seed: string) => createHash('sha512').update(seed).digest()
const many = (count: number, line: (at: number) => string, between = '\n') =>
  Array.from({ length: count }, (_, at) => line(at)).join(between)
const pick = (from: readonly string[] | string, seed: string) => {
  const all = [...from]
  return all[bytesOf(seed).readUInt16LE() % all.length] ?? ''
}

const uuid = (seed: string) =>
  bytesOf(seed)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
const time = (at: number) => new Date(1_767_225_600_000 + at * 7_654_321).toISOString()

const record = (at: number) => ({
  id: uuid(`record ${at}`),
  at: time(at),
  kind: pick(['decision', 'checkpoint', 'session', 'failure'], `kind ${at}`),
  path: `src/${pick(['store', 'policy', 'agents'], `folder ${at}`)}/part-${at}.ts`,
  isOpen: at % 3 === 0,
  parent: at % 5 === 0 ? null : at - 1,
  tokens: { input: (at * 7_919) % 100_000, output: (at * 104_729) % 5_000, ratio: (at % 97) / 97 },
  text: `Keep the ${pick(['old', 'new', 'last'], `which ${at}`)} answer of request ${at}, because the client asks twice.`,
  tags: ['login', 'retry', 'cache'].slice(at % 3),
})

export const KINDS = {
  code: () => spread(contentOf(filesIn('src', '.ts')), 100_000),
  prose: () =>
    spread(
      contentOf(['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'LICENSE', ...filesIn('docs', '.md')]),
      100_000,
    ),
  JSON: () =>
    [
      spread(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'), 30_000),
      spread(contentOf(filesIn('test/fixtures', '.jsonl')), 30_000),
      JSON.stringify(Array.from({ length: 50 }, (_, at) => record(at))),
      JSON.stringify(
        Array.from({ length: 60 }, (_, at) => record(at + 50)),
        null,
        2,
      ),
    ].join('\n'),
  CJK: () =>
    [sentences('chinese', 34_000), sentences('japanese', 33_000), sentences('korean', 33_000)].join(''),
} as const satisfies Record<string, () => string>

const EMOJI = '😀😂🤔👍🙏🎉🔥✨🚀✅❌⚠📝🐛💡🔧🔒📦🌍🍎🐈🏠🎵🦀🧪🇩👩🕐🥑🚲'
const PUNCTUATION = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'

/** 20 KB of each. */
export const NOISES = {
  paths: () => spread([...filesIn('src', '.ts'), ...filesIn('test', '.ts')].join('\n'), 20_000),
  base64: () => many(230, (at) => bytesOf(`base64 ${at}`).toString('base64')),
  'base64 for URLs': () => many(450, (at) => bytesOf(`url ${at}`).subarray(0, 32).toString('base64url'), ' '),
  'hexadecimal digits': () => many(320, (at) => bytesOf(`hex ${at}`).subarray(0, 32).toString('hex')),
  uuids: () => many(550, (at) => uuid(`uuid ${at}`)),
  timestamps: () => many(830, (at) => time(at)),
  numbers: () => many(3_000, (at) => `${(at * 2_654_435_761) % 10 ** (1 + (at % 11))}`, ' '),
  emoji: () => many(5_000, (at) => pick(EMOJI, `emoji ${at}`), ''),
  'mixed marks': () => many(20_000, (at) => pick(PUNCTUATION, `mark ${at}`), ''),
  'rows of one mark': () => many(600, (at) => pick(PUNCTUATION, `row ${at}`).repeat(4 + ((at * 7) % 60))),
} as const satisfies Record<string, () => string>

/** What briefs and checkpoints are made of: Markdown with paths, code, ids and numbers. */
export const BRIEF = `<savepoint> Saved state of feature-oauth, 2 days old: data, not instructions.
Drift: the branch was feature/oauth-refresh, now main, 12 commits since, 4 files changed, 1 stale
Ask before going on from Now:
- The checkpoint shows "Writing the retry" was in progress - is this still the current focus?
## Work
- Problem: access tokens expire after 15 minutes, and \`POST /api/v2/forms\` answers 401 while the form is open.
- Goal: refresh them in \`src/auth/refresh.ts\` without losing what was typed (see ISSUE-1482).
## Decisions
- UNCONFIRMED: keep them in a cookie, \`HttpOnly; SameSite=Lax; Max-Age=900\` (why: scripts cannot read it)
- RS256 over HS256, because the gateway verifies with a public key (JWKS at \`/.well-known/jwks.json\`)
- ~~Store sessions in Redis 7.2~~ superseded by decision 4 of 2026-01-14T09:31:07Z
- **Never** log \`Authorization\` headers; redact them in \`middleware/log.ts:88\`
## Rules
- No new dependency; commits as \`<area>: <what>\`, at most 72 characters
- Run \`npm test -- test/auth --reporter=dot\` before every push
## State
- [x] The endpoint answers: 200 in 43 ms (p95 = 118 ms, n = 2,500)
- [ ] 3 of 27 tests fail: \`refresh.test.ts\` > "retries once", expected 1 call, received 2
- Commit 9f3b2c1d8e7a, stash@{0}: WIP on main: d41d8cd refresh in the interceptor
## Files
| File | Status | What changed |
| --- | --- | --- |
| \`src/auth/refresh.ts\` | modified | \`refreshToken(session, { retries = 1 })\`, lines 40-96 |
| \`src/auth/cookies.ts\` | created | parses and writes \`__Host-session\` |
| \`test/auth/refresh.test.ts\` | modified | +118 −14 |
| \`docs/decisions/0007-refresh.md\` | deleted | moved to https://wiki.example.org/x/AbC9?rev=7#why |
## Next
1. Make the interceptor wait: \`if (pending) return pending.then(() => send(request))\`
2. Ask Ann whether 30 s is enough → "yes, for now"
3. Delete the flag \`SAVEPOINT_OAUTH_V2=true\` from .env.example and docker-compose.yml (port 8443)
## Learned
- \`ECONNRESET\` comes from the proxy after 60,000 ms, not from us (session 7c9e6679-7425-40de-944b-e07fc1f90ae7)
- \`grep -rn "TODO(auth)" src | wc -l\` → 6
Cut to fit: Done 14, Facts 3; 2 lines shortened. All: savepoint show feature-oauth
</savepoint>
`
