/** `npm run test:hostile` tries all of it; `npm test` a fixed part. */
export const isWhole = process.env.SAVEPOINT_TEST_HOSTILE === 'all'

/** How many of something are tried now. */
export const some = (all: number, sample: number) => (isWhole ? all : sample)
