import { ASSIGNED_AT, findAssigned, looksRandom, type Span } from './assigned.ts'

/** What is looked for at a place where the beginning of a secret, or of what leads to it, stands. */
export interface SecretRule {
  kind: string
  /** The beginnings, in any case, of at least three characters: the pattern is tried where one of them stands. */
  at: readonly string[]
  /** From one place it reads a bounded number of characters before it finds nothing. */
  find(text: string, at: number): Span | null
}

/** A token begins where no word goes on; the letter of an escape (`\n`, `%3D`, the `m` of a colour) is no word. */
const START = String.raw`(?<=^|[^A-Za-z0-9]|\\[nrt]|%[0-9A-Fa-f]{2}|\[[0-9;]{0,9}m)`
/** The same, where what follows is read on before it is refused: no second one begins in the same run of characters. */
const ALONE = START.replace('[^A-Za-z0-9]', '[^A-Za-z0-9_-]')
const SLASH = String.raw`(?:\\{0,8}\/|%(?:25)?2F)`
const COLON = '(?::|%(?:25)?3A)'
const BLANK = String.raw`(?:[\s+]|%(?:25)?20|\\{1,4}[nt\n])`

/**
 * A pattern as a rule, tried at one place. Its first group is the value, at the end of the match; without a group all
 * of it is. `takes` says how much of the value is one, from its beginning: empty where it is none.
 */
const rule = (
  kind: string,
  at: readonly string[],
  source: string,
  takes: (value: string, match: RegExpExecArray) => string = (value) => value,
  flags = '',
): SecretRule => {
  // Made where its beginning is met: every hook would pay for all of them.
  let pattern: RegExp | null = null
  const find = (text: string, from: number): Span | null => {
    pattern ??= new RegExp(source, `y${flags}`)
    pattern.lastIndex = from
    const match = pattern.exec(text)
    if (match === null) return null
    const value = match.at(-1) ?? match[0]
    const start = pattern.lastIndex - value.length
    const taken = takes(value, match)
    return taken === '' ? null : { start, end: start + taken.length }
  }
  return { kind, at, find }
}

