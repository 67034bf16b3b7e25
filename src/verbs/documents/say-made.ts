import type { NewDocument } from '../../engine/documents/begin-document.ts'

export const sayMade = ({ id, path, parent, focused }: NewDocument, next: string) =>
  [
    `Created ${path}${parent === null ? '' : ` from ${parent}`}${focused ? ` (${id} is in focus)` : ''}`,
    `  ${next}`,
  ].join('\n')
