import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // They need a real client: `npm run test:agents`.
    exclude: ['test/clients/**'],
    setupFiles: ['test/support/property-seed.ts'],
    // Most of them wait for processes; one worker would leave half of a small machine idle.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Nets for what hangs: a test that waits for an event gets it also on a machine that is busy with other things.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A failure is told in its first line; a difference of thousands of lines tells nobody more.
    reporters: ['default', './test/support/broken-rules.ts'],
    chaiConfig: { truncateThreshold: 160 },
    diff: { truncateThreshold: 80 },
  },
})
