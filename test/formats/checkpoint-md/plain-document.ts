const PARTS = [
  '## Problem\n\np',
  '## Session Intent\n\ni',
  '## Essential Information',
  '### Decisions\n\n- d',
  '### Technical Context\n\nt',
  '### Play-By-Play\n\n- x',
  '### Artifact Trail\n\n| File | Status | Key Change |\n|---|---|---|\n| `a` | created | x |',
  '### Current State\n\ns',
  '### Next Actions\n\n- n',
]

/** The smallest document without a finding. */
export const PLAIN = `---\ncheckpoint: chk-001\ncreated: 2026-01-01T00:00:00Z\n---\n\n${PARTS.join('\n\n')}\n`
export const DELTA = { at: '2026-01-02T00:00:00Z', what: 'x', artifacts: [], transitions: [] }
export const DONE = { outcome: 'o', date: '2026-01-03T00:00:00Z', learnings: ['a'] }
