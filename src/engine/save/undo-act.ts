import { sha256 } from '../../core/canonical.ts'
import { instant } from '../../core/ports.ts'
import { ReasonError } from '../../core/reason.ts'
import { lastCheckpointIn } from '../../formats/state-index/codec.ts'
import { chooseAct, mayUndo } from '../../policy/undo.ts'
import type { DocumentCommit } from '../../store/acts.ts'
import type { ActFile, ActRow } from '../../store/local-state.ts'
import type { Context } from '../context/context.ts'
import { actOnDocuments, type Files } from '../documents/act-on-documents.ts'
import { labelOf, readTextHere } from '../documents/act-record.ts'
import { joinCommits } from '../documents/checkpoint-of.ts'
import { readSurvey } from '../documents/read-survey.ts'
import type { Survey } from '../documents/survey.ts'
import { owedValue } from '../publish/publish-shared.ts'
import { sidesOf, type TurnedFile, turnStream } from './turn-stream.ts'

export interface UndoReport {
  /** The act that was undone or done again. */
  act: ToldAct
  /** The work that it changed. `as`: the number whose state stands again; null where the work had not begun. */
  work: Array<{ id: string; as: number | null; sequence: number }>
  /** The work that has its other name again. */
  renamed: Array<{ from: string; to: string }>
  files: TurnedFile[]
  /** The work in focus from now on; absent where focus stays. */
  focus?: string | null
  /** Whether the files say it already. */
  written: Files
}

/** An act, as it is told. */
export type ToldAct = ReturnType<typeof tellAct>

export const tellAct = (act: ActRow) => ({
  ...{ at: act.at, verb: act.verb, label: labelOf(act), by: act.by, isUndone: act.isUndone },
})

/** Undoes the last act of this workspace, or does the one again that was undone last: store and files at once. */
export async function undoAct(
  context: Context,
  { isRedo, isDry }: { isRedo: boolean; isDry: boolean },
): Promise<UndoReport> {
  if (isDry) return (await decide(context, await readSurvey(context), isRedo)).answer.report
  const { report, files } = await actOnDocuments(context, (survey) => decide(context, survey, isRedo))
  return { ...report, written: files }
}

async function decide(context: Context, survey: Survey, isRedo: boolean) {
  const { store, identity, speaker, session } = context
  const act = chooseAct(await store.local.listActs(identity.workspace), isRedo)
  if (act === null) throw new ReasonError(isRedo ? 'nothing_to_redo' : 'nothing_to_undo', {})
  const label = labelOf(act)
  if (!mayUndo(act, speaker, { session: session?.id ?? null, isRedo }))
    throw new ReasonError('undo_not_yours', { act: label })
  const { record } = act
  const parts: Array<Partial<DocumentCommit>> = []
  const report: UndoReport = {
    ...{ act: { ...tellAct(act), isUndone: !isRedo }, work: [], renamed: [], files: [], written: 'pending' },
  }
  const checkpoints = new Map<string, string>()
  for (const stream of record.streams) {
    const { id } = stream
    const sides = sidesOf(stream, isRedo)
    const note = `${isRedo ? 'redo' : 'undo'} of ${act.verb} #${stream.after.sequence}`
    const { commit, name, checkpoint, view } = await turnStream(context, survey, {
      ...{ id, label, note, ...sides },
    })
    parts.push(commit)
    const own = commit.renames?.find((one) => one.stream === id)
    if (own && sides.from !== null) report.renamed.push({ from: own.from, to: own.name })
    if (view !== null) report.files.push(view)
    if (checkpoint === null) continue
    checkpoints.set(id, checkpoint)
    const known = [...survey.rows, ...survey.withdrawn].find((row) => row.stream.id === id)
    const sequence = (known?.stream.headSequence ?? 0) + 1
    report.work.push({ id: name, as: sides.to?.sequence ?? null, sequence })
  }
  for (const file of record.files) {
    const { commit, told } = await turnFile(context, file, {
      checkpoint: checkpoints.get(file.stream),
      isRedo,
    })
    parts.push(commit)
    report.files.push(told)
  }
  const focus = focusAfter(survey, act, isRedo)
  if (focus !== undefined) {
    parts.push({ focus })
    report.focus = survey.rows.find(({ stream }) => stream.id === focus)?.stream.name ?? null
  }
  const commit = { ...joinCommits(identity.workspace, ...parts), turn: { act: act.id, isUndone: !isRedo } }
  return { commit, answer: { report } }
}

/** Focus goes back where it is still the one that the act left. */
function focusAfter(survey: Survey, { record }: ActRow, isRedo: boolean): string | null | undefined {
  if (record.focus === null) return undefined
  const { before, after } = record.focus
  const focused = survey.rows.find((row) => row.focused)?.stream.id ?? null
  if (before === after || focused !== (isRedo ? before : after)) return undefined
  return isRedo ? after : before
}

type TurnedPart = { commit: Partial<DocumentCommit>; told: TurnedFile }

/** What becomes of a file besides the documents. `checkpoint`: the one that says so of its stream. */
async function turnFile(
  context: Context,
  file: ActFile,
  { checkpoint = file.checkpoint, isRedo }: { checkpoint: string | undefined; isRedo: boolean },
): Promise<TurnedPart> {
  const { kind, stream, after, before, shown } = file
  const path = file.path.replace(/#.*/, '')
  const tell =
    (state: TurnedFile['state']) =>
    (commit: Partial<DocumentCommit>): TurnedPart => ({ commit, told: { path, state } })
  const [tellWritten, left] = [tell('written'), tell('left')({})]
  const row = { kind, path: file.path, stream, checkpoint, hash: after, state: 'pending' as const }
  const tellLeaving = () => tell('removed')({ views: [{ ...row, state: 'leaving' }] })
  switch (kind) {
    case 'entry': {
      // Its text is made of the checkpoint that the act appended.
      const entry = { ...row, checkpoint: file.checkpoint }
      if (isRedo) return tellWritten({ views: [entry] })
      const text = readTextHere(context, path)
      return tell('removed')({
        // What is about to go is kept: a writer who dies over it leaves it under another name.
        texts: text === null ? [] : [{ hash: sha256(text), text }],
        views: [{ ...entry, base: before, state: 'leaving' }],
      })
    }
    case 'note':
    case 'handoff':
      return isRedo ? tellWritten({ views: [row] }) : tellLeaving()
    case 'index': {
      const text = readTextHere(context, path)
      const set = await owedValue(context, { hash: '', checkpoint: file.checkpoint })
      if (text === null || lastCheckpointIn(text) !== (isRedo ? before : set)) return left
      if (isRedo) return tellWritten({ views: [{ ...row, checkpoint: file.checkpoint }] })
      const value = before ?? ''
      const hash = sha256(value)
      return tellWritten({ texts: [{ hash, text: value }], views: [{ ...row, hash }] })
    }
    case 'ledger': {
      const text = readTextHere(context, path)
      const standing = text === null ? null : sha256(text)
      const [from, to] = isRedo ? [before, after] : [after, before]
      if (standing !== from) return left
      if (to === null) return tellLeaving()
      const at = instant(context.ports.now())
      const owner =
        isRedo || shown === null ? row : { ...row, stream: shown.stream, checkpoint: shown.checkpoint }
      return tellWritten({
        views: [{ ...owner, hash: to, base: from }],
        ledgers: [{ path, checkpoint, hash: to, at }],
      })
    }
  }
}
