import { stringify } from 'yaml'
import {
  codeSpan,
  decodeBlock,
  decodeItems,
  encodeBlock,
  encodeItems,
  leadingName,
  plainLine,
} from '../../core/bullets.ts'
import {
  type BodyCodec,
  decodeClaims,
  decodeReference,
  encodeReference,
  FIELD_BODIES,
  NO_BODY,
} from '../../core/claims.ts'
import { outlinePartsOf, titleKey } from '../../core/outline.ts'
import { type Artifact, type Decision, isRejection, stands, type WorkState } from '../../core/work.ts'
import { MAX_FRONT_MATTER, readFrontMatter } from '../markdown/front-matter.ts'

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

/** What a handoff says about the work, in its order. */
const SECTIONS: ReadonlyArray<BodyCodec & { heading: string }> = [
  { heading: '## Problem', ...FIELD_BODIES.problem },
  { heading: '## Goal', ...FIELD_BODIES.intent },
  { heading: '## Current State', ...FIELD_BODIES.state },
  {
    heading: '## Decisions',
    ...FIELD_BODIES.decisions,
    encode: (work) =>
      FIELD_BODIES.decisions.encode({ ...work, decisions: work.decisions.filter(isHandedOn) }),
  },
  { heading: '## Constraints and Rules', ...NO_BODY },
  { heading: '### Constraints', ...FIELD_BODIES.constraints },
  { heading: '### Rules', ...FIELD_BODIES.rules },
  { heading: '## Facts', ...FIELD_BODIES.facts },
  { heading: '## Done', ...FIELD_BODIES.done },
  { heading: '## Now', ...FIELD_BODIES.now },
  { heading: '## Next', ...FIELD_BODIES.next },
  { heading: '## Blockers', ...FIELD_BODIES.blockers },
  { heading: '## Open Questions', ...FIELD_BODIES.questions },
  {
    heading: '## Files',
    encode: ({ artifacts }) => encodeItems(artifacts.map(fileLine)),
    decode: (body) => ({ artifacts: decodeItems(body).flatMap((item) => fileOf(item) ?? []) }),
  },
  {
    heading: '## References',
    encode: ({ references }) => encodeItems(references.map(encodeReference)),
    decode: (body) => ({ references: decodeItems(body).map(decodeReference) }),
  },
]

/** What was rejected is not to be tried again; what was superseded has a decision that stands in its place. */
const isHandedOn = (one: Decision) => stands(one) || isRejection(one)

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

const FIELDS = ['purpose', 'created', 'branch', 'commit', 'stream'] as const
type FrontFields = Partial<Record<(typeof FIELDS)[number], string>>

/** The front matter, with its fences; what is null is left out. */
function encodeFront(fields: Record<(typeof FIELDS)[number], string | null>): string {
  const lines = FIELDS.flatMap((field) => {
    const value = plainLine(fields[field] ?? '')
    return value === '' ? [] : [stringify({ [field]: value }, { lineWidth: 0 }).trimEnd()]
  })
  return ['---', ...lines, '---'].join('\n')
}

/** Reads plain values alone: nothing can grow or run. */
function readFront(text: string): { fields: FrontFields; bodyStart: number } | { problem: string } {
  const front = readFrontMatter(text)
  if (front === null) {
    const [, language, isOpen] = /^\uFEFF?---(?:(\w[^\r\n]{0,19})|([ \t]*[\r\n]))/.exec(text) ?? []
    if (language !== undefined) return { problem: `the front matter is "${language}", not YAML` }
    if (isOpen) return { problem: `the front matter is not closed within ${MAX_FRONT_MATTER} characters` }
    return { fields: {}, bodyStart: text.startsWith('\uFEFF') ? 1 : 0 }
  }
  if (front.problem !== null) return { problem: `invalid front matter: ${front.problem}` }
  const fields: FrontFields = {}
  for (const field of FIELDS) {
    const { value = '', isPlain = false } = front.fields.get(field) ?? {}
    if (isPlain && plainLine(value) !== '') fields[field] = plainLine(value)
  }
  return { fields, bodyStart: front.bodyStart }
}

/** The document that whoever goes on is given. */
export function encodeHandoff(
  given: Omit<Handoff, 'created' | 'files'> & { at: string; from: string; work: WorkState },
): string {
  const { branch, commit, at, work, from, stream } = given
  const purpose = plainLine(given.purpose)
  const where = [
    from === '' ? '' : ` in the workspace ${codeSpan(plainLine(from))}`,
    branch === null ? '' : ` on the branch ${codeSpan(plainLine(branch))}`,
    commit === null ? '' : ` at the commit ${codeSpan(plainLine(commit))}`,
  ].join('')
  const howTo = [
    '## How to continue',
    `1. This was written${where || ' outside a workspace'}. See what has changed since: \`savepoint pickup\``,
    '2. Check everything marked `UNCONFIRMED`, and ask the open questions.',
    '3. Continue with Now, then Next.',
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
    return { problem: 'it has no purpose and no handoff sections' }
  const { created = '', branch = null, commit = null, stream = null } = front.fields
  const files = [...new Set((work.artifacts ?? []).map(({ path }) => path))]
  return { purpose, created, branch, commit, stream, work, files }
}
