import { join } from 'node:path'
import { projectRoot } from '../support/sandbox.ts'

/** The marketplace of this repository. */
export const PLUGINS = join(projectRoot, 'plugins', 'claude')

/** The client with both plugins, read in place. */
export const WITH_PLUGINS = ['savepoint', 'context'].flatMap((name) => ['--plugin-dir', join(PLUGINS, name)])
