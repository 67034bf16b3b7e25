import {
  codeSpan,
  decodeClaim,
  decodeItems,
  encodeClaim,
  encodeItem,
  leadingName,
  plainText,
} from '../../core/bullets.ts'
import type { BodyCodec } from '../../core/claims.ts'
import { type Plan, type PlanStep, STEP_STATES } from '../../core/plan.ts'
import { type Claim, emptyWork, type Fault, type Position, type WorkState } from '../../core/work.ts'

/** Labels of bullets, each with the words that people write for it, as the source of an expression. */
type Labels = Readonly<Record<string, string>>

/** The bullets that carry a label: their texts behind it. */
type LabelledTexts = (label: string) => readonly string[]

/** What a section says besides its own text or list, in bullets that begin with a label. */
interface LabelledPart {
  labels: Labels
  encode(work: WorkState): ReadonlyArray<readonly [label: string, text: string]>
  decode(textsOf: LabelledTexts): Partial<WorkState>
}

const anyOf = (labels: Labels) => Object.values(labels).join('|')

/** `Label:`, also in stars. */
export const labelPattern = (words: string) => new RegExp(`^[*_]*(?:${words})[*_]*[ \\t]*:[*_]*[ \\t]*`, 'i')

const BULLET = '(?:[-*+]|\\d{1,9}[.)])[ \\t]+'
const isBullet = (line: string) => new RegExp(`^[ \\t]?${BULLET}`).test(line)
const lineStart = (labels: Labels, behind = '') =>
  new RegExp(`^( ?)${behind}(?=\\\\*${BULLET}[*_]*(?:${anyOf(labels)})[*_]*[ \\t]*:)`, 'i')

/** A section with labelled bullets below its own text. A line of the text that looks like one gets a backslash. */
export function withLabels(plain: BodyCodec, { labels, encode, decode }: LabelledPart): BodyCodec {
  const [start, shielded] = [lineStart(labels), lineStart(labels, '\\\\')]
  const mapLines = (text: string, change: (line: string) => string) =>
    text
      .split(/\r\n|\n|\r/)
      .map(change)
      .join('\n')
  return {
    encode: (work) =>
      [
        mapLines(plain.encode(work), (line) => line.replace(start, '$1\\')),
        ...encode(work)
          .filter(([, text]) => plainText(text) !== '')
          .map(([label, text]) => encodeItem(`${label}: ${plainText(text)}`)),
      ]
        .filter((part) => part !== '')
        .join('\n'),
    decode(body) {
      const { rest, bullets } = splitBullets(body, lineStart(labels))
      const items = decodeItems(bullets)
      const textsOf = (label: string) => {
        const pattern = labelPattern(labels[label] ?? label)
        return items
          .filter((item) => pattern.test(item))
          .map((item) => item.replace(pattern, '').trim())
          .filter((text) => text !== '')
      }
      return { ...plain.decode(mapLines(rest, (line) => line.replace(shielded, '$1'))), ...decode(textsOf) }
    },
  }
}

/** Parts the labelled bullets, with the lines that belong to each, from all else. */
function splitBullets(body: string, start: RegExp): { rest: string; bullets: string } {
  const found = { rest: [] as string[], bullets: [] as string[] }
  let into: keyof typeof found = 'rest'
  let isBehindBlank = false
  for (const line of body.split(/\r\n|\n|\r/)) {
    const isBlank = line.trim() === ''
    if (!isBlank && !/^(?: {2}|\t)/.test(line)) {
      // A backslash in front makes it text.
      if (start.test(line) && !/^ ?\\/.test(line)) into = 'bullets'
      else if (isBullet(line) || isBehindBlank) into = 'rest'
    }
    found[into].push(line)
    isBehindBlank = isBlank
  }
  return { rest: found.rest.join('\n'), bullets: found.bullets.join('\n') }
}

export const PROBLEM: LabelledPart = {
  labels: { Problem: 'problem' },
  encode: ({ problem }) => [['Problem', problem]],
  decode: (textsOf) => ({ problem: textsOf('Problem').join('\n\n') }),
}

const claimBullets = (label: string, claims: readonly Claim[]) =>
  claims.map(({ text, confirmed }) => [label, encodeClaim(text, confirmed)] as const)
const claimsOf = (texts: readonly string[]) => texts.flatMap((text) => decodeClaim(text) ?? [])

