import type { WorkState } from '../../core/work.ts'

export interface Mention {
  field: keyof WorkState
  /** The item's place in its field; for a text, the line's. */
  index: number
  path: string
}

const TEXTS = ['state', 'now'] as const
const LISTS = ['facts', 'next', 'blockers', 'questions'] as const
const MOST = 200

/** A path in code marks, or one with a folder and an ending; a line number behind it is not part of it. */
const CODE = /`([^`\s]{1,200})`/g
const PATH = /^(?!\w+:\/\/)(?:\.\/)?((?:[\w@.+-]+\/)*[\w@+-][\w@.+-]*\.[A-Za-z]\w{0,7})(?::\d+)*$/

/** The files that the work's sentences name in code marks; anything less clear is left alone. */
export function mentionsOf(work: WorkState): Mention[] {
  const found: Mention[] = []
  const add = (field: keyof WorkState, index: number, text: string) => {
    for (const [, code = ''] of text.matchAll(CODE)) {
      const path = PATH.exec(code)?.[1]
      if (path?.includes('/') && found.length < MOST) found.push({ field, index, path })
    }
  }
  for (const field of TEXTS) {
    const lines = work[field].split(/\r?\n/).filter((line) => line.trim() !== '')
    for (const [index, line] of lines.entries()) add(field, index, line)
  }
  for (const field of LISTS) for (const [index, { text }] of work[field].entries()) add(field, index, text)
  for (const [index, { kind, text }] of work.references.entries()) {
    const path = /^(?:file|path)$/i.test(kind.trim()) ? PATH.exec(firstWord(text))?.[1] : undefined
    if (path !== undefined && found.length < MOST) found.push({ field: 'references', index, path })
  }
  return found
}

const firstWord = (text: string) =>
  text.replaceAll('`', '').trim().split(/[\s#]/, 1)[0]?.replace(/:$/, '') ?? ''
