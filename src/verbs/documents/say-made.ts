import type { NewDocument } from '../../engine/documents/begin-document.ts'

export const sayMade = ({ id, path, parent, focused }: NewDocument, next: string) =>
  [
    `${id} begins in ${path}${parent === null ? '' : `, a child of ${parent}`}${focused ? ', and is in focus' : ''}.`,
    next,
  ].join('\n')
