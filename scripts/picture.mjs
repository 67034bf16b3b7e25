// Draws docs/pictures/session.svg, the picture in the README: a session that is killed, and what the next one is told.
// With --check: draws nothing, and fails where the picture is not what the program says.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { root, setup } from './setup.mjs'

const PICTURE = join(root, 'docs/pictures/session.svg')
const COLUMNS = 96
/** Of the font, in pixels. */
const [CHARACTER, LINE] = [7.83, 20]

/** What is typed and answered, with a client that plays an agent. Nothing in it depends on the time. */
function playSession() {
  const place = mkdtempSync(join(tmpdir(), 'savepoint-picture-'))
  try {
    const [bin, home, shop] = ['bin', 'home', 'shop'].map((name) => join(place, name))
    for (const folder of [bin, home, join(shop, 'src')]) mkdirSync(folder, { recursive: true })
    const programs = { savepoint: 'dist/cli.cjs', claude: 'test/support/stand-in-client.mjs' }
    for (const [name, file] of Object.entries(programs)) {
      writeFileSync(join(bin, name), `#!/bin/sh\nexec "${process.execPath}" "${join(root, file)}" "$@"\n`)
      chmodSync(join(bin, name), 0o755)
    }
    const env = {
      PATH: `${bin}${delimiter}${process.env.PATH}`,
      ...{ HOME: home, SAVEPOINT_HOME: join(home, 'state'), XDG_CONFIG_HOME: join(home, 'config') },
    }
    const sh = (line) =>
      spawnSync('sh', ['-c', `{ ${line}\n} 2>&1`], { cwd: shop, env, encoding: 'utf8' })
        .stdout.replaceAll(place, '/srv')
        .trimEnd()
    const who = '-c user.name=Ada -c user.email=ada@example.org'
    sh(`git init -q -b main && git ${who} commit -q --allow-empty -m Begin && savepoint init --plugin`)
    return [
      ...['$ claude', ...sh('claude').split('\n'), ''],
      ...['# Nobody saved anything. The next session is told:', '$ claude', ...sh('claude').split('\n')],
    ]
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

/** A line in pieces that fit into the picture, at words. */
function wrap(line) {
  const pieces = []
  let rest = line
  while (rest.length > COLUMNS) {
    const at = rest.lastIndexOf(' ', COLUMNS)
    pieces.push(rest.slice(0, at))
    rest = `  ${rest.slice(at + 1)}`
  }
  return [...pieces, rest]
}

/** Which colour a line has, by how it begins. */
const KINDS = [
  [/^\$ /, 'typed'],
  [/^# /, 'aside'],
  [/^> /, 'asked'],
  [/^Killed/, 'bad'],
  [/^- Failing/, 'bad'],
  [/^## /, 'head'],
  [/^<\/?savepoint/, 'ours'],
]

const escapeXml = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

function draw(lines) {
  const rows = lines.flatMap((line) => {
    const kind = KINDS.find(([begins]) => begins.test(line))?.[1] ?? 'said'
    return wrap(line).map((text) => ({ kind, text }))
  })
  const [width, height] = [Math.ceil(COLUMNS * CHARACTER + 48), rows.length * LINE + 76]
  const texts = rows.flatMap(({ kind, text }, at) =>
    text === '' ? [] : [`<text class="${kind}" x="24" y="${66 + at * LINE}">${escapeXml(text)}</text>`],
  )
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    '<title>A session is killed, and the next one is told where the work stands</title>',
    '<style>',
    'text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre }',
    '.said { fill: #c9d1d9 } .typed { fill: #ffffff; font-weight: bold } .asked { fill: #79c0ff } .aside { fill: #8b949e }',
    '.bad { fill: #ff7b72 } .head { fill: #d2a8ff; font-weight: bold } .ours { fill: #7ee787 }',
    '</style>',
    `<rect width="${width}" height="${height}" rx="10" fill="#0d1117" stroke="#30363d"/>`,
    ...['#ff5f56', '#ffbd2e', '#27c93f'].map(
      (colour, at) => `<circle cx="${26 + at * 20}" cy="24" r="6" fill="${colour}"/>`,
    ),
    ...texts,
    '</svg>',
  ].join('\n')}\n`
}

setup()
const picture = draw(playSession())
if (!process.argv.includes('--check')) {
  mkdirSync(join(PICTURE, '..'), { recursive: true })
  writeFileSync(PICTURE, picture)
} else if (readFileSync(PICTURE, 'utf8') !== picture) {
  console.error('savepoint: docs/pictures/session.svg is old: node scripts/picture.mjs')
  process.exitCode = 1
}
