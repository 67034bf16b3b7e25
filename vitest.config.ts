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
  },
})
