// `npm test`: set up, then every check and every test. Arguments go to vitest, to run some of them.
import { join } from 'node:path'
import { root, run, setup } from './setup.mjs'

setup()
const bin = (name) => join(root, 'node_modules', name)
const some = process.argv.slice(2)
if (some.length === 0) {
  run(process.execPath, [bin('@biomejs/biome/bin/biome'), 'check', '.'])
  run(process.execPath, [bin('typescript/bin/tsc'), '--noEmit'])
  run(process.execPath, [bin('typescript/bin/tsc'), '-p', 'web'])
  run(process.execPath, [bin('knip/bin/knip.js')])
  run(process.execPath, [bin('publint/src/cli.js'), '--strict'])
}
run(process.execPath, [bin('vitest/vitest.mjs'), 'run', ...some])