/** Tokens that are known by how they begin: kind, beginnings, what follows them. */
const TOKENS: ReadonlyArray<readonly [kind: string, at: string, body: string]> = [
  ['anthropic-key', 'sk-ant-', '[A-Za-z0-9_-]{16,}'],
  ['openai-key', 'sk-proj- sk-svcacct- sk-admin- sk-or-', '[A-Za-z0-9_-]{20,}'],
  ['github-token', 'ghp_ gho_ ghu_ ghs_ ghr_', '[A-Za-z0-9]{20,}'],
  ['github-token', 'github_pat_', '[A-Za-z0-9_]{20,}'],
  [
    'gitlab-token',
    'glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- glsoat- gloas-',
    '[A-Za-z0-9_-]{16,}',
  ],
  ['slack-token', 'xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-', '[A-Za-z0-9-]{10,}'],
  ['stripe-key', 'sk_live_ sk_test_ rk_live_ rk_test_ whsec_', '[A-Za-z0-9+/]{16,}'],
  [
    'twilio-key',
    'SK0 SK1 SK2 SK3 SK4 SK5 SK6 SK7 SK8 SK9 SKa SKb SKc SKd SKe SKf',
    '[0-9a-f]{31}(?![0-9A-Za-z])',
  ],
  ['sendgrid-key', 'SG.', '[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{32,}'],
  ['mailgun-key', 'key-', '[0-9a-f]{32}(?![0-9A-Za-z])'],
  ['npm-token', 'npm_', '[A-Za-z0-9]{30,}'],
  ['pypi-token', 'pypi-', '[A-Za-z0-9_-]{32,}'],
  ['rubygems-key', 'rubygems_', '[0-9a-f]{32,}'],
  ['docker-token', 'dckr_pat_ dckr_oat_', '[A-Za-z0-9_-]{20,}'],
  ['google-key', 'AIza', '[A-Za-z0-9_-]{30,}'],
  ['google-oauth', 'ya29. GOCSPX-', '[A-Za-z0-9_-]{20,}'],
  ['google-oauth', '1//0', '[A-Za-z0-9_-]{30,}'],
  ['huggingface-token', 'hf_', '[A-Za-z0-9]{30,}'],
  ['groq-key', 'gsk_', '[A-Za-z0-9]{30,}'],
  ['replicate-token', 'r8_', '[A-Za-z0-9]{30,}'],
  ['perplexity-key', 'pplx-', '[A-Za-z0-9]{30,}'],
  ['vault-token', 'hvs. hvb. hvr.', '[A-Za-z0-9_-]{20,}'],
  ['databricks-token', 'dapi', '[0-9a-f]{32}(?![0-9A-Za-z])'],
  ['digitalocean-token', 'dop_v1_ doo_v1_ dor_v1_', '[0-9a-f]{40,}'],
  ['heroku-key', 'HRKU-', '[A-Za-z0-9_-]{30,}'],
  ['shopify-token', 'shpat_ shpca_ shppa_ shpss_ shptka_', '[0-9a-fA-F]{32}'],
  ['square-token', 'sq0atp- sq0csp- sq0idp-', '[A-Za-z0-9_-]{22,}'],
  ['atlassian-token', 'ATATT3 ATCTT3 ATBB', '[A-Za-z0-9_=-]{24,}'],
  ['linear-key', 'lin_api_ lin_oauth_', '[A-Za-z0-9]{32,}'],
  ['notion-token', 'secret_ ntn_', '[A-Za-z0-9]{40,}'],
  ['sentry-token', 'sntrys_ sntryu_', '[A-Za-z0-9_=+/-]{40,}'],
  ['newrelic-key', 'NRAK- NRII- NRJS-', '[A-Za-z0-9_-]{19,}'],
  ['age-key', 'AGE-SECRET-KEY-1', '[0-9A-Z]{50,}'],
  ['grafana-token', 'glsa_ glc_', '[A-Za-z0-9_=+/]{32,}'],
  ['figma-token', 'figd_', '[A-Za-z0-9_-]{36,}'],
  ['supabase-key', 'sbp_ sb_secret_', '[A-Za-z0-9_-]{24,}'],
  ['planetscale-token', 'pscale_tkn_ pscale_pw_ pscale_oauth_', '[A-Za-z0-9_.=-]{30,}'],
  ['postman-key', 'PMAK-', '[0-9a-f]{24}-[0-9a-f]{34}'],
  ['doppler-token', 'dp.pt. dp.st. dp.ct. dp.sa.', '[A-Za-z0-9_.-]{36,}'],
  ['tailscale-key', 'tskey-', '[A-Za-z0-9-]{20,}'],
  ['artifactory-key', 'AKCp', '[A-Za-z0-9]{50,}'],
  ['netlify-token', 'nfp_', '[A-Za-z0-9]{36,}'],
  ['cloudflare-key', 'v1.0-', '[0-9a-f]{24}-[0-9a-f]{100,}'],
  ['aws-key-id', 'AKIA ASIA ABIA ACCA', '[A-Z0-9]{16}(?![A-Za-z0-9])'],
]

const PART = '[A-Za-z0-9_-]{8,}'
const literal = (text: string) => text.replace(/[.*+?^$()|[\]{}\\/]/g, String.raw`\$&`)

/** The kind of what stands in the place of a secret already: no rule looks into it. */
export const MARK = 'mark'

