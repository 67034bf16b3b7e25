// `npm start`: set up, then the command line with the arguments given, or the demonstration without any.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root, setup } from './setup.mjs'

setup()
const args = process.argv.slice(2)
const script = args.length > 0 ? join(root, 'dist/cli.cjs') : join(root, 'scripts/demo.mjs')
// npm runs scripts in the package's folder; the user means the one they typed the command in.
const cwd = args.length > 0 ? (process.env.INIT_CWD ?? process.cwd()) : root
const { status, signal } = spawnSync(process.execPath, [script, ...args], { stdio: 'inherit', cwd })
process.exit(signal ? 1 : (status ?? 1))
