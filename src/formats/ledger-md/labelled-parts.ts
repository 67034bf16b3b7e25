import { codeSpan, decodeClaim, encodeClaim, leadingName } from '../../core/bullets.ts'
import { type Plan, type PlanStep, STEP_STATES } from '../../core/plan.ts'
import { type Claim, emptyWork, type Fault, type Position } from '../../core/work.ts'
import type { LabelledPart, LabelledTexts } from './labels.ts'

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
  const { name: id, rest } = leadingName(text.slice(start.length))
  if (state === undefined || id === '') return null
  const [mark = ''] = /^[ \t]*\(not planned\)/.exec(rest) ?? []
  const title = rest
    .slice(mark.length)
    .replace(/^[ \t]*:\s*/, '')
    .trim()
  return { id, ordinal: Number(ordinal), title, state, planned: mark === '' }
}

/** `timeout` (recoverable): what happened. */
const encodeFault = ({ reasonCode, recoverable, message }: Fault) =>
  `${codeSpan(reasonCode)}${recoverable ? ' (recoverable)' : ''}${message === '' ? '' : `: ${message}`}`

function decodeFault(text: string): Fault {
  const { name: reasonCode, rest } = leadingName(text)
  const [mark = ''] = /^[ \t]*\(recoverable\)/.exec(rest) ?? []
  const message = rest
    .slice(mark.length)
    .replace(/^[ \t]*:\s*/, '')
    .trim()
  return { reasonCode, recoverable: mark !== '', message }
}
