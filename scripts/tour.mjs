// Writes the answers of docs/tour.md anew: every command between "By itself" and "Checkpoint documents", in its order.
// test/ground/docs.test.ts fails where an answer is not what the program says.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { root, setup } from './setup.mjs'

const TOUR = join(root, 'docs/tour.md')

/** A repository `shop` with our command and one that plays a client; answers a shell in it. */
function openShop(place) {
  const [bin, shop] = [join(place, 'bin'), join(place, 'shop')]
  for (const folder of [bin, join(shop, 'src'), join(place, 'user')]) mkdirSync(folder, { recursive: true })
  const programs = { savepoint: 'dist/cli.cjs', claude: 'test/support/stand-in-client.mjs' }
  for (const [name, file] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\nexec "${process.execPath}" "${join(root, file)}" "$@"\n`)
    chmodSync(join(bin, name), 0o755)
  }
  const env = {
    ...{ PATH: `${bin}${delimiter}${process.env.PATH}`, TZ: 'UTC' },
    ...{
      HOME: join(place, 'user'),
      SAVEPOINT_HOME: join(place, 'home'),
      XDG_CONFIG_HOME: join(place, 'config'),
    },
  }
  const sh = (line) =>
    spawnSync('sh', ['-c', `{ ${line}\n} 2>&1`], { cwd: shop, env, encoding: 'utf8' })
      .stdout.replaceAll(join(place, 'home'), '~/.local/state/savepoint')
      .replaceAll(place, '/srv')
  writeFileSync(join(shop, 'src/login.ts'), 'export const login = () => {}\n')
  sh('git init -q -b main && git config user.name Ada && git config user.email ada@example.org')
  return { shop, sh }
}

function layNotes(shop) {
  mkdirSync(join(shop, 'old-notes'))
  const note = (day, said) =>
    writeFileSync(
      join(shop, 'old-notes', `202601${day}T090000Z.json`),
      JSON.stringify({ timestamp: `2026-01-${day}T09:00:00Z`, ...said }),
    )
  note('01', { summary: 'Choosing a login', decisions: ['Chose tokens'], next_action: 'Try JWT' })
  note('02', { summary: 'Trying JWT', decisions: [], next_action: 'Write the form' })
}

/** The text of a part with the answer of each of its commands. */
const replay = (part, sh) =>
  part.replace(/^```text\n([\s\S]*?)^```$/gm, (_, block) => {
    const [before, ...calls] = block.split(/^\$ /m)
    const lines = calls.map((call) => /^(?:.*\\\n)*.*/.exec(call)?.[0] ?? '')
    return `\`\`\`text\n${before}${lines.map((line) => `$ ${line}\n${sh(line)}`).join('')}\`\`\``
  })

setup()
const tour = readFileSync(TOUR, 'utf8')
const at = (title) => tour.indexOf(`\n## ${title}\n`)
const [first, second, third] = ['By itself', 'Save', 'Checkpoint documents'].map(at)
const place = mkdtempSync(join(tmpdir(), 'savepoint-tour-'))
try {
  const alone = openShop(join(place, 'one'))
  alone.sh('git add -A && git commit -qm Begin')
  const whole = openShop(join(place, 'two'))
  layNotes(whole.shop)
  whole.sh('git add -A && git commit -qm Begin')
  writeFileSync(join(whole.shop, 'src/login.ts'), 'export const login = (user) => user\n')
  const parts = [
    tour.slice(0, first),
    replay(tour.slice(first, second), alone.sh),
    replay(tour.slice(second, third), whole.sh),
    tour.slice(third),
  ]
  writeFileSync(TOUR, parts.join(''))
} finally {
  rmSync(place, { recursive: true, force: true })
}
