import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { ReasonError, usageError } from '../../core/reason.ts'
import { formatCount } from '../../core/text.ts'
import type { ReplacedFile, StoreContent } from '../../store/store-file.ts'
import type { Screen } from '../define/screen.ts'
import { defineVerb } from '../define/verb.ts'

type BackupAnswer =
  | { path: string; bytes: number }
  | {
      path: string
      dryRun: boolean
      content: StoreContent
      present: StoreContent
      replaced: ReplacedFile | null
    }

export const backup = defineVerb({
  name: 'backup',
  summary: 'Back up the store to a file, or restore it',
  detail:
    'A backup is consistent even while other processes write, and it is verified. --restore checks the file, backs up the current store, then replaces it; running agents continue with the restored store.',
  fields: {
    file: { kind: 'text', at: 0, required: true, about: 'a new file; with --restore, the backup' },
    restore: { kind: 'flag', about: 'replace the store with this backup' },
    dryRun: { kind: 'flag', about: 'with --restore: check the backup and show its content' },
  },
  examples: [
    'savepoint backup ~/savepoint-backup.db',
    'savepoint backup --restore ~/savepoint-backup.db --dry-run',
    'savepoint backup --restore ~/savepoint-backup.db',
  ],
  access: 'write',
  async perform(context, { file, restore, dryRun }): Promise<BackupAnswer> {
    if (context.file === null) {
      const path = context.home.database
      throw new ReasonError('store_unavailable', { path, problem: 'there is no store yet' })
    }
    const store = context.file
    const path = resolve(context.cwd, file)
    if (!restore) {
      if (dryRun) throw usageError('--dry-run goes with --restore')
      await store.copyTo(path)
      return { path, bytes: statSync(path).size }
    }
    // What a backup holds counts as the user's own words, and trust comes with it: an agent cannot bring it.
    if (context.speaker === 'agent') throw new ReasonError('import_by_agent', { what: 'restore a backup' })
    if (path === context.home.database) throw usageError('this is the store itself')
    const content = await store.describe(path)
    const present = await store.describe()
    return { path, dryRun, content, present, replaced: dryRun ? null : await store.replaceWith(path) }
  },
  say: (answer, screen) => {
    if ('bytes' in answer) return `Backed up to ${answer.path} (${answer.bytes} bytes)`
    const { path, content, present, replaced } = answer
    return [
      `${replaced === null ? 'Would restore' : 'Restored'} ${path}: ${sayContent(content, screen)}`,
      `  ${replaced === null ? 'Would replace' : 'Replaced'}: ${sayContent(present, screen)}`,
      ...(replaced === null ? [] : [`  Undo: savepoint backup --restore ${replaced.before}`]),
    ].join('\n')
  },
})

const sayContent = ({ streams, checkpoints, sessions, newestAt }: StoreContent, { time }: Screen) =>
  [
    formatCount(streams, 'piece of work', 'pieces of work'),
    formatCount(checkpoints, 'checkpoint'),
    formatCount(sessions, 'session'),
    newestAt === null ? 'nothing saved' : `last saved ${time(newestAt)}`,
  ].join(', ')
