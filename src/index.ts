/** Savepoint as a library. Every public name is listed here, one by one. */
export { type RecorderOptions, type ResumeOptions, RunRecorder } from './apps/library/run-recorder.ts'
export type { CommandOutcome } from './core/checkpoint.ts'
export type { StepMove } from './core/plan.ts'
export { REASONS, type Reason, type ReasonData, ReasonError } from './core/reason.ts'
export type { Receipt } from './engine/runs/take-snapshot.ts'
export { decodeSnapshot } from './formats/snapshot/codec.ts'
export type { SnapshotDocument } from './formats/snapshot/document.ts'
