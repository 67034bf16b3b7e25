// Draws what people see, as pictures to look at: node scripts/screens.mjs <folder>
// Each screen is what the built program prints on a real terminal of 40, 80 and 200 columns, on a dark and a light one.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { root, setup } from './setup.mjs'

const WIDTHS = [40, 80, 200]
const [CHARACTER, LINE, FONT] = [7.83, 18, 13]

/** The palettes of two usual terminals: by the codes that a style may have. */
const THEMES = {
  dark: { back: '#0d1117', text: '#c9d1d9', 31: '#ff7b72', 32: '#7ee787', 33: '#e3b341', 36: '#56d4dd' },
  light: { back: '#ffffff', text: '#24292f', 31: '#cf222e', 32: '#116329', 33: '#9a6700', 36: '#1b7c83' },
}

/** What is typed in each screen, one after another in one repository. */
const SCREENS = {
  init: ['init --dry-run', 'init --plugin --without-statusline'],
  help: ['--help', 'help documents', 'save --help'],
  save: [
    'save "Moving login to tokens" --goal "Login works without a server session" --decision "JWT over cookies because the app has no session" --next "Write the refresh test" --rule "No new dependency without asking"',
    'save "Signing with ES256" --by agent --decision "ES256 over RS256 because keys are small"',
    'save --note --next "Write the refresh test, then the one for a clock that is wrong by an hour"',
  ],
  resume: ['resume', 'resume --explain'],
  status: ['status'],
  list: ['list', 'new passkeys --current', 'list --all', 'list --tree'],
  search: ['search cookies session', 'search zebra', 'search --learnings'],
  sessions: ['sessions', 'sessions info', 'sessions budget', 'sessions show 7c1e'],
  run: [
    'run start plan.md --run-id release-2',
    'run step s1 in_progress',
    'run exec -- false',
    'run resume',
    'run list',
    'run show',
  ],
  doctor: ['doctor', 'config explain'],
  trust: ['trust', 'trust --off', 'status'],
  change: [
    'focus main',
    'confirm "ES256 over RS256"',
    'reject "JWT over cookies" --why "the gateway needs cookies"',
    'undo',
    'undo --list',
    'handoff "Finish the refresh test"',
    'pickup --list',
    'show main --history',
    'diff passkeys',
    'archive passkeys --outcome "Login with passkeys is live" --learning "Test on two devices"',
  ],
  errors: [
    'revert',
    'save',
    'resume nothing-like-it',
    'search --kind nonsense x',
    'run step s9 done',
    'run show --bad',
  ],
}

/** Our command, and one that plays a client. */
function layPrograms(bin) {
  mkdirSync(bin, { recursive: true })
  const programs = { savepoint: 'dist/cli.cjs', claude: 'test/support/stand-in-client.mjs' }
  for (const [name, file] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\nexec "${process.execPath}" "${join(root, file)}" "$@"\n`)
    chmodSync(join(bin, name), 0o755)
  }
}

const envIn = (place) => ({
  ...process.env,
  ...{ TERM: 'xterm-256color', TZ: 'Europe/Berlin', NO_COLOR: '', FORCE_COLOR: '', CI: '' },
  ...{
    HOME: place,
    SAVEPOINT_HOME: join(place, 'home'),
    XDG_CONFIG_HOME: join(place, 'config'),
    CLAUDECODE: '',
  },
  PATH: `${join(place, 'bin')}${delimiter}${process.env.PATH}`,
})

function playScreen(place, columns, commands) {
  const env = envIn(place)
  return commands.flatMap((words) => {
    const command = `stty cols ${columns} rows 50; exec '${process.execPath}' '${join(root, 'dist/cli.cjs')}' ${words} </dev/null`
    const { stdout } = spawnSync('script', ['-qec', command, '/dev/null'], {
      cwd: join(place, 'shop'),
      env,
      encoding: 'utf8',
    })
    return [`\x1b[1m$ savepoint ${words}\x1b[0m`, ...stdout.replaceAll('\r', '').trimEnd().split('\n'), '']
  })
}

const escapeXml = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape code begins with one.
const CODE = /(\x1b\[[\d;]*m)/

/** Pieces of a line, each with its codes, wrapped as a terminal does. */
function rowsOf(line, columns) {
  const rows = [[]]
  let [codes, used] = [[], 0]
  for (const part of line.split(CODE)) {
    const found = part.startsWith('\x1b[') ? [part, part.slice(2, -1)] : null
    if (found) {
      codes = found[1] === '0' || found[1] === '' ? [] : [...codes, ...found[1].split(';')]
      continue
    }
    for (const character of part) {
      if (used === columns) {
        rows.push([])
        used = 0
      }
      rows.at(-1).push({ character, codes })
      used += 1
    }
  }
  return rows
}

function draw(lines, columns, theme) {
  const colours = THEMES[theme]
  const rows = lines.flatMap((line) => rowsOf(line, columns))
  const [width, height] = [Math.ceil(columns * CHARACTER) + 24, rows.length * LINE + 24]
  const texts = rows.flatMap((row, at) =>
    row.map(({ character, codes }, column) => {
      if (character === ' ') return ''
      const colour = codes.map((code) => colours[code]).find((one) => one !== undefined) ?? colours.text
      const style = `${codes.includes('1') ? ' style="font-weight:bold"' : ''}${codes.includes('2') ? ' opacity="0.6"' : ''}`
      return `<text x="${(12 + column * CHARACTER).toFixed(2)}" y="${at * LINE + 26}" fill="${colour}"${style}>${escapeXml(character)}</text>`
    }),
  )
  // A line marks the last column, so that what goes over it is seen.
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><style>text{font:${FONT}px "DejaVu Sans Mono",monospace}</style><rect width="100%" height="100%" fill="${colours.back}"/>${texts.join('')}</svg>\n`
}

const folder = resolve(process.argv[2] ?? '')
if (process.argv[2] === undefined) throw new Error('name the folder for the pictures')
setup()
mkdirSync(folder, { recursive: true })
for (const columns of WIDTHS) {
  const place = mkdtempSync(join(tmpdir(), 'savepoint-screens-'))
  try {
    layPrograms(join(place, 'bin'))
    mkdirSync(join(place, 'shop/src'), { recursive: true })
    mkdirSync(join(place, '.claude'))
    const plan = '- [ ] s1: Write the refresh test\n- [ ] s2: Rotate the keys\n'
    writeFileSync(join(place, 'shop/plan.md'), plan)
    const sh = (line) => spawnSync('sh', ['-c', line], { cwd: join(place, 'shop'), env: envIn(place) })
    sh('git init -q -b main && git config user.name Ada && git config user.email ada@example.org')
    sh('git commit -q --allow-empty -m Begin')
    for (const [name, commands] of Object.entries(SCREENS)) {
      const lines = playScreen(place, columns, commands)
      // A session that is killed, and one that ends.
      if (name === 'init') sh('claude; claude')
      writeFileSync(join(folder, `${name}-${columns}.txt`), `${lines.join('\n')}\n`)
      for (const theme of Object.keys(THEMES))
        writeFileSync(join(folder, `${name}-${columns}-${theme}.svg`), draw(lines, columns, theme))
    }
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}
