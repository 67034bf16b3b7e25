import { defineConfig } from 'vitest/config'

/** The tests with a real client: scripts/test-agents.mjs gives them one, and a network of their own. */
export default defineConfig({
  test: {
    include: ['test/clients/**/*.client.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 30_000,
  },
})
