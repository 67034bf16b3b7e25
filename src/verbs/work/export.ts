import { usageError } from '../../core/reason.ts'
import { formatCount } from '../../core/text.ts'
import { sayWork } from '../../engine/transfer/repository-marks.ts'
import { exportTo } from '../../engine/transfer/write-export.ts'
import { defineVerb } from '../define/verb.ts'

export const exportVerb = defineVerb({
  name: 'export',
  summary: 'Export all work to one file for another machine',
  detail:
    'The file contains all work and runs with their checkpoints, document versions and sessions of this repository, but not trust, focus or paths. It is gzipped JSON lines with checksums, readable only by you. On the other machine: savepoint import <file>',
  fields: {
    file: { kind: 'text', at: 0, required: true, about: 'the file to write (- for stdout)' },
    all: { kind: 'flag', about: 'export all repositories' },
    force: { kind: 'flag', about: 'replace the file if it exists' },
  },
  examples: [
    'savepoint export ~/payments.savepoint.gz',
    'savepoint export --all ~/all-work.savepoint.gz',
    'savepoint export -',
  ],
  access: 'read',
  takesIn: 'talk',
  lenient: true,
  async perform(context, { file, all, force }) {
    if (file === '') throw usageError('the file name is empty')
    if (file === '-' && process.stdout.isTTY)
      throw usageError('an export cannot be printed to a terminal: give a file name, or pipe it')
    if (!all && context.identity.repository === '')
      throw usageError('nothing is saved in this repository yet; to export all others: --all')
    return exportTo(context, file, { all, force })
  },
  aside: ({ path }) => path === null,
  say: ({ path, bytes, repositories, sessions, ...work }) => {
    const counts = [
      ...(repositories === 1 ? [] : [formatCount(repositories, 'repository', 'repositories')]),
      sayWork(work),
      formatCount(sessions, 'session'),
    ]
    return [
      `Exported ${counts.join(', ')}${path === null ? '' : ` to ${path}`} (${bytes} bytes)`,
      'It contains your conversations and decisions: keep it private.',
    ].join('\n')
  },
})
