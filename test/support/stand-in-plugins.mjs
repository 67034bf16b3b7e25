// Plays the client of an agent as far as its plugins go: it notes what it is asked, and writes settings as the real
// one does, whole and in its own order. Where a file `mood` beside it says `fail`, it does.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const [, self = '', ...words] = process.argv
const beside = (name) => join(dirname(self), name)
const read = (path) => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {})
function write(path, value) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)
}
function fail(problem) {
  console.error(`✘ ${problem}`)
  process.exit(1)
}

const user = join(process.env.HOME ?? '', '.claude', 'settings.json')
const local = join(process.cwd(), '.claude', 'settings.local.json')
const known = read(beside('known.json'))
const mood = existsSync(beside('mood')) ? readFileSync(beside('mood'), 'utf8') : ''
const said = words.join(' ')
if (said !== 'plugin list --json') appendFileSync(beside('asked'), `${said}\n`)

if (mood === 'fail') fail('Failed: the moon is full')
else if (said === 'plugin list --json') list()
else if (said.startsWith('plugin marketplace ')) market(words[2], words[3])
else toggle(words[1], words[2], words[4])

/** Those of all workspaces, wherever it is asked. */
function list() {
  const rows = [user, ...Object.keys(read(beside('workspaces.json')))].flatMap((path) =>
    Object.entries(read(path).enabledPlugins ?? {}).map(([id, enabled]) => ({
      ...{ id, scope: path === user ? 'user' : 'local', enabled },
      ...(path === user ? {} : { projectPath: dirname(dirname(path)) }),
      readFromFolder: join(known.savepoint ?? '', id.split('@')[0]),
    })),
  )
  console.log(JSON.stringify(rows))
}

function market(verb, name) {
  const { extraKnownMarketplaces = {}, ...others } = read(user)
  if (verb === 'add') {
    const { name: market } = read(join(name, '.claude-plugin', 'marketplace.json'))
    known[market] = name
    extraKnownMarketplaces[market] = { source: { source: 'directory', path: name } }
  } else if (!(name in known)) fail(`Marketplace '${name}' not found`)
  else if (verb === 'remove') {
    delete known[name]
    delete extraKnownMarketplaces[name]
  } else return
  write(user, { extraKnownMarketplaces, ...others })
  write(beside('known.json'), known)
}

function toggle(verb, name, scope) {
  const path = scope === 'user' ? user : local
  const { enabledPlugins = {}, ...others } = read(path)
  if (verb === 'install' && !known.savepoint) fail('Marketplace not found')
  if (verb === 'install') for (const id of [name, 'savepoint@savepoint']) enabledPlugins[id] = true
  else if (!(name in enabledPlugins)) fail(`Plugin "${name}" not found in installed plugins`)
  else delete enabledPlugins[name]
  write(path, { enabledPlugins, ...others })
  if (path === local) write(beside('workspaces.json'), { ...read(beside('workspaces.json')), [local]: true })
}
