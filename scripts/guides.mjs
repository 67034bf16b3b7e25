// Writes the answers in README and docs anew: test/ground/guides.test.ts runs their commands, and keeps what they say.
import { join } from 'node:path'
import { root, run, setup } from './setup.mjs'

setup()
run(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', 'test/ground/guides.test.ts'], {
  env: { ...process.env, SAVEPOINT_GUIDES: 'write' },
})
