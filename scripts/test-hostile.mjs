// `npm run test:hostile`: every hostile repository, input and race, where `npm test` tries a fixed sample of them.
import { join } from 'node:path'
import { root, run, setup } from './setup.mjs'

setup()
run(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', 'test/hostile'], {
  env: { ...process.env, SAVEPOINT_TEST_HOSTILE: 'all' },
})