const WEBHOOK = `(?:hooks\\.slack\\.com${SLASH}(?:services|workflows|triggers)|discord(?:app)?\\.com${SLASH}api(?:${SLASH}v\\d{1,2})?${SLASH}webhooks|webhook\\.office\\.com${SLASH}webhookb2)${SLASH}((?:[A-Za-z0-9_@-]|${SLASH}){20,300})`
const URL_PASSWORD = `${COLON}${SLASH}{2}[^\\s:/@"'\`<>\\\\[?#&=]{0,100}${COLON}([^\\s/@"'\`<>\\\\[\\p{Cc}\\p{DI}]{1,200}?)(?=@|%(?:25)?40)`
const PGPASS = `${COLON}\\d{4,5}(?<=(?:^|[^\\w.*-])(?=[\\w.-]{0,100}[g-zG-Z.*])[\\w.*-]{1,100}${COLON}\\d{4,5})${COLON}[\\w*-]{1,63}${COLON}[\\w.@*-]{1,63}${COLON}([^\\s:"'\`<>()\\\\&\u2019\u201D]{4,200})`
const USER_PASSWORD = `(?:[\\s0]-u|--(?:proxy-)?user)(?:${BLANK}{1,4}|=)["']?[\\w.@+-]{1,64}${COLON}([^\\s"'\`<>\\\\&]{4,200})`
const BASIC = `basic${BLANK}{1,4}((?:[A-Za-z0-9+/_-]|%2[BF]){8,}(?:=|%3D){0,2})`

/** In the order in which they are tried at one place. Made when the first text is looked at. */
export const makeRules = (): SecretRule[] => [
  rule(MARK, ['redacted:'], String.raw`(?<=\[)redacted:[a-z0-9-]{1,40}(?::[0-9a-f]{8})?\]`),
  { kind: 'private-key', at: ['-----BEGIN', '-----END'], find: findPrivateKey },
  ...TOKENS.map(([kind, beginnings, body]) => {
    const at = beginnings.split(' ')
    return rule(kind, at, `${START}(?:${at.map(literal).join('|')})${body}`)
  }),
  rule('jwt', ['eyJ'], `${ALONE}eyJ${PART}\\.${PART}\\.${PART}`),
  // Words begin like these: the rest has to look like chance.
  rule('openai-key', ['sk-'], `${ALONE}sk-([A-Za-z0-9_-]{20,})`, ifRandom),
  rule('crates-token', ['cio'], `${ALONE}cio([A-Za-z0-9]{32})(?![A-Za-z0-9])`, ifRandom),
  rule('square-token', ['EAAA'], `${ALONE}EAAA([A-Za-z0-9_-]{56,})`, ifRandom),
  rule('azure-secret', ['0Q~'], String.raw`(?<=[\w.~]{3})\dQ~[\w.~-]{31,40}`),
  rule('telegram-token', [':AA', '%3A'], `(?<=\\d{8,10})${COLON}(AA[A-Za-z0-9_-]{32,35})`, undefined, 'i'),
  rule('webhook', ['hooks.slack.com', 'discord', 'webhook.office.com'], WEBHOOK, undefined, 'i'),
  rule('url-password', ['://', ':\\/', '%3A'], URL_PASSWORD, ifNoExample, 'iu'),
  rule(
    'sentry-dsn',
    ['://', ':\\/', '%3A'],
    `${COLON}${SLASH}{2}([0-9a-f]{32})(?=${COLON}[0-9a-f]{32}|@|%(?:25)?40)`,
    undefined,
    'i',
  ),
  rule('bearer', ['bearer'], `bearer${BLANK}{1,4}["']?([A-Za-z0-9._~+/=%-]{12,})`, ifCredential, 'i'),
  rule('basic-auth', ['basic'], BASIC, ifPair, 'i'),
  rule('pgpass', [':00', '%3A'], PGPASS, ifRandomOrMarked),
  rule('user-password', [' -u', '0-u', '--user', '--proxy-user'], USER_PASSWORD, ifRandomOrMarked),
  { kind: 'assigned-secret', at: ASSIGNED_AT, find: findAssigned },
]

/** Two letters are what examples of web addresses have. */
function ifNoExample(value: string, { input, index }: RegExpExecArray): string {
  const isShort = value.length < 4 && /https?$/i.test(input.slice(Math.max(0, index - 5), index))
  return isShort ? '' : ifNoStandIn(value)
}

