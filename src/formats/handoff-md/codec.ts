import {
  codeSpan,
  decodeBlock,
  decodeItems,
  encodeBlock,
  encodeItems,
  leadingName,
  plainLine,
} from '../../core/bullets.ts'
import { decodeClaims, decodeDecisions, encodeClaims, encodeDecisions } from '../../core/claims.ts'
import { outlinePartsOf, titleKey } from '../../core/outline.ts'
import type { Artifact, Breadcrumb, WorkState } from '../../core/work.ts'
import { encodeFront, readFront } from './front-matter.ts'

const MAX_HANDOFF_CHARACTERS = 1024 * 1024

export interface Handoff {
  purpose: string
  created: string
  branch: string | null
  commit: string | null
  stream: string | null
  work: Partial<WorkState>
  /** The paths that it names, to look at whether they are still there. */
  files: string[]
}

interface Section {
  heading: string
  encode(work: WorkState): string
  decode(body: string): Partial<WorkState>
}

const texts = (list: ReadonlyArray<{ text: string }>) => encodeItems(list.map(({ text }) => text))
const decodeTexts = (body: string) => decodeItems(body).map((text) => ({ text }))

/** What a handoff says about the work, in its order. */
const SECTIONS: readonly Section[] = [
  {
    heading: '## Problem',
    encode: ({ problem }) => encodeBlock(problem),
    decode: (body) => ({ problem: decodeBlock(body) }),
  },
  {
    heading: '## Goal',
    encode: ({ intent }) => encodeBlock(intent),
    decode: (body) => ({ intent: decodeBlock(body) }),
  },
  {
    heading: '## Current State',
    encode: ({ state }) => encodeBlock(state),
    decode: (body) => ({ state: decodeBlock(body) }),
  },
  {
    heading: '## Decisions',
    encode: ({ decisions }) => encodeDecisions(decisions),
    decode: (body) => ({ decisions: decodeDecisions(body) }),
  },
  { heading: '## Constraints and Rules', encode: () => '', decode: () => ({}) },
  {
    heading: '### Constraints',
    encode: ({ constraints }) => encodeClaims(constraints),
    decode: (body) => ({ constraints: decodeClaims(body) }),
  },
  {
    heading: '### Rules',
    encode: ({ rules }) => encodeClaims(rules),
    decode: (body) => ({ rules: decodeClaims(body) }),
  },
  {
    heading: '## Facts',
    encode: ({ facts }) => encodeClaims(facts),
    decode: (body) => ({ facts: decodeClaims(body) }),
  },
  {
    heading: '## Done',
    encode: ({ done }) => texts(done),
    decode: (body) => ({ done: decodeTexts(body).map(({ text }) => ({ text, at: null })) }),
  },
  {
    heading: '## Now',
    encode: ({ now }) => encodeBlock(now),
    decode: (body) => ({ now: decodeBlock(body) }),
  },
  {
    heading: '## Next',
    encode: ({ next }) => texts(next),
    decode: (body) => ({ next: decodeTexts(body) }),
  },
  {
    heading: '## Blockers',
    encode: ({ blockers }) => texts(blockers),
    decode: (body) => ({ blockers: decodeTexts(body) }),
  },
  {
    heading: '## Open Questions',
    encode: ({ questions }) => encodeClaims(questions),
    decode: (body) => ({ questions: decodeClaims(body) }),
  },
  {
    heading: '## Files',
    encode: ({ artifacts }) => encodeItems(artifacts.map(fileLine)),
    decode: (body) => ({ artifacts: decodeItems(body).flatMap((item) => fileOf(item) ?? []) }),
  },
  {
    heading: '## References',
    encode: ({ references }) => encodeItems(references.map(referenceLine)),
    decode: (body) => ({ references: decodeItems(body).map(referenceOf) }),
  },
]

/** `src/a.ts` (modified): what was done. */
function fileLine({ path, action, description }: Artifact): string {
  const name = plainLine(path)
  if (name === '') return ''
  const [did, said] = [plainLine(action).replace(/[()]/g, ''), plainLine(description)]
  return `${codeSpan(name)}${did === '' ? '' : ` (${did})`}${said === '' ? '' : `: ${said}`}`
}

