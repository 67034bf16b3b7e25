import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { errorCode } from '../../core/reason.ts'

/** The files of the page, by the address that each has. Nothing else is ever read for a request. */
export const WEB_FILES: Readonly<Record<string, { name: string; type: string }>> = {
  '/': { name: 'index.html', type: 'text/html; charset=utf-8' },
  '/app.js': { name: 'app.js', type: 'text/javascript; charset=utf-8' },
  '/app.css': { name: 'app.css', type: 'text/css; charset=utf-8' },
  '/icon.svg': { name: 'icon.svg', type: 'image/svg+xml' },
}

/** Beside the program, as the build puts it. */
export const webFolder = () => fileURLToPath(new URL('web', import.meta.url))

/** A file of the page; null where it was not built. */
export function readWebFile(folder: string, name: string): Buffer | null {
  try {
    return readFileSync(join(folder, name))
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    return null
  }
}
