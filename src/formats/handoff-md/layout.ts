import { sha256 } from '../../core/canonical.ts'

/** Where handoffs are, below the main worktree. */
export const HANDOFFS = ['.agents', 'handoffs'] as const

// With the date, and with what a temporary name adds, they stay below 143 bytes: an encrypted home allows no more.
const MAX_SLUG_BYTES = 60
const MAX_BRANCH_BYTES = 32

/**
 * A text as part of a file name: the letters and digits of any script, in small, with a dash for all between.
 * A text without any gets a name from its digest, so that it still has one of its own.
 */
export function slugOf(text: string): string {
  return shortSlug(text, MAX_SLUG_BYTES) || (text.trim() === '' ? 'handoff' : `x${sha256(text).slice(0, 8)}`)
}

/** `<date>-<branch>-<purpose>.md`: one name without folders, whatever the branch is called. */
export function handoffName(at: string, branch: string | null, slug: string): string {
  const date = /^\d{4}-\d\d-\d\d/.exec(at)?.[0] ?? '0000-00-00'
  return `${date}-${shortSlug(branch ?? '', MAX_BRANCH_BYTES) || 'no-branch'}-${slugOf(slug)}.md`
}

function shortSlug(text: string, bytes: number): string {
  const folded = text.normalize('NFKC').toLowerCase().normalize('NFKC')
  const slug = folded
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '-')
    .replace(/(^|-)\p{M}+/gu, '$1')
    .replace(/-{2,}/g, '-')
  let kept = ''
  for (const character of slug.replace(/^-/, '')) {
    if (Buffer.byteLength(kept + character) > bytes) break
    kept += character
  }
  return kept.replace(/-$/, '')
}