function fileOf(item: string): Artifact | null {
  const { name, rest } = leadingName(item)
  if (name === '') return null
  const [did = '', action = ''] = /^\s*\(([^()]*)\)/.exec(rest) ?? []
  const description = rest
    .slice(did.length)
    .trim()
    .replace(/^[:–—-]\s*/, '')
  return { path: name, action: action.trim(), description }
}

const referenceLine = ({ kind, text }: Breadcrumb) =>
  plainLine(text) === '' ? '' : `${plainLine(kind).replaceAll(':', ' ').trim() || 'note'}: ${text}`

function referenceOf(item: string): Breadcrumb {
  const [label, kind] = /^([^:\n]{1,40}):\s+/.exec(item) ?? []
  const text = label === undefined ? '' : item.slice(label.length)
  return kind === undefined || text === '' ? { kind: 'note', text: item } : { kind: kind.trim(), text }
}

/** The document that whoever goes on is given. */
export function encodeHandoff(given: {
  purpose: string
  branch: string | null
  commit: string | null
  at: string
  work: WorkState
  from: string
  stream: string | null
}): string {
  const { branch, commit, at, work, from, stream } = given
  const purpose = plainLine(given.purpose)
  const where = [
    from === '' ? '' : ` in the workspace ${codeSpan(plainLine(from))}`,
    branch === null ? '' : ` on the branch ${codeSpan(plainLine(branch))}`,
    commit === null ? '' : ` at the commit ${codeSpan(plainLine(commit))}`,
  ].join('')
  const howTo = [
    '## How to go on',
    `1. This was written${where || ' outside of a workspace'}. Look at what has changed since: \`savepoint pickup\` does.`,
    '2. Settle what is marked `UNCONFIRMED`, and ask the open questions.',
    '3. Go on with Now, then with Next.',
  ]
  const sections = [
    encodeFront({ purpose, created: at, branch, commit, stream }),
    `# Handoff: ${purpose}`.trimEnd(),
    `## Purpose\n${encodeBlock(given.purpose)}`.trimEnd(),
    ...SECTIONS.map(({ heading, encode }) => `${heading}\n${encode(work)}`.trimEnd()),
    howTo.join('\n'),
  ]
  return `${sections.join('\n\n')}\n`
}

/** Reads a handoff, also one that people wrote. What is missing is not in the answer; it never throws. */
export function decodeHandoff(text: string): Handoff | { problem: string } {
  if (text.length > MAX_HANDOFF_CHARACTERS)
    return { problem: `it has more than ${MAX_HANDOFF_CHARACTERS} characters` }
  const front = readFront(text)
  if ('problem' in front) return front
  const body = text.slice(front.bodyStart)
  const parts = outlinePartsOf(body)
  const bodyOf = (heading: string) => {
    const found = parts.find(({ key }) => key === titleKey(heading))
    return found ? body.slice(found.bodyStart, found.bodyEnd) : null
  }
  let work: Partial<WorkState> = {}
  for (const { heading, decode } of SECTIONS) {
    const found = bodyOf(heading)
    if (found !== null) work = { ...work, ...decode(found) }
  }
  const loose = decodeClaims(bodyOf('Constraints and Rules') ?? '')
  if (loose.length > 0) work = { ...work, constraints: [...loose, ...(work.constraints ?? [])] }
  const title = parts
    .find(({ title: one }) => /^handoff\s*:/i.test(one))
    ?.title.replace(/^handoff\s*:\s*/i, '')
  const purpose = decodeBlock(bodyOf('Purpose') ?? '') || front.fields.purpose || title || ''
  if (purpose === '' && Object.keys(work).length === 0)
    return { problem: 'it has no purpose and none of the sections of a handoff' }
  return {
    purpose,
    created: front.fields.created ?? '',
    branch: front.fields.branch ?? null,
    commit: front.fields.commit ?? null,
    stream: front.fields.stream ?? null,
    work,
    files: [...new Set((work.artifacts ?? []).map(({ path }) => path))],
  }
}
