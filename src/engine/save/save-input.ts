import type { Saying } from '../../policy/save.ts'

export interface SaveInput {
  saying: Saying
  plan: string | null
  stage: string | null
  tddPhase: string | null
  stream: string | null
  note: boolean
  /** What the session is to be known for. */
  accomplishments: string[]
  /** The work goes over to somebody else: no advice about saving is due any more. */
  handedOff?: true
}
