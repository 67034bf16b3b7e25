// What the plugin's hooks and its MCP server start: finds Savepoint, and runs it inside this very process.
// Any Node can read this file, so that an old one can be told to be too old.
// biome-ignore-all lint/style/useNodejsImportProtocol: an old Node does not know it.
'use strict'
const fs = require('fs')
const os = require('os')
const path = require('path')

const INSTALL = 'Savepoint is not installed, so nothing is saved: npm install -g savepoint'

/** The first folder that holds the built programs; undefined where there is none. */
function find() {
  for (const places of [beside, inHome, onPath])
    for (const folder of places())
      if (['cli.cjs', 'hook.cjs'].every((name) => fs.existsSync(path.join(folder, name)))) return folder
}

/** A clone, or the package of npm, that is read in place. */
function beside() {
  return [path.join(path.dirname(fs.realpathSync(__filename)), '..', '..', '..', 'dist')]
}

/** Where the launcher points that `savepoint init` wrote: it says so in a comment. */
function inHome() {
  const name = process.platform === 'win32' ? 'savepoint-hook.cjs' : 'savepoint-hook'
  const text = unlessGone(() => fs.readFileSync(path.join(home(), 'bin', name), 'utf8')) || ''
  const found = /^(?:#|\/\/) (\{"node":".*","bundle":".*"\})$/m.exec(text)
  return found ? [path.dirname(JSON.parse(found[1]).bundle)] : []
}

/** The same rule as Savepoint's own. */
function home() {
  const env = process.env
  if (env.SAVEPOINT_HOME) return path.resolve(env.SAVEPOINT_HOME)
  if (process.platform === 'win32')
    return path.join(env.LOCALAPPDATA || path.join(os.homedir(), 'AppData', 'Local'), 'savepoint')
  const state = env.XDG_STATE_HOME || ''
  const base = state.startsWith('/') ? state : path.join(env.HOME || os.homedir(), '.local', 'state')
  return path.join(base, 'savepoint')
}

/** Installed for all: the real place of the command, or on Windows the package beside its shim. */
function onPath() {
  // An entry that is not absolute would mean the project that the agent works in.
  const folders = (process.env.PATH || '').split(path.delimiter).filter(path.isAbsolute).filter(isForeign)
  const commands = folders.map((folder) => unlessGone(() => fs.realpathSync(path.join(folder, 'savepoint'))))
  const packages = folders.map((folder) => path.join(folder, 'node_modules', 'savepoint', 'dist'))
  return commands
    .filter(Boolean)
    .map((command) => path.dirname(command))
    .concat(process.platform === 'win32' ? packages : [])
    .filter(isForeign)
}

/** Whether it is none of the project's: what a repository brings along, as in `node_modules/.bin`, nobody installed. */
function isForeign(place) {
  const project = process.env.CLAUDE_PROJECT_DIR || process.cwd()
  // Who works in their own home has in it all that they installed.
  if (isInside(real(project), real(process.env.HOME || os.homedir()))) return true
  return !isInside(path.resolve(project), place) && !isInside(real(project), real(place))
}

function real(place) {
  return unlessGone(() => fs.realpathSync(place)) || path.resolve(place)
}

function isInside(folder, place) {
  const down = path.relative(folder, place)
  return down !== '..' && !down.startsWith(`..${path.sep}`) && !path.isAbsolute(down)
}

/** Undefined where a file is not there or cannot be read: then the next place is looked at. */
function unlessGone(read) {
  try {
    return read()
  } catch (error) {
    if (!error.syscall) throw error
  }
}

/** The agent goes on whatever happens: a hook ends with 0, and says nothing that it does not mean. */
function hook(words) {
  process.on('uncaughtException', () => process.exit(0))
  let problem = INSTALL
  try {
    const [major, minor] = process.versions.node.split('.').map(Number)
    if (major < 20 || (major === 20 && minor < 19))
      problem = `Savepoint needs Node 20.19 or newer, so nothing is saved; this is ${process.version}`
    else {
      const folder = find()
      if (folder) return require(path.join(folder, 'hook.cjs')).main(words)
    }
  } catch (error) {
    problem = `Savepoint cannot be started, so nothing is saved (${String(error.message).split('\n')[0]}): npm install -g savepoint`
  }
  tellAtStart(problem)
}

/** The user is told once a session, at its start. */
function tellAtStart(systemMessage) {
  let input = ''
  process.stdin.setEncoding('utf8')
  process.stdin.on('data', (chunk) => {
    input += chunk
  })
  process.stdin.on('end', () => {
    if (JSON.parse(input).hook_event_name === 'SessionStart')
      process.stdout.write(`${JSON.stringify({ systemMessage })}\n`)
  })
}

/** A server that is not there is an error that the client shows. */
function program(words) {
  const folder = find()
  if (!folder) {
    process.stderr.write(`${INSTALL}\n`)
    process.exit(1)
  }
  const cli = path.join(folder, 'cli.cjs')
  process.argv = [process.argv[0], cli].concat(words)
  require(cli)
}

const words = process.argv.slice(2)
if (words[0] === 'hook') hook(words.slice(1))
else program(words)
