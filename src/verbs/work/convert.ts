import { ReasonError, usageError } from '../../core/reason.ts'
import { visible } from '../../core/visible.ts'
import { NOTICES } from '../../engine/context/notices.ts'
import { type ConvertedFile, convertFile, writeConverted } from '../../engine/import/convert-file.ts'
import { WORK_FORMATS } from '../../engine/import/work-formats.ts'
import { defineVerb } from '../define/verb.ts'

/** Fields and parts of items whose name in JSON is not the word that users know. */
const WORDS: Readonly<Record<string, string>> = {
  ...{ intent: 'goal', artifacts: 'files', id: 'name of the work', progress: 'status', triggers: 'source' },
  ...{ health: 'context digest', commands: 'command outcomes', transitions: 'status transitions' },
  ...{ at: 'time', origin: 'speaker', seen: 'fingerprint', confirmed: 'mark', supersededBy: 'successor' },
  ...{ planName: 'plan', plan: 'plan file', tddPhase: 'TDD phase' },
}

const sayField = (field: string) =>
  /^(?:key|section|lines?|more) /.test(field)
    ? visible(field)
    : field
        .replace('position.', '')
        .split('.')
        .map((part) => WORDS[part] ?? part)
        .join(' ')

const sayLost = (lost: ConvertedFile['lost']) =>
  lost.map(({ field, count }) => `${sayField(field)} (${count})`).join(', ')
const sayTarget = (to: ConvertedFile['to']) => (to === 'json' ? 'JSON' : `a ${to}`)

export const convert = defineVerb({
  name: 'convert',
  summary: 'Convert between document, note, ledger, handoff, snapshot',
  detail:
    'The input format is detected from the content. Nothing is stored, and secrets are removed. Anything that the target format cannot hold is listed on stderr, and as `lost` with --json.',
  fields: {
    file: { kind: 'text', at: 0, required: true, about: 'the file to read' },
    to: {
      kind: 'choice',
      choices: WORK_FORMATS,
      required: true,
      value: 'FORMAT',
      about: 'the target format',
    },
    out: { kind: 'text', value: 'FILE', about: 'write to this file (default: stdout)' },
    force: { kind: 'flag', about: 'replace the file if it exists' },
    strict: { kind: 'flag', about: 'fail if the target cannot hold everything' },
  },
  examples: [
    'savepoint convert .agents/session_ledger.md --to note',
    'savepoint convert checkpoints/active/auth-system.md --to handoff --out handoff.md',
    'savepoint convert checkpoints/release-2/latest.json --to ledger --strict',
  ],
  access: 'read',
  lenient: true,
  async perform(context, { file, to, out, force, strict }) {
    if (out === undefined && force) throw usageError('--force goes with --out')
    const converted = convertFile(context, file, to)
    const { lost } = converted
    if (strict && lost.length > 0)
      throw new ReasonError('conversion_lossy', { to: sayTarget(to), lost: sayLost(lost) })
    const path = out === undefined ? null : writeConverted(context, out, converted.text, force)
    if (lost.length > 0) context.notices.push(NOTICES.noPlaceIn(sayTarget(to), sayLost(lost)))
    /** The file that was written; null where it went to the standard output. */
    return { ...converted, path }
  },
  say: ({ path, text }) => (path === null ? text.trimEnd() : `Wrote ${path}`),
  exact: ({ path, text }) => (path === null ? text : null),
})