export const RULES_AND_FACTS: LabelledPart = {
  labels: { Rule: 'rules?', Fact: 'facts?' },
  encode: ({ rules, facts }) => [...claimBullets('Rule', rules), ...claimBullets('Fact', facts)],
  decode: (textsOf) => ({ rules: claimsOf(textsOf('Rule')), facts: claimsOf(textsOf('Fact')) }),
}

/** How things stand, what blocks, and where in a plan the work is. */
export const STATE_AND_POSITION: LabelledPart = {
  labels: {
    State: 'state',
    Blocked: 'block(?:ed|ers?)',
    Plan: 'plan',
    Stage: 'stage',
    'TDD phase': 'tdd[ \\t]+phase',
    Step: 'step',
    Anchor: 'anchor',
    'Plan file': 'plan[ \\t]+file',
    'Plan step': 'plan[ \\t]+step',
    Violation: 'violation',
    Fault: 'fault',
  },
  encode: ({ state, blockers, position: { plan, planName = '', step, stage, tddPhase, anchor, fault } }) => [
    ['State', state],
    ...blockers.map(({ text }) => ['Blocked', text] as const),
    ['Plan', planName],
    ['Stage', stage],
    ['TDD phase', tddPhase],
    ['Step', step ?? ''],
    ['Anchor', anchor],
    ['Plan file', plan?.path ?? ''],
    ...(plan?.steps ?? []).map((one) => ['Plan step', encodeStep(one)] as const),
    ...(plan?.violations ?? []).map((text) => ['Violation', text] as const),
    ['Fault', fault === null ? '' : encodeFault(fault)],
  ],
  decode(textsOf) {
    const position = positionOf(textsOf)
    return {
      state: textsOf('State').join('\n\n'),
      blockers: textsOf('Blocked').map((text) => ({ text })),
      ...(position === null ? {} : { position }),
    }
  },
}

/** Null where no bullet says anything of it. */
function positionOf(textsOf: LabelledTexts): Position | null {
  const first = (label: string) => textsOf(label)[0] ?? ''
  const planName = first('Plan')
  const position: Position = {
    ...(planName === '' ? {} : { planName }),
    plan: planOf(textsOf),
    step: first('Step') || null,
    fault: textsOf('Fault').map(decodeFault)[0] ?? null,
    stage: first('Stage'),
    tddPhase: first('TDD phase'),
    anchor: first('Anchor'),
  }
  return JSON.stringify(position) === JSON.stringify(emptyWork().position) ? null : position
}

function planOf(textsOf: LabelledTexts): Plan | null {
  const [path = ''] = textsOf('Plan file')
  const steps = textsOf('Plan step').flatMap((text) => decodeStep(text) ?? [])
  const violations = [...textsOf('Violation')]
  return path === '' && steps.length + violations.length === 0 ? null : { path, steps, violations }
}

/** `done 2 `load`: Load the data`. */
const encodeStep = ({ id, ordinal, title, state, planned }: PlanStep) =>
  `${state} ${ordinal} ${codeSpan(id)}${planned ? '' : ' (not planned)'}${title === '' ? '' : `: ${title}`}`

function decodeStep(text: string): PlanStep | null {
  const [start = '', word, ordinal = ''] = /^([a-z_]+)[ \t]+(\d{1,9})[ \t]+/.exec(text) ?? []
  const state = STEP_STATES.find((one) => one === word)
  const { name: id, isMarked, said } = readMarked(text.slice(start.length), 'not planned')
  if (state === undefined || id === '') return null
  return { id, ordinal: Number(ordinal), title: said, state, planned: !isMarked }
}

/** A name in code, a mark in brackets where it is there, and what is said behind a colon. */
function readMarked(text: string, mark: string): { name: string; isMarked: boolean; said: string } {
  const { name, rest } = leadingName(text)
  const [found = ''] = new RegExp(`^[ \\t]*\\(${mark}\\)`).exec(rest) ?? []
  const said = rest.slice(found.length).replace(/^[ \t]*:\s*/, '')
  return { name, isMarked: found !== '', said: said.trim() }
}

/** `timeout` (recoverable): what happened. */
const encodeFault = ({ reasonCode, recoverable, message }: Fault) =>
  `${codeSpan(reasonCode)}${recoverable ? ' (recoverable)' : ''}${message === '' ? '' : `: ${message}`}`

function decodeFault(text: string): Fault {
  const { name: reasonCode, isMarked: recoverable, said: message } = readMarked(text, 'recoverable')
  return { reasonCode, recoverable, message }
}
