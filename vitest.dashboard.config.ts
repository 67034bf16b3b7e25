import { defineConfig } from 'vitest/config'

/** The dashboard in a real browser: scripts/test-dashboard.mjs finds one. */
export default defineConfig({
  test: {
    include: ['test/dashboard/**/*.e2e.test.ts'],
    // Each of them has a browser and a server of its own, and what is measured must not wait for another.
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
