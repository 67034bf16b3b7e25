// `npm run test:faults`: every fault of every sweep, where `npm test` tries a fixed sample of them. Leaves the hash of
// the code that it proved in the repository. With --if-changed only where that code is another than the proven one.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fingerprint, root, run, setup } from './setup.mjs'

/** All that writes a file or the store on the way of a verb or a hook, and the tests that break it. */
const WRITE_PATH = [
  'src/fs/',
  'src/store/',
  'src/engine/context/',
  'src/engine/documents/',
  'src/engine/heal/',
  'src/engine/publish/',
  'src/engine/runs/',
  'src/engine/save/',
  'src/engine/sessions/fault.ts',
  'src/engine/sessions/session-files.ts',
  'test/faults/',
]
const PROVEN = 'test/faults/proven.json'
/** What a full run leaves behind is no part of what it proves; neither are breaks of other code. */
const ASIDE = [PROVEN, 'test/faults/mutants.json']

const { values } = parseArgs({ options: { 'if-changed': { type: 'boolean', default: false } } })
const { writePath: proven } = JSON.parse(readFileSync(join(root, PROVEN), 'utf8'))
const now = fingerprint(WRITE_PATH, ASIDE)
if (values['if-changed'] && now === proven) {
  console.log('savepoint: the write path is the one that all faults were tried on')
  process.exit(0)
}
setup()
run(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', 'test/faults'], {
  env: { ...process.env, SAVEPOINT_TEST_FAULTS: 'all' },
})
// As the formatter of this repository would write it.
writeFileSync(join(root, PROVEN), `{ "writePath": "${now}" }\n`)
console.log(`savepoint: all faults were tried; ${PROVEN} says on which code`)
