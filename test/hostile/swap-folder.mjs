// Puts a link to another folder in the place of a folder, and the folder back, as fast as it can, until it is ended.
import { existsSync, renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'

const [folder = '', outside = ''] = process.argv.slice(2)
const away = `${folder}.away`
process.send?.('ready')
for (;;) {
  try {
    renameSync(folder, away)
    symlinkSync(outside, folder)
    unlinkSync(folder)
    renameSync(away, folder)
  } catch {
    // The writer made a folder where none was: it goes, and the first one comes back.
    rmSync(folder, { recursive: true, force: true })
    if (existsSync(away)) renameSync(away, folder)
  }
}
