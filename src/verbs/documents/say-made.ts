import type { Made } from '../../engine/documents/begin-document.ts'

export const sayMade = ({ id, path, parent, focused }: Made, next: string) =>
  [
    `${id} begins in ${path}${parent === null ? '' : `, a child of ${parent}`}${focused ? ', and is in focus' : ''}.`,
    next,
  ].join('\n')
