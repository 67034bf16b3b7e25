import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** They share nothing but code: a worker goes on to the next file with what it has loaded. */
const SHARED = ['core', 'policy', 'formats', 'config', 'cli'].map((folder) => `test/${folder}/**/*.test.ts`)

export default defineConfig({
  test: {
    setupFiles: ['test/support/property-seed.ts'],
    // Each of them often waits, for a process or for a disk; meanwhile another uses the processor.
    maxWorkers: availableParallelism() + 1,
    // Nets for what hangs: a test that waits for an event gets it also on a machine that is busy with other things.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A failure is told in its first line; a difference of thousands of lines tells nobody more.
    reporters: ['default', './test/support/broken-rules.ts'],
    chaiConfig: { truncateThreshold: 160 },
    diff: { truncateThreshold: 80 },
    projects: [
      { extends: true, test: { name: 'shared', include: SHARED, isolate: false } },
      {
        extends: true,
        // The clients' tests need a real client: `npm run test:agents`; those of the page a browser: `npm run test:dashboard`.
        test: {
          name: 'apart',
          include: ['test/**/*.test.ts'],
          exclude: [...SHARED, 'test/clients/**', 'test/**/*.e2e.test.ts'],
        },
      },
    ],
  },
})
