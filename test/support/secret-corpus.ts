/**
 * Made-up secrets of many kinds, planted in the places where secrets are met, and ordinary sentences about passwords
 * and tokens. The same ones every time. Prefixes are put together at run time, so that no scanner takes this file for
 * a leak.
 */
interface Chance {
  below(most: number): number
  pick<T>(of: readonly T[]): T
  text(length: number, of?: string): string
}

/** The same numbers every time (mulberry32). */
export function chanceOf(seed: number): Chance {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (most: number) => Math.floor(next() * most)
  // `as`: the index is below the length.
  const pick = <T>(of: readonly T[]) => of[below(of.length)] as T
  const text = (length: number, of = BASE62) => Array.from({ length }, () => pick([...of])).join('')
  return { below, pick, text }
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const DIGITS = '0123456789'
const HEX = '0123456789abcdef'
const BASE36 = LOWER + DIGITS
const UPPER36 = BASE36.toUpperCase()
const BASE62 = LOWER + LOWER.toUpperCase() + DIGITS
const URL64 = `${BASE62}-_`
const glue = (...parts: string[]) => parts.join('')
const base64 = (text: string) => Buffer.from(text).toString('base64')
const random64 = (chance: Chance, bytes: number) =>
  Buffer.from(Array.from({ length: bytes }, () => chance.below(256))).toString('base64')
const uuid = ({ text }: Chance) => [8, 4, 4, 4, 12].map((length) => text(length, HEX)).join('-')

/** As people choose them: random, or two words with digits and a mark. */
const password = (chance: Chance) =>
  chance.pick([
    () => `${chance.text(14)}${chance.pick([...DIGITS])}`,
    () => `${chance.text(5)}${chance.pick([...'!#*?^~'])}${chance.text(4, DIGITS)}${chance.text(4)}`,
    () =>
      `${chance.pick(['Winter', 'Sommer', 'Dragon', 'Monkey', 'Berlin'])}${1_900 + chance.below(130)}${chance.pick(['!', '#', '*'])}`,
    () =>
      `${chance.pick(['tiger', 'coffee', 'purple', 'rocket'])}${10 + chance.below(9_000)}${chance.text(2, LOWER)}${chance.below(9)}`,
  ])()

interface Secret {
  /** The secret with what belongs to it: its name, its URL, its lines. */
  text: string
  /** What must not be left. */
  secret: string
  /** Only in places that leave lines as they are. */
  lines?: boolean
}
const bare = (secret: string): Secret => ({ text: secret, secret })
const put = (before: string, secret: string, after = ''): Secret => ({
  text: before + secret + after,
  secret,
})

const armour = (chance: Chance, name: string): Secret => {
  const body = Array.from({ length: 6 }, () => random64(chance, 48)).join('\n')
  return {
    text: glue('-----BEGIN ', name, '-----\n', body, '\n-----END ', name, '-----'),
    secret: body,
    lines: true,
  }
}

export const SECRET_KINDS: Readonly<Record<string, (chance: Chance) => Secret>> = {
  'AWS key id': (c) => bare(glue('AK', 'IA', c.text(16, UPPER36))),
  'AWS secret key': (c) =>
    put(
      c.pick(['aws_secret_access_key = ', 'AWS_SECRET_ACCESS_KEY=', 'secretAccessKey: ']),
      c.text(40, `${BASE62}/+`),
    ),
  'AWS session token': (c) => put('aws_session_token=', random64(c, 120)),
  'GitHub classic': (c) => bare(glue('gh', 'p_', c.text(36))),
  'GitHub fine-grained': (c) => bare(glue('github', '_pat_', c.text(22), '_', c.text(59))),
  'GitHub app': (c) => bare(glue('gh', c.pick(['s', 'u', 'o', 'r']), '_', c.text(36))),
  'GitLab personal': (c) => bare(glue('gl', 'pat-', c.text(20, URL64))),
  'GitLab runner': (c) => bare(glue('gl', 'rt-', c.text(20, URL64))),
  'Slack bot': (c) => bare(glue('xo', 'xb-', c.text(12, DIGITS), '-', c.text(12, DIGITS), '-', c.text(24))),
  'Slack app': (c) =>
    bare(glue('xa', 'pp-1-A', c.text(10, UPPER36), '-', c.text(13, DIGITS), '-', c.text(64, HEX))),
  'Slack webhook': (c) =>
    put('https://hooks.slack.com/services/', `T${c.text(8, UPPER36)}/B${c.text(10, UPPER36)}/${c.text(24)}`),
  'Discord webhook': (c) => put(`https://discord.com/api/webhooks/${c.text(18, DIGITS)}/`, c.text(68, URL64)),
  'Discord bot': (c) => put('DISCORD_TOKEN=', `M${c.text(25)}.${c.text(6)}.${c.text(38, URL64)}`),
  'Stripe live': (c) => bare(glue('sk', '_live_', c.text(24))),
  'Stripe webhook': (c) => bare(glue('wh', 'sec_', c.text(32))),
  'Twilio key': (c) => bare(glue('S', 'K', c.text(32, HEX))),
  'Twilio auth token': (c) => put('TWILIO_AUTH_TOKEN=', c.text(32, HEX)),
  SendGrid: (c) => bare(glue('S', 'G.', c.text(22, URL64), '.', c.text(43, URL64))),
  Mailgun: (c) => bare(glue('ke', 'y-', c.text(32, HEX))),
  npm: (c) => bare(glue('np', 'm_', c.text(36))),
  'npmrc authToken': (c) => put('//registry.npmjs.org/:_authToken=', uuid(c)),
  'npmrc auth': (c) => put('_auth=', base64(`deploy:${c.text(14)}`)),
  PyPI: (c) => bare(glue('py', 'pi-AgEIcHlwaS5vcmc', c.text(70, URL64))),
  RubyGems: (c) => bare(glue('ruby', 'gems_', c.text(48, HEX))),
  'crates.io': (c) => bare(glue('ci', 'o', c.text(32))),
  'Docker Hub': (c) => bare(glue('dckr', '_pat_', c.text(27, URL64))),
  'Azure storage': (c) =>
    put(
      'DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=',
      random64(c, 64),
      ';EndpointSuffix=core.windows.net',
    ),
  'Azure service bus': (c) =>
    put(
      'Endpoint=sb://shop.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=',
      random64(c, 32),
    ),
  'Azure client secret': (c) => bare(`${c.text(3)}8Q~${c.text(34)}`),
  'Azure SAS': (c) =>
    put(
      'https://shop.blob.core.windows.net/a?sv=2022-11-02&se=2026-01-01&sr=b&sig=',
      encodeURIComponent(random64(c, 32)),
    ),
  'Google API key': (c) => bare(glue('AI', 'za', c.text(35, URL64))),
  'Google OAuth secret': (c) => bare(glue('GOC', 'SPX-', c.text(28, URL64))),
  'Google access token': (c) => bare(glue('ya', '29.', c.text(60, URL64))),
  'Google service account': (c) => {
    const body = Array.from({ length: 4 }, () => random64(c, 48)).join('\\n')
    const head = glue('{"type": "service_account", "private_key": "-----BEGIN PRIVATE', ' KEY-----\\n')
    return { ...put(head, body, '\\n-----END PRIVATE KEY-----\\n"}'), lines: true }
  },
  OpenAI: (c) => bare(glue('sk', '-proj-', c.text(48, URL64))),
  'OpenAI legacy': (c) => bare(glue('sk', '-', c.text(20), 'T3BlbkFJ', c.text(20))),
  Anthropic: (c) => bare(glue('sk', '-ant-api03-', c.text(93, URL64), 'AA')),
  'Hugging Face': (c) => bare(glue('h', 'f_', c.text(34))),
  Vault: (c) => bare(glue('hv', 's.', c.text(24))),
  'Vault legacy': (c) => put('VAULT_TOKEN=', `s.${c.text(24)}`),
  Databricks: (c) => bare(glue('da', 'pi', c.text(32, HEX))),
  DigitalOcean: (c) => bare(glue('do', 'p_v1_', c.text(64, HEX))),
  Heroku: (c) => put('HEROKU_API_KEY=', uuid(c)),
  Shopify: (c) => bare(glue('shp', 'at_', c.text(32, HEX))),
  Square: (c) => bare(glue('sq0', 'atp-', c.text(22, URL64))),
  'Telegram bot': (c) => put(`${c.text(10, DIGITS)}:`, glue('A', 'A', c.text(33, URL64))),
  Cloudflare: (c) => put('CLOUDFLARE_API_TOKEN=', c.text(40, URL64)),
  Atlassian: (c) => bare(glue('ATA', 'TT3xFfGF0', c.text(170, URL64), '=', c.text(8, '0123456789ABCDEF'))),
  Linear: (c) => bare(glue('lin', '_api_', c.text(40))),
  Notion: (c) => bare(glue(c.pick(['sec' + 'ret_', 'nt' + 'n_']), c.text(43))),
  'Sentry DSN': (c) => put('https://', c.text(32, HEX), '@o12345.ingest.sentry.io/678'),
  'Sentry token': (c) => bare(glue('snt', 'ryu_', c.text(64, HEX))),
  'New Relic': (c) => bare(glue('NR', 'AK-', c.text(27, UPPER36))),
  'New Relic license': (c) => put('NEW_RELIC_LICENSE_KEY=', `${c.text(36, HEX)}NRAL`),
  'Datadog API key': (c) => put('DD_API_KEY=', c.text(32, HEX)),
  'Datadog app key': (c) => put('DD_APP_KEY: ', c.text(40, HEX)),
  'RSA key': (c) => armour(c, glue('RSA PRIVATE', ' KEY')),
  'EC key': (c) => armour(c, glue('EC PRIVATE', ' KEY')),
  'OpenSSH key': (c) => armour(c, glue('OPENSSH PRIVATE', ' KEY')),
  'PKCS8 key': (c) => armour(c, glue('PRIVATE', ' KEY')),
  'PGP key': (c) => armour(c, glue('PGP PRIVATE', ' KEY BLOCK')),
  'age key': (c) => bare(glue('AGE-SECRET', '-KEY-1', c.text(58, UPPER36))),
  JWT: (c) =>
    bare(
      [base64('{"alg":"HS256"}'), base64(`{"sub":"${c.text(12)}"}`), c.text(43, URL64)]
        .join('.')
        .replace(/=/g, ''),
    ),
  Postgres: (c) => put('postgres://shop:', c.text(16), '@db.internal:5432/shop'),
  MySQL: (c) => put('mysql://root:', password(c).replace(/[#?/@]/g, '!'), '@10.0.0.7/shop'),
  Redis: (c) => put('redis://:', c.text(20), '@cache:6379/0'),
  MongoDB: (c) => put('mongodb+srv://shop:', c.text(12), '@cluster0.ab1cd.mongodb.net/shop'),
  AMQP: (c) => put('amqps://worker:', c.text(18), '@queue/vhost'),
  'HTTPS basic URL': (c) => put('https://deploy:', c.text(24), '@git.example.org/shop.git'),
  Bearer: (c) => put('Authorization: Bearer ', c.text(40, URL64)),
  'Basic auth': (c) => put('Authorization: Basic ', base64(`deploy:${c.text(14)}`)),
  PGPASSWORD: (c) => put('PGPASSWORD=', password(c)),
  MYSQL_PWD: (c) => put('MYSQL_PWD=', password(c)),
  'option password': (c) => put(c.pick(['psql --password ', 'tool --db-password=']), password(c)),
  'curl user': (c) => put('curl -u deploy:', password(c)),
  netrc: (c) => put('machine git.example.org login deploy password ', password(c)),
  pgpass: (c) => put('db.internal:5432:shop:deploy:', password(c)),
  'quoted password': (c) => put(c.pick(['password: "', 'password = "', 'db_password="']), password(c), '"'),
  'JSON password': (c) => put('{"user":"deploy","password":"', password(c), '"}'),
  'plain password': (c) => put(c.pick(['password: ', 'password=', 'DB_PASSWORD=']), password(c)),
  'secret key': (c) => put(c.pick(['secret_key=', 'SECRET_KEY_BASE=', 'client_secret: ']), c.text(40)),
  'API key': (c) => put(c.pick(['api_key: ', 'X-Api-Key: ', 'apiKey=']), c.text(32)),
  'hex key': (c) => put(c.pick(['ENCRYPTION_KEY=', 'signing_key: ', 'hmac_key = ']), c.text(64, HEX)),
  'session cookie': (c) =>
    put(c.pick(['Cookie: sessionid=', 'Set-Cookie: session=', 'connect.sid=']), c.text(32)),
  'access token': (c) => put(c.pick(['access_token=', 'refreshToken: ', 'auth_token: ']), c.text(36, URL64)),
}

const json = (text: string) => JSON.stringify(text)
const xml = (text: string) =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;').replace(/'/g, '&apos;')
const eachLine = (text: string, before: string) => text.replace(/^/gm, before)
/** Something put into the middle of the secret. */
const inside = ({ text, secret }: Secret, what: string) => {
  const middle = secret.indexOf('\n') > 0 ? 20 : secret.length >> 1
  return text.replace(secret, () => secret.slice(0, middle) + what + secret.slice(middle))
}

type Plant = (planted: Secret, chance: Chance) => string
export const SECRET_PLACES: Readonly<Record<string, Plant>> = {
  'flag value': ({ text }) => `savepoint save --now "uses ${text} for now"`,
  stdin: ({ text }) => `${text}\n`,
  'tool argument': ({ text }) => JSON.stringify({ name: 'Bash', input: { command: text } }),
  'transcript line': ({ text }) => JSON.stringify({ type: 'user', message: { content: [{ text }] } }),
  'shell command': ({ text }) => `$ run-it ${text} && echo done`,
  export: ({ text }) => `export SETTING='${text}'`,
  'file name': ({ text }) => `cp "/srv/backup/${text}" /tmp/x`,
  'commit message': ({ text }) => `fix(ci): take ${text} out of the workflow`,
  JSON: ({ text }) => JSON.stringify({ note: text }),
  'JSON-escaped twice': ({ text }) => json(json(text)),
  'URL-encoded': ({ text }) => `https://log.test/?q=${encodeURIComponent(text)}&page=2`,
  YAML: ({ text }) => `note: |\n${eachLine(text, '  ')}\nnext: 1`,
  TOML: ({ text }) => `note = """\n${text}\n"""`,
  '.env': ({ text }) => `A=1\n${text.includes('\n') ? `NOTE="${text}"` : text}\nB=2`,
  XML: ({ text }) => `<note id="1">${xml(text)}</note>`,
  'code span': ({ text }) => `Set \`${text}\` before the start.`,
  'table cell': ({ text }) => `| name | value |\n| --- | --- |\n| it | ${text} | yes |`,
  'coloured whole': ({ text }) => `\u001b[31m${text}\u001b[0m ok`,
  'coloured inside': (planted) => `x ${inside(planted, '\u001b[1;32m')}\u001b[0m ok`,
  'zero-width inside': (planted) => `x ${inside(planted, '\u200b')} ok`,
  'wrapped line': (planted) => `x ${inside(planted, '\\\n')} ok`,
  'chunk border': ({ text }, chance) =>
    `${'lorem ipsum '.repeat(5_461)}${'x'.repeat(chance.below(40))} ${text} ${'dolor sit '.repeat(100)}`,
  'Unicode quotes': ({ text }) => `He wrote “${text}” in the chat.`,
  'stack trace': ({ text }) => `Error: rejected ${text}\n    at connect (/srv/app/db.js:12:7)`,
  'diff line': ({ text }) => `@@ -1 +1 @@\n${eachLine(text, '+')}\n-old`,
  'log line': ({ text }) => `2026-01-02T03:04:05.678Z INFO [worker-3] ${text} status=200`,
  'quoted mail': ({ text }) => `${eachLine(text, '> ')}\n\nThanks!`,
  base64: ({ text }) => `payload ${base64(text)} end`,
  list: ({ text }) => `- first\n- ${text}\n- third`,
  parentheses: ({ text }) => `as before (${text}) and so on`,
  'JSON-escaped colour': ({ text }) => json(`\u001b[33m${text}\u001b[0m`),
  'Windows lines': ({ text }) => `a\r\n${text.replace(/\n/g, '\r\n')}\r\nb`,
}

export interface PlantedSecret {
  kind: string
  place: string
  text: string
  secret: string
}

/** Every kind in every place, as often as asked. */
export function plantSecrets(rounds = 1, seed = 15): PlantedSecret[] {
  const chance = chanceOf(seed)
  const planted: PlantedSecret[] = []
  for (let round = 0; round < rounds; round += 1)
    for (const [kind, make] of Object.entries(SECRET_KINDS))
      for (const [place, plant] of Object.entries(SECRET_PLACES)) {
        const made = make(chance)
        planted.push({ kind, place, text: plant(made, chance), secret: made.secret })
      }
  return planted
}

const ESC = '\u001b'
const seen = (text: string) =>
  text
    .replace(new RegExp(`(?:${ESC}|\\\\+u001b)\\[[\\d;]*m|\\u200b|\\\\\\n`, 'g'), '')
    .replace(/\\+[nr]/g, '\n')
    .replace(/\\+(["'/])/g, '$1')
const decoded = (text: string) => text.replace(/%[0-9A-F]{2}/gi, (one) => decodeURIComponent(one))

/** Whether a secret, or ten characters in a row of it, can still be read in a text. */
export function isReadable(text: string, secret: string): boolean {
  const lines = secret.split(/\n|\\n/)
  const forms = [text, seen(text)].flatMap((one) => [one, decoded(one)])
  const encoded = (text.match(/[A-Za-z0-9+/]{16,}={0,2}/g) ?? []).map((one) =>
    Buffer.from(one, 'base64').toString('latin1'),
  )
  return lines.some((line) => {
    const length = Math.min(10, line.length)
    const pieces = Array.from({ length: line.length - length + 1 }, (_, at) => line.slice(at, at + length))
    return pieces.some((piece) => [...forms, ...encoded].some((form) => form.includes(piece)))
  })
}

const WORDS = {
  who: [
    'The user',
    'Anna',
    'Our client',
    'The reviewer',
    'A tester',
    'The service',
    'Nobody',
    'The old worker',
  ],
  what: [
    'login',
    'checkout',
    'the import',
    'billing',
    'the upload',
    'search',
    'the mobile app',
    'the cron job',
  ],
  time: ['15 minutes', '24 hours', '3600 seconds', '90 days', 'one week', '30s', '2 h', 'a year'],
  how: [
    'argon2id',
    'bcrypt',
    'scrypt',
    'PBKDF2',
    'SHA-256',
    'HS256',
    'Ed25519',
    'OAuth2',
    'AES-256-GCM',
    'base64url',
  ],
  where: [
    'Repo Settings',
    'the vault',
    'GitHub Actions',
    'Kubernetes',
    '1Password',
    'the .env file',
    'S3',
    'AWS Secrets Manager',
  ],
  name: [
    'accessToken',
    'refresh_token',
    'apiKeyProvider',
    'DB_PASSWORD',
    'session-token',
    'tokenStore2',
    'SECRET_NAME',
    'csrfToken',
  ],
  number: ['8', '12', '64', '128', '2048', '15000'],
  why: [
    'because OWASP says so',
    'since version 2.4.1',
    'after the audit of 2024-03-01',
    'as RFC 6750 asks',
    'until issue #482 is closed',
  ],
} as const

const SENTENCES = [
  'Password: {how} {why}',
  'Password: {how}',
  'password: at least {number} characters, {why}',
  'secret: {where}',
  'Secrets: {where}, not the code {why}.',
  'The token expires after {time}.',
  'Token: expires in {time}, then {who} logs in again',
  'token = opaque string of {number} bytes, kept in {where}',
  'API key: rotated every {time} {why}',
  'We keep the API key in {where}, {why}.',
  '{who} forgot the password for {what} {why}.',
  'Use --password to set one, or --token for {what}.',
  'We do not pass --password anymore {why}.',
  'Pass the token with --token instead of {name}.',
  'password={name} in the test of {what}',
  'The secret is stored in {where} {why}.',
  'The password is hashed with {how} {why}.',
  'Bearer authentication for {what} comes later, Basic authentication goes {why}.',
  'auth: {how} for {what}, {how} for the rest',
  'Decision: tokens over cookies for {what}; token lifetime: {time}',
  'The private key: {number} bits, made with {how}, lives in {where}',
  'key: {name}, value: up to {number} bytes',
  'Session tokens are {number} bits long and signed with {how}.',
  'passphrase: four words or more, says {who}',
  'Rename {name} to authToken: {who} reads it in {what}.',
  'Authorization: Bearer <token>, see {where}',
  'Set PASSWORD=<yours> and TOKEN=$TOKEN before {what}.',
  'credentials: none needed for {what} {why}',
  'Access key: handed out by {who}, valid for {time}',
  '{name}: string // set by {what}',
  'const {name} = await readToken(config.{name})',
  'The commit 3f2a9c0d1e4b5a6978876554433221100ffeedda broke {what}; token count: {number}.',
  'See https://example.com/docs/token?lang=en#password for {what} {why}.',
  'Token budget: {number}k of 200k used, {who} stops at 85%.',
  'Wrong password {number} times locks {what} for {time}.',
  'secret_name: {name}, secret_version: v{number}',
] as const

/** Ordinary sentences, in which nothing is secret. */
export function ordinarySentences(count = 2_000, seed = 99): string[] {
  const { pick } = chanceOf(seed)
  // `as`: the templates name only these keys.
  const fill = (text: string) =>
    text.replace(/\{(\w+)\}/g, (_, key: string) => pick(WORDS[key as keyof typeof WORDS]))
  return Array.from({ length: count }, (_, at) => fill(SENTENCES[at % SENTENCES.length] as string))
}
