import fc from 'fast-check'

/**
 * Property tests draw the same cases every time, so that a failure is a change and never luck.
 * FC_SEED=<number> explores others.
 */
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 4) })
