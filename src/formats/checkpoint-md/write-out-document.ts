import type { Checkpoint } from '../../core/checkpoint.ts'
import { decodeDocument } from './codec.ts'
import { extendDocument } from './extend.ts'
import { newDocument } from './template.ts'
import { workOf } from './work.ts'

/** A checkpoint that has no document, as the document that it would have. */
export function writeOutDocument(id: string, { at, work }: Pick<Checkpoint, 'at' | 'work'>): string {
  const empty = newDocument({
    id,
    created: `${at.slice(0, 19)}Z`,
    anchor: null,
    parent: null,
    current: false,
  })
  return extendDocument(empty, workOf(decodeDocument(empty)), work)
}
