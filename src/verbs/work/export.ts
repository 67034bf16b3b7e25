import { usageError } from '../../core/reason.ts'
import { formatCount } from '../../core/text.ts'
import { sayWork } from '../../engine/transfer/count-work.ts'
import { exportTo } from '../../engine/transfer/export-to.ts'
import { defineVerb } from '../define/verb.ts'

export const exportVerb = defineVerb({
  name: 'export',
  summary: 'Write the work of this repository to one file, to take it to another machine',
  detail:
    'The file has all pieces of work and runs with their checkpoints, the versions of documents, and the sessions with what they came to. It does not have trust, focus or paths. It is gzip over lines of JSON, each with a checksum, and only you can read it. On the other machine: savepoint import <file>',
  fields: {
    file: { kind: 'text', at: 0, required: true, about: 'the file to write; - for the standard output' },
    all: { kind: 'flag', about: 'every repository in the store, not this one alone' },
    force: { kind: 'flag', about: 'replace the file if it exists' },
  },
  examples: [
    'savepoint export ~/payments.savepoint.gz',
    'savepoint export --all /media/stick/work.savepoint.gz',
    'savepoint export -',
  ],
  access: 'read',
  takesIn: 'talk',
  lenient: true,
  async perform(context, { file, all, force }) {
    if (file === '') throw usageError('the file name is empty')
    if (file === '-' && process.stdout.isTTY)
      throw usageError('a terminal cannot take an export: name a file, or pipe it')
    if (!all && context.identity.repository === '')
      throw usageError('nothing was saved in this repository yet; for every other one: --all')
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
