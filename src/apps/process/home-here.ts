import { join, resolve } from 'node:path'
import { homePathBy } from '../../core/home-path.ts'

/** Where the home of this process is, before any of the product is loaded. */
export function homeHere(): string {
  // Asked for only where no variable says it.
  const homedir = () => (require('node:os') as typeof import('node:os')).homedir()
  return homePathBy(process.env, process.platform, { join, resolve, homedir })
}
