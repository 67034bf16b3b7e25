// Brings package-lock.json up to date without the address that each package was fetched from: the lock file
// names packages by version and checksum, and works with whatever registry npm is set up for.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, run } from './setup.mjs'

run('npm', ['install', '--package-lock-only', '--ignore-scripts', '--omit-lockfile-registry-resolved=false'])
const file = join(root, 'package-lock.json')
const lock = JSON.parse(readFileSync(file, 'utf8'))
for (const entry of Object.values(lock.packages)) delete entry.resolved
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