const ifRandom = (value: string) => (looksRandom(value) ? value : '')

/** A variable, a name in brackets or stars stand for a password. */
const ifNoStandIn = (value: string) =>
  /^(?:[$<{[*%(]|\.{3}|x{3,}|pass(?:word)?$|\*+$)/i.test(value) ? '' : value

const ifRandomOrMarked = (value: string) =>
  looksRandom(value) || /^(?=.*[A-Za-z])(?=.*[\d!@#%^&*?]).{6,}$/.test(value) ? ifNoStandIn(value) : ''

/** "Bearer authentication" is no credential. */
const ifCredential = (value: string) => (looksRandom(value) || /\d.*\d.*\d/.test(value) ? value : '')

/** Basic authentication is base64 of a name, a colon and a password. */
function ifPair(value: string): string {
  const encoded = decodeURIComponent(value.replace(/%(?![0-9A-F]{2})/gi, '%25'))
  const said = Buffer.from(encoded, 'base64').toString('latin1')
  return /^[\x20-\x7e]{0,100}:[\x20-\x7e]{1,200}$/.test(said) ? value : ''
}

/** The lines around a private key in armour, also where they are escaped or encoded. */
const GAP = '(?:[ +]|%(?:25)?20)'
const NAMED = `${GAP}(?:[A-Z0-9]{2,12}${GAP}){0,3}PRIVATE${GAP}KEY(?:${GAP}BLOCK)?-----`
const HEAD = new RegExp(`-----BEGIN${NAMED}`, 'y')
const FOOT = new RegExp(`-----END${NAMED}`, 'y')
/** What may stand between the lines of a key: breaks, escaped ones, and what a quote, a diff or a list puts before a line. */
const BREAK = String.raw`(?:[\s>+|#*"',]|\\{1,8}[nr]|%(?:25)?0[AD])`
const LINE = '(?:[A-Za-z0-9+/=]|%(?:25)?(?:2[BF]|3D))'
const HEADERS = String.raw`(?:${BREAK}{1,20}[A-Z][A-Za-z-]{2,20}: [^\n\\]{1,100}){0,4}`
const CUT_BODY = new RegExp(
  `${HEADERS}(?:${BREAK}{1,40}${LINE}{16,100})+(?:${BREAK}{1,40}${LINE}{1,15}(?=\\s{0,9}$))?`,
  'y',
)

/**
 * The private key whose first or last line is here. Either line may be cut off; what is left of the key is found by
 * its long lines. A line that is only named, with no key at it, is none.
 */
export function findPrivateKey(text: string, at: number): Span | null {
  HEAD.lastIndex = at
  if (!HEAD.test(text)) return findCutKey(text, at)
  const begins = HEAD.lastIndex
  const next = text.indexOf('-----', begins)
  FOOT.lastIndex = next
  if (next >= 0 && FOOT.test(text))
    return /[A-Za-z0-9+/=]{16}/.test(text.slice(begins, next)) ? { start: at, end: FOOT.lastIndex } : null
  CUT_BODY.lastIndex = begins
  return CUT_BODY.test(text) ? { start: at, end: CUT_BODY.lastIndex } : null
}

/** Of a key whose beginning was cut off, the lines before its last one. */
function findCutKey(text: string, at: number): Span | null {
  FOOT.lastIndex = at
  if (!FOOT.test(text)) return null
  let start = at
  for (let from = at, line = 16; line >= 16; ) {
    while (from > 0 && /[\s>|#*"',\\]/.test(text.charAt(from - 1))) from -= 1
    const end = from
    while (from > 0 && /[A-Za-z0-9+/=]/.test(text.charAt(from - 1))) from -= 1
    line = end - from
    if (line >= 16 || (line > 0 && start === at)) start = from
    if (line > 0 && line < 16 && start === from) line = 16
  }
  return at - start >= 16 ? { start, end: FOOT.lastIndex } : null
}
