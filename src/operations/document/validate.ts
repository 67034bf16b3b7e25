import { readFileSync, statSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { describe, EXIT, ReasonError } from '../../core/reason.ts'
import { type Finding, validateDocument } from '../../formats/checkpoint-md/validate.ts'
import type { Context } from '../context.ts'
import { operation } from '../operation.ts'
import { count } from '../text.ts'
import {
  describeDocument,
  type FoundDocument,
  isArchivePath,
  MAX_DOCUMENT_BYTES,
  readDocuments,
} from './read-documents.ts'

interface CheckedDocument {
  path: string
  id: string
  findings: Finding[]
}

function readNamed(context: Context, file: string): FoundDocument {
  const path = resolve(context.cwd, file)
  try {
    if (statSync(path).size > MAX_DOCUMENT_BYTES)
      throw new Error(`it is larger than ${MAX_DOCUMENT_BYTES} bytes`)
    return describeDocument(
      relative(context.place.root, path),
      readFileSync(path, 'utf8'),
      isArchivePath(path),
    )
  } catch (error) {
    throw new ReasonError('document_unreadable', { path: file, problem: describe(error) }, { cause: error })
  }
}

export const validate = operation({
  name: 'validate',
  summary: 'Check checkpoint documents against their format',
  detail:
    'Without files it checks every document of the workspace. It reads files only, and changes nothing.',
  fields: {
    files: { kind: 'words', at: 0, about: 'the documents; all of `checkpoints/` without any' },
    strict: { kind: 'flag', about: 'warnings count as errors, for CI' },
  },
  examples: ['savepoint validate', 'savepoint validate checkpoints/active/auth.md --strict'],
  access: 'read',
  async perform(context, { files, strict }) {
    const { documents, unreadable } = readDocuments(context.place.root)
    const named = files.map((file) => readNamed(context, file))
    const everything = new Map([...documents, ...named].map((document) => [document.path, document]))
    const parents = new Map([...everything.values()].map(({ id, parent }) => [id, parent]))
    const currents = [...everything.values()].filter(({ current, archived }) => current && !archived)
    const checked: CheckedDocument[] = (files.length > 0 ? named : documents).map(
      ({ path, id, text, archived }) => ({
        path,
        id,
        findings: validateDocument(text, {
          parents,
          archived,
          otherCurrent: currents.filter((other) => other.path !== path).map((other) => other.id),
        }),
      }),
    )
    if (files.length === 0)
      for (const { path, problem } of unreadable)
        checked.push({
          path,
          id: path,
          findings: [{ level: 'error', line: 1, what: problem, mend: 'Replace it by a plain text file.' }],
        })
    const all = checked.flatMap(({ findings }) => findings)
    const errors = all.filter(({ level }) => level === 'error').length
    const warnings = all.length - errors
    return { documents: checked, errors, warnings, valid: errors === 0 && !(strict && warnings > 0) }
  },
  say: ({ documents, errors, warnings }) =>
    [
      ...documents.flatMap(({ path, findings }) =>
        findings.map(({ level, line, what, mend }) => `${path}:${line}: ${level}: ${what}\n  ${mend}`),
      ),
      `${count(documents.length, 'document')}: ${count(errors, 'error')}, ${count(warnings, 'warning')}.`,
    ].join('\n'),
  failure: ({ valid, errors, warnings }) =>
    valid
      ? null
      : {
          exit: EXIT.invalid,
          reason: 'documents_invalid',
          message: `${count(errors, 'error')}, ${count(warnings, 'warning')}`,
          hint: 'Each finding says how to mend it.',
        },
})
