import { readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { nameKey } from '../../core/id.ts'
import { describeError, EXIT, ReasonError } from '../../core/reason.ts'
import { formatCount } from '../../core/text.ts'
import type { Context } from '../../engine/context/context.ts'
import { describeDocument, type FoundDocument, readDocuments } from '../../engine/documents/read-documents.ts'
import { isArchived, MAX_DOCUMENT_BYTES } from '../../formats/checkpoint-md/layout.ts'
import { type DocumentFinding, validateDocument } from '../../formats/checkpoint-md/validate.ts'
import { defineVerb } from '../define/verb.ts'

function readNamed(context: Context, file: string): FoundDocument {
  const path = resolve(context.cwd, file)
  try {
    if (statSync(path).size > MAX_DOCUMENT_BYTES) throw new Error(`larger than ${MAX_DOCUMENT_BYTES} bytes`)
    // The root is a real path: a folder that is reached through a link must not look like one outside of it.
    const real = join(realpathSync(dirname(path)), basename(path))
    const name = relative(context.place.root, real).split(sep).join('/')
    return describeDocument(name, readFileSync(path), isArchived(name))
  } catch (error) {
    const problem = describeError(error)
    throw new ReasonError('document_unreadable', { path: file, problem }, { cause: error })
  }
}

/** The documents of the workspace that say they are the same one: two ids that differ in case only are the same. */
function sameIds(documents: FoundDocument[]): (document: FoundDocument) => DocumentFinding[] {
  const byKey = new Map<string, FoundDocument[]>()
  for (const document of documents) {
    const same = byKey.get(nameKey(document.id)) ?? []
    same.push(document)
    byKey.set(nameKey(document.id), same)
  }
  const mend = 'Change the id of one of them, or delete one.'
  return ({ path, id, idLine: line }) => {
    const same = byKey.get(nameKey(id)) ?? []
    const others = same.filter((one) => one.path !== path)
    if (others.length === same.length) return []
    return others.map((other) => ({
      ...{ level: 'error', line, what: `${other.path} has the same id, ${other.id}`, mend },
    }))
  }
}

export const validate = defineVerb({
  name: 'validate',
  summary: 'Check checkpoint documents against their format',
  detail: 'Without files it checks every document of the workspace. It changes nothing.',
  fields: {
    files: { kind: 'words', at: 0, about: 'the documents (default: all in `checkpoints/`)' },
    strict: { kind: 'flag', about: 'treat warnings as errors, for CI' },
  },
  examples: ['savepoint validate', 'savepoint validate checkpoints/active/auth-system.md --strict'],
  access: 'read',
  async perform(context, { files, strict }) {
    const { documents, unreadable } = readDocuments(context.place.root)
    const named = files.map((file) => readNamed(context, file))
    const everything = new Map([...documents, ...named].map((document) => [document.path, document]))
    const parents = new Map([...everything.values()].map(({ id, parent }) => [nameKey(id), parent]))
    const currents = [...everything.values()].filter(({ current, archived }) => current && !archived)
    const clashes = sameIds(documents)
    const checked = (files.length > 0 ? named : documents).map((document) => {
      const { path, id, text, archived } = document
      // Two files of one id are told as such; choosing between them by that id would choose nothing.
      const otherCurrent = currents
        .filter((other) => nameKey(other.id) !== nameKey(id))
        .map((other) => other.id)
      const findings = document.problem
        ? [{ ...document.problem, level: 'error' as const, mend: 'Fix the file: it is ignored until then.' }]
        : validateDocument(text, { parents, archived, otherCurrent })
      return { path, id, findings: [...findings, ...clashes(document)].sort((a, b) => a.line - b.line) }
    })
    const mend = 'Replace it with a plain text file.'
    for (const { path, problem } of files.length === 0 ? unreadable : [])
      checked.push({ path, id: path, findings: [{ level: 'error', line: 1, what: problem, mend }] })
    const all = checked.flatMap(({ findings }) => findings)
    const errors = all.filter(({ level }) => level === 'error').length
    const warnings = all.length - errors
    return { documents: checked, errors, warnings, valid: errors === 0 && !(strict && warnings > 0) }
  },
  say: ({ documents, errors, warnings }, { paint }) =>
    [
      ...documents.flatMap(({ path, findings }) =>
        findings.map(
          ({ level, line, what, mend }) =>
            `${path}:${line}: ${paint(level === 'error' ? 'bad' : 'warn', `${level}:`)} ${what}\n  ${mend}`,
        ),
      ),
      `${formatCount(documents.length, 'document')}: ${formatCount(errors, 'error')}, ${formatCount(warnings, 'warning')}`,
    ].join('\n'),
  failure: ({ valid, errors, warnings }) =>
    valid
      ? null
      : {
          exit: EXIT.invalid,
          reason: 'documents_invalid',
          message: `${formatCount(errors, 'error')}, ${formatCount(warnings, 'warning')}`,
          hint: 'Each finding says how to fix it.',
        },
})
